protocol crlf
order msb


packet {
	a uint8 // one	
	bcd uint16	// two

	ef [2]{ x bool, yy bool }
}

