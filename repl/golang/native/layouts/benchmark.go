package layouts

import (
	"reflect"
	"testing"
)

// BenchmarkLoopName is the full name of the method that ends the loop of a benchmark.
const BenchmarkLoopName = "(*testing.B).Loop"

// BenchmarkLoop says where a testing.B has the number of iterations that its method Loop has begun, and the one up to
// which that method does nothing but count. It reports false where package testing has these otherwise.
func BenchmarkLoop() (count, limit int64, ok bool) {
	loop, ok := reflect.TypeFor[testing.B]().FieldByName("loop")
	if !ok || loop.Type.Kind() != reflect.Struct || loop.Type.NumField() != 3 {
		return 0, 0, false
	}
	i, hasCount := loop.Type.FieldByName("i")
	n, hasLimit := loop.Type.FieldByName("n")
	if !hasCount || !hasLimit || i.Type.Kind() != reflect.Uint64 || n.Type.Kind() != reflect.Uint64 {
		return 0, 0, false
	}
	return int64(loop.Offset + i.Offset), int64(loop.Offset + n.Offset), true
}
