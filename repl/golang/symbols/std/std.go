// Package std holds the tables through which cells reach the standard library of the Go version that builds gorocm:
// every exported function, variable and type that is not generic, and for each interface the wrapper by which an
// interpreted value can be one. syscall and unsafe are not here: they differ between systems, and yaegi has their
// tables.
package std

import "reflect"

// Symbols maps "import path/package name" to name to value, as yaegi's Use takes it. The key "." holds what the
// wrappers and functions of maptypes.go need.
var Symbols = map[string]map[string]reflect.Value{".": {"MapTypes": reflect.ValueOf(mapTypes)}}
