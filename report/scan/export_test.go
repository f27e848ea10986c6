package scan

// Made is how many of the decoders were asked for.
func (c *Decoders) Made() (n int) {
	for i := range c.made {
		if c.made[i].Load() != nil {
			n++
		}
	}
	return n
}
