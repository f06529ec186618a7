package npy

import (
	"reflect"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	plain := func(code string) Type { return Type{Code: code} }
	for text, want := range map[string]Header{
		"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n":   {plain("<f4"), false, []int{2, 3}},
		`{"shape": (), "descr": "|b1", "fortran_order": True}`:            {plain("|b1"), true, []int{}},
		"{'descr': '<i8', 'fortran_order': False, 'shape': (3L,), }     ": {plain("<i8"), false, []int{3}},
		`{'descr': [('a', '<f4'), (('title', 'b'), '<U3', (2,)), ('', '|V4'), ('c\'\x41', [('d', '|S1'), ('e', '<i2', 2)])], 'fortran_order': False, 'shape': (1,)}`: {
			Type{Fields: []Field{{"a", plain("<f4"), nil}, {"b", plain("<U3"), []int{2}}, {"", plain("|V4"), nil},
				{"c'A", Type{Fields: []Field{{"d", plain("|S1"), nil}, {"e", plain("<i2"), []int{2}}}}, nil}}}, false, []int{1}},
	} {
		if got, err := Parse(text); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v, want %+v", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"": "no value", "{": "no value", "{'a'}": "colon", "{'a': 1}": "no descr", "3": "no descr", "{'a': 1} 2": "more follows",
		"{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}":            "not possible",
		"{'descr': '<f4', 'fortran_order': False, 'shape': (2)}":              "no descr",
		"{'descr': 3, 'fortran_order': False, 'shape': ()}":                   "neither a text",
		"{'descr': [('a',)], 'fortran_order': False, 'shape': ()}":            "the field",
		"{'descr': [(3, '<f4')], 'fortran_order': False, 'shape': ()}":        "not a text",
		"{'descr': [('a', '<f4', 'x')], 'fortran_order': False, 'shape': ()}": "the shape x",
		"{'descr': '<f4":              "does not end",
		`{'\q': 1}`:                   "escape",
		`{'\ud800': 1}`:               "not a character",
		strings.Repeat("[", 99):       "deep",
		"{'a': 99999999999999999999}": "out of range",
	} {
		if _, err := Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: %v, want an error with %q", text, err, want)
		}
	}
}

// FuzzParse: a text of any bytes is an error, or a header.
func FuzzParse(f *testing.F) {
	f.Add(`{'descr': [('a', '<f4', (2,)), ('b', [('c', '|S3')])], 'fortran_order': False, 'shape': (3, 4), }`)
	f.Fuzz(func(t *testing.T, text string) {
		if h, err := Parse(text); err == nil && h.Type.Code == "" && h.Type.Fields == nil && !strings.Contains(text, "''") && !strings.Contains(text, `""`) {
			t.Errorf("%q has no type: %+v", text, h)
		}
	})
}
