// Package saved tests that what the commands save fits the JSON Schema that `pktscope help json` shows. The validator fills
// tables before main begins. In the tests of cmd/pktscope each of 900 processes would do that, so it is not in them.
package saved
