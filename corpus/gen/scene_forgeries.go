package main

// What a stranger sends to a server of scenes: every mistake that a reader of the four kinds can make, after a right
// checksum unless that is the point.

const (
	atList    = atBody + countBits // the first element of a list with a count
	atIndexed = atList + indexBits // its body
	atNext    = atIndexed + restingBits
)

// restingBody and movingBody are right in themselves.
var (
	restingBody = bodyCodes{position: [3]uint64{1_000_500, 1_000_500, 987_654}, largest: 3, parts: [3]uint64{512, 300, 700}, atRest: true}
	movingBody  = bodyCodes{position: [3]uint64{1_002_000, 1_003_100, 999_000}, largest: 1, parts: [3]uint64{400, 600, 512},
		linear: [3]uint64{1_100, 900, 1_000}, angular: [3]uint64{2_000, 2_345, 1_800}}
)

// at puts a body into each of some places, in the order given, which need not rise.
func at(c bodyCodes, indexes ...uint64) []slotBody {
	var out []slotBody
	for _, i := range indexes {
		out = append(out, slotBody{i, c})
	}
	return out
}

// sent is a scene as a writer that checks nothing writes it.
func sent(kind uint64, bodies []slotBody) func([]byte) []byte {
	return func(b []byte) []byte { return scene(b, kind, bodies) }
}

// one is a scene of one body, in the first place, after a count.
func one(c bodyCodes, edit func(c *bodyCodes)) func([]byte) []byte {
	edit(&c)
	return sent(sceneIndex, at(c, 0))
}

// forged is a scene whose list is written by hand.
func forged(kind uint64, list func(w *bitWriter)) func([]byte) []byte {
	return func(b []byte) []byte {
		w := begin(b, kind)
		list(w)
		return w.seal(endCheck, gafferID)
	}
}

// sceneCut is a scene up to a byte, whose checksum is right for that.
func sceneCut(whole func([]byte) []byte, n int) func([]byte) []byte {
	return func(b []byte) []byte { return checksum(whole(b)[:n], gafferID) }
}

var sceneForgeries = []forgery{
	{func(b []byte) []byte { return b[:0] }, "past-end", "crc", 0, ""},
	{func(b []byte) []byte { return checksum(scene(b, sceneIndex, nil), protocolID) }, "crc-mismatch", "crc", 0, ""},
	{func(b []byte) []byte { return scene(b, sceneIndex, at(movingBody, 1, 2))[:30] }, "crc-mismatch", "crc", 0, ""},
	{sceneCut(sent(sceneIndex, at(restingBody, 7)), 10), "past-end", "body.objects[0].value.position.y", atIndexed + positionBits, ""},
	{sceneCut(sent(sceneBitmap, nil), 8), "past-end", "body.objects", 64, ""},
	{forged(sceneIndex, func(w *bitWriter) { w.put(maxObjects+1, countBits) }), "out-of-range", "body.objects.count", atBody, ""},
	{forged(sceneIndex, func(w *bitWriter) { w.put(1<<countBits-1, countBits); w.put(0, 8000) }), "out-of-range", "body.objects.count", atBody, ""},
	{sent(sceneIndex, at(restingBody, 5, 5)), "not-increasing", "body.objects[1].index", atNext, ""},
	{sent(sceneIndex, at(restingBody, 9, 3)), "not-increasing", "body.objects[1].index", atNext, ""},
	{sent(sceneSentinel, at(restingBody, maxObjects+1)), "out-of-range", "body.objects[0].index", atBody, ""},
	{sent(sceneSentinel, at(restingBody, 9, 3)), "not-increasing", "body.objects[1].index", atBody + countBits + restingBits, ""},
	{forged(sceneRelative, func(w *bitWriter) { // a short step past the last body
		putStep(w, 61)
		restingBody.put(w)
		putStep(w, 8)
	}), "out-of-range", "body.objects[1].index", atBody + 10 + restingBits, ""},
	{forged(sceneRelative, func(w *bitWriter) { w.put(0, len(rungs)) }), "out-of-range", "body.objects[0].index", atBody, ""},
	{one(restingBody, func(c *bodyCodes) { c.position[0] = mostPosition + 1 }), "out-of-range", "body.objects[0].value.position.x", atIndexed, ""},
	{one(restingBody, func(c *bodyCodes) { c.position[2] = 1<<positionBits - 1 }), "out-of-range", "body.objects[0].value.position.z", atIndexed + 2*positionBits, ""},
	{one(restingBody, func(c *bodyCodes) { c.parts = [3]uint64{1023, 1023, 1023} }), "non-unit", "body.objects[0].value.orientation", atIndexed + 3*positionBits, ""},
	{one(movingBody, func(c *bodyCodes) { c.linear[2] = mostLinear + 1 }), "out-of-range", "body.objects[0].value.linear_velocity.z", atIndexed + restingBits + 2*linearBits, ""},
	{one(movingBody, func(c *bodyCodes) { c.angular[0] = 1<<angularBits - 1 }), "out-of-range", "body.objects[0].value.angular_velocity.x", atIndexed + restingBits + 3*linearBits, ""},
	{forged(sceneIndex, func(w *bitWriter) { // three are told, one is there: the check is read for the second
		w.put(3, countBits)
		w.put(0, indexBits)
		restingBody.put(w)
	}), "past-end", "body.objects[1].value.position.y", atNext + indexBits + positionBits, ""},
	{forged(sceneIndex, func(w *bitWriter) {
		w.put(0, countBits)
		w.put(0, indexBits)
		restingBody.put(w)
	}), "check-mismatch", "", 48, ""},
	{forged(sceneSentinel, func(*bitWriter) {}), "past-end", "body.objects[0].value.position.y", atBody + countBits + positionBits, ""},
	{func(b []byte) []byte {
		w := begin(b, sceneRelative)
		putStep(w, maxObjects+1)
		return w.seal(endCheck+1, gafferID)
	}, "check-mismatch", "", 48, ""},
	{func(b []byte) []byte {
		b = scene(b, sceneSentinel, nil)
		b[5] |= 1 << 7
		return checksum(b, gafferID)
	}, "nonzero-padding", "", 47, ""},
	{func(b []byte) []byte { return checksum(append(scene(b, sceneIndex, nil), 0), gafferID) }, "trailing-bytes", "", 48 + 32, ""},
	{one(restingBody, func(c *bodyCodes) { c.parts = [3]uint64{1023, 512, 512} }), "", "", 0, "non-canonical"},
}
