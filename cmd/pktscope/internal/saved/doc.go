// Package saved tests that what the commands print and save as JSON fits the JSON Schemas that `pktscope help json`
// shows. The validator fills tables before main begins. In the tests of cmd/pktscope each of 900 processes would do
// that, so it is not in them.
package saved
