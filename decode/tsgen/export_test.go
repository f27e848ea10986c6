package tsgen

// Camel is the name that a message's function and type end with.
var Camel = camel
