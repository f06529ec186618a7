// Package support makes the compiled functions that lowered code calls, each once for a session and its types, and
// gives them to yaegi. Its methods return their names in lowered code.
//
//   - functions.go has what was made, and finds functions and variables of compiled packages.
//   - interfaces.go makes interfaces of values and asserts the types of interfaces, convert.go converts between types
//     of the same layout and as package reflect does, unsafe.go has the functions of package unsafe.
//   - runtime.go and sort.go have generic functions of the standard library that are compiled for each instance.
//   - machinecode.go gives machine code the same.
//
// Interpreted code holds values without the names of their types; an interface holds values with their own types.
package support
