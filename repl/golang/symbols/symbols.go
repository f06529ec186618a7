// Package symbols holds the tables through which cells reach gorocm's compiled packages. Everything exported and not
// generic is there.
package symbols

import "reflect"

// Symbols maps "import path/package name" to name to value, as yaegi's Use takes it.
var Symbols = map[string]map[string]reflect.Value{}
