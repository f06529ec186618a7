// Package gofuzz generates random Go programs for tests that run Go in two ways and compare the output.
//
//	src := gofuzz.Program(42) // package main, with a func main
//
// A program depends on nothing but its number. It is valid Go, which go/types has checked. It ends: loops have bounds,
// and calls consume fuel from a budget. Its output is determined by the Go specification: no order of map keys, no
// addresses, and no operand whose time of evaluation a compiler may choose. Panics are compared, too: functions are
// called by one that recovers and prints the value.
//
// Two differences are compiled Go's own (go1.26): it writes the parts of a composite literal into an unnamed result
// before an operand of the literal panics, which shows if the function recovers; and calls among the elements of a map
// literal are not always made in their order.
//
// Hot makes programs for package native, which has machine code for most of their functions: with patterns.go, loops as
// people write them.
//
// Reduce makes a program smaller while preserving a property of it.
//
// # Order
//
// The specification orders calls, but neither calls and reads of variables, nor two operands that may panic. So each
// statement is written in one of three modes: a pure one reads any variables; a risky one also has one operand that may
// panic; one with calls has no operand outside of the calls that may panic, and reads only variables that no call can
// change.
package gofuzz
