package display

import (
	"reflect"
	"strings"
	"unicode"
	"unicode/utf8"
)

// fieldName is the name of a struct's field as its source has it. The interpreter makes struct types without a name, in
// which an unexported field name gets an X in front, because reflect can make exported fields only. A field that is
// really called Xmin is told from it by its neighbour Ymin.
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
