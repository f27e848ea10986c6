package infer

// Mark is that of a line, as somebody would forge it.
var Mark = mark
