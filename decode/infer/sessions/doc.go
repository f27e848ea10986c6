// Package sessions has simulated sessions of protocols that nobody uses, for tests of inference: packets, and the schema
// that they were encoded by, which is the truth about them.
//
// They are kinder than real ones: numbers move with momentum, and what is text is a word. But packets are lost, clients
// come in no order, and clocks jitter.
package sessions
