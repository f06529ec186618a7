package layouts

import "go/types"

// HasArrays reports whether Go code passes any of the values in memory.
func HasArrays(t *types.Tuple) bool {
	for v := range t.Variables() {
		if HasArray(v.Type()) {
			return true
		}
	}
	return false
}

// HasArray reports whether a value has an array of several elements, or of none.
func HasArray(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Array:
		return u.Len() != 1 || HasArray(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			if HasArray(f.Type()) {
				return true
			}
		}
	}
	return false
}
