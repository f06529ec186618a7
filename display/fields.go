package display

import (
	"reflect"
	"strings"
	"unicode"
	"unicode/utf8"
)

// fieldName is the name of a struct field in the source. The interpreter creates unnamed struct types, in which
// unexported fields have the prefix X, because reflect can create exported fields only. A field that is really called
// Xmin is recognised by its neighbour Ymin.
func fieldName(t reflect.Type, i int) string {
	name := t.Field(i).Name
	rest, ok := strings.CutPrefix(name, "X")
	if r, _ := utf8.DecodeRuneInString(rest); !ok || t.Name() != "" || !unicode.IsLower(r) && r != '_' {
		return name
	}
	if _, paired := t.FieldByName("Y" + rest); paired {
		return name
	}
	return rest
}
