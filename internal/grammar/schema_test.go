package grammar

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/gorocm/gorocm/internal/thorough"
)

// good are schemas with texts that are JSON of them in the form that can come, and texts that are not.
var good = []struct {
	schema    string
	yes, no   []string
	unlimited bool // random texts seldom end
}{
	{schema: `{"type": "integer"}`, yes: []string{"0", "-7", "10", "123456789012345678"}, no: []string{"01", "1.0", "-", "+1", "1234567890123456789", "x", ""}},
	{schema: `{"type": "number"}`, yes: []string{"0", "-0.5", "1e9", "2.50E-10"}, no: []string{".5", "1.", "1e", "1e100", "NaN"}},
	{schema: `{"type": "boolean"}`, yes: []string{"true", "false"}, no: []string{"True", "null", "tru"}},
	{schema: `{"type": "null", "title": "nothing"}`, yes: []string{"null"}, no: []string{"nul", "nulll"}},
	{schema: `{"type": ["string", "null"], "maxLength": 3}`, yes: []string{`""`, `"aé日"`, `"\n\u00e9x"`, "null"}, no: []string{`"abcd"`, `"a`, "\"\n\"", `"\x"`, `"\ud800"`, "\"\xff\"", "\"\xed\xa0\x80\""}},
	{schema: `{"type": "string", "minLength": 2, "maxLength": 2}`, yes: []string{`"ab"`}, no: []string{`"a"`, `"abc"`, `""`}},
	{schema: `{"enum": ["red", 1, {"a": [1, 2]}, null]}`, yes: []string{`"red"`, `1`, `{"a":[1,2]}`, "null"}, no: []string{`"re"`, `2`, `{"a": [1,2]}`}},
	{schema: `{"type": "string", "enum": ["a", 1]}`, yes: []string{`"a"`}, no: []string{"1"}},
	{schema: `{"const": "a\"<b>"}`, yes: []string{`"a\"<b>"`}, no: []string{`"a"`}},
	{schema: `{"type": "array", "items": {"type": "integer"}, "minItems": 1, "maxItems": 3}`, yes: []string{"[1]", "[1,2, 3]", "[\n  1,\n  2\n]"}, no: []string{"[]", "[1,2,3,4]", "[1,]", "[,1]", `["a"]`}},
	{schema: `{"type": "array", "maxItems": 0}`, yes: []string{"[]", "[ ]"}, no: []string{"[1]"}},
	{schema: `{"type": "array", "items": {"type": "boolean"}, "minItems": 2}`, yes: []string{"[true,false]", "[true,false,true,true]"}, no: []string{"[true]", "[]"}},
	{schema: `{"type": "object", "properties": {"name": {"type": "string"}, "age": {"type": "integer"}, "ok": {"type": "boolean"}}, "required": ["name", "ok"], "additionalProperties": false}`,
		yes: []string{`{"name":"x","ok":true}`, `{"name": "x", "age": 3, "ok": true}`}, no: []string{`{"name":"x"}`, `{"ok":true,"name":"x"}`, `{"name":"x","ok":true,"z":1}`, `{"name":"x","age":1.5,"ok":true}`}},
	{schema: `{"properties": {"a": {"const": 1}, "b": {"const": 2}}}`, yes: []string{"{}", `{"a":1}`, `{"b":2}`, `{"a":1,"b":2}`}, no: []string{`{,"b":2}`, `{"a":1,}`, `{"a":2}`}},
	{schema: `{"type": "object", "additionalProperties": {"type": "null"}}`, yes: []string{"{}", `{"x":null,"y":null}`}, no: []string{`{"x":1}`}},
	{schema: `{"type": "object", "additionalProperties": false}`, yes: []string{"{}"}, no: []string{`{"x":1}`}},
	{schema: `{"required": ["z"], "properties": {"a": {"const": 1}}}`, yes: []string{`{"z":[]}`, `{"a":1,"z":{"b":2}}`}, no: []string{`{"a":1}`}, unlimited: true},
	{schema: `{"anyOf": [{"type": "string", "maxLength": 2}, {"enum": ["there", "the"]}, {"type": "number"}]}`, yes: []string{`"ab"`, `"there"`, `"the"`, "1.5"}, no: []string{`"then"`}},
	{schema: `{"$defs": {"node": {"type": "object", "properties": {"v": {"type": "integer"}, "next": {"anyOf": [{"$ref": "#/$defs/node"}, {"type": "null"}]}}, "required": ["v", "next"]}}, "$ref": "#/$defs/node"}`,
		yes: []string{`{"v":1,"next":{"v":2,"next":null}}`}, no: []string{`{"v":1}`, `{"v":1,"next":{}}`}},
	{schema: `{"type": "object", "properties": {"kids": {"type": "array", "items": {"$ref": "#"}}}, "required": ["kids"]}`, yes: []string{`{"kids":[]}`, `{"kids":[{"kids":[]}]}`}, no: []string{"{}"}},
	{schema: `{"anyOf": [{"$ref": "#"}, {"const": 1}]}`, yes: []string{"1"}, no: []string{"2"}},
	{schema: `{"type": "array", "items": {"type": "array", "items": {"$ref": "#/$defs/x~1y"}, "minItems": 1}, "$defs": {"x/y": {"type": "object", "properties": {"a": {"$ref": "#/$defs/x~1y"}}, "required": ["a"]}}}`, yes: []string{"[]"}, no: []string{"[[]]", "[[{}]]"}},
	{schema: `true`, yes: []string{`{"a":[1,{"b":null}],"c":"d"}`, "[]", "1"}, no: []string{"]"}, unlimited: true},
	{schema: `{"type": "object"}`, yes: []string{"{}", `{"a":{"b":[1.5,true]}}`}, no: []string{"[]", "1"}, unlimited: true},
}

func TestSchemaTexts(t *testing.T) {
	for _, g := range good {
		s, err := ParseSchema([]byte(g.schema))
		if err != nil {
			t.Errorf("%s: %v", g.schema, err)
			continue
		}
		for _, text := range g.yes {
			if !matches(t, s, text) || !valid(g.schema, text) {
				t.Errorf("%s: not %s", g.schema, text)
			}
		}
		for _, text := range g.no {
			if matches(t, s, text) {
				t.Errorf("%s: also %s", g.schema, text)
			}
		}
	}
}

// TestRandomJSON: what is generated of allowed tokens alone is JSON of the schema; the tokens are those whose bytes
// keep the automaton alive, one by one; and there always are some, or the text may end.
func TestRandomJSON(t *testing.T) {
	thorough.Slow(t)
	for _, g := range good {
		s, err := ParseSchema([]byte(g.schema))
		if err != nil {
			t.Fatal(err)
		}
		ended := 0
		for seed := range uint64(60) {
			random := rand.New(rand.NewPCG(seed, 1))
			text, whole := generate(t, s, random, 400)
			if whole {
				ended++
				if !valid(g.schema, text) {
					t.Fatalf("%s: %s", g.schema, text)
				}
			}
		}
		if ended < 55 && !g.unlimited || ended == 0 {
			t.Errorf("%s: %d of 60 texts have ended", g.schema, ended)
		}
	}
}

func TestSchemaMistakes(t *testing.T) {
	deep := strings.Repeat(`{"items": `, 300) + "true" + strings.Repeat("}", 300)
	for _, c := range []struct{ schema, want string }{
		{`{`, "not JSON"}, {"{\"const\": \"\xff\"}", "UTF-8"}, {`1`, "# is no object"}, {`false`, "no value is allowed"},
		{`{"type": "string", "pattern": "a"}`, `#: the keyword "pattern" is not supported for the type string`},
		{`{"type": "object", "properties": {"a": {"type": "integer", "minimum": 1}}}`, `#/properties/a: the keyword "minimum"`},
		{`{"type": "integer", "maxLength": 1}`, `"maxLength" is not supported for the type integer`},
		{`{"oneOf": []}`, `"oneOf" is not supported here`}, {`{"anyOf": []}`, "want a list of schemas"},
		{`{"anyOf": [true], "type": "string"}`, `"type" is not supported beside anyOf`},
		{`{"$ref": "#", "maxItems": 1}`, `"maxItems" is not supported beside $ref`},
		{`{"$ref": "#/$defs/x"}`, "there is no #/$defs/x"}, {`{"$ref": "other.json"}`, `not to "other.json"`}, {`{"$ref": 1}`, "no text"},
		{`{"$ref": "#"}`, "contains itself always"},
		{`{"type": "object", "properties": {"a": {"$ref": "#"}}, "required": ["a"]}`, "contains itself always"},
		{`{"type": "text"}`, `no type "text"`}, {`{"type": 1}`, "#/type"}, {`{"type": []}`, "#/type"},
		{`{"enum": []}`, "#/enum"}, {`{"enum": [1], "type": "string"}`, "no value of enum"}, {`{"enum": ["a"], "maxLength": 1}`, "beside enum"},
		{`{"type": "array", "minItems": 3, "maxItems": 2}`, "minItems of 3 is more than maxItems of 2"},
		{`{"type": "array", "minItems": -1}`, "whole number"}, {`{"type": "string", "maxLength": 1.5}`, "whole number"}, {`{"type": "string", "maxLength": null}`, "whole number"},
		{`{"type": "string", "type": "null"}`, `"type" twice`}, {`{"properties": 1}`, "#/properties is no object"}, {`{"required": 1}`, "#/required"},
		{`{"type": "object", "required": ["a"], "additionalProperties": false}`, `"a" is required`}, {deep, "more than 200 levels"},
	} {
		if _, err := ParseSchema([]byte(c.schema)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.80s: %v, want %q", c.schema, err, c.want)
		}
	}
	s, _ := ParseSchema([]byte(`{"type": "null"}`))
	m := begin(t, s, vocabulary, piece)
	for _, id := range []int{0, 1 + 'x'} {
		if err := m.Add(id); err == nil {
			t.Errorf("%q was added", pieces[id])
		}
	}
}

func TestCalls(t *testing.T) {
	s, err := ParseCalls([]Call{{Name: "now"}, {"add", []byte(`{"type": "object", "properties": {"a": {"$ref": "#/$defs/n"}}, "required": ["a"], "$defs": {"n": {"type": "integer"}}}`)}})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{`{"name":"now","arguments":{}}`: true, `{"name": "add", "arguments": {"a": 1}}`: true,
		`{"name":"add","arguments":{}}`: false, `{"name":"sub","arguments":{}}`: false, `{"name":"now"}`: false} {
		if got := matches(t, s, text); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
	for _, c := range [][]Call{nil, {{"f", []byte(`{"type": "string"}`)}}, {{"f", []byte(`{"type": "object", "patternProperties": {}}`)}}} {
		if _, err := ParseCalls(c); err == nil {
			t.Errorf("%v has no error", c)
		}
	}
}

// valid checks a text in another way than the automaton.
func valid(schema, text string) bool {
	var root, v any
	if json.Unmarshal([]byte(schema), &root) != nil || json.Unmarshal([]byte(text), &v) != nil || !utf8.ValidString(text) {
		return false
	}
	return is(root, root, v)
}

func is(root, schema, v any) bool {
	s, ok := schema.(map[string]any)
	if !ok {
		return schema == true
	}
	if to, ok := s["$ref"].(string); ok {
		at := root
		for _, name := range strings.Split(to, "/")[1:] {
			at = at.(map[string]any)[strings.ReplaceAll(name, "~1", "/")]
		}
		return to == "#" && root.(map[string]any)["anyOf"] != nil || is(root, at, v) // the one that is itself or another
	}
	if list, ok := s["anyOf"].([]any); ok {
		return slices.ContainsFunc(list, func(one any) bool { return is(root, one, v) })
	}
	same := func(w any) bool { return fmt.Sprintf("%#v", w) == fmt.Sprintf("%#v", v) }
	if list, ok := s["enum"].([]any); ok && !slices.ContainsFunc(list, same) {
		return false
	}
	if c, ok := s["const"]; ok && !same(c) {
		return false
	}
	number := func(name string, otherwise int) int {
		if x, ok := s[name].(float64); ok {
			return int(x)
		}
		return otherwise
	}
	typ := ""
	switch v := v.(type) {
	case nil:
		typ = "null"
	case bool:
		typ = "boolean"
	case float64:
		if typ = "number"; v == float64(int64(v)) && fmt.Sprint(s["type"]) == "integer" {
			typ = "integer"
		}
	case string:
		typ = "string"
		if n := utf8.RuneCountInString(v); n < number("minLength", 0) || n > number("maxLength", 1<<30) {
			return false
		}
	case []any:
		typ = "array"
		if len(v) < number("minItems", 0) || len(v) > number("maxItems", 1<<30) {
			return false
		}
		for _, item := range v {
			if one, ok := s["items"]; ok && !is(root, one, item) {
				return false
			}
		}
	case map[string]any:
		if typ = "object"; !isObject(root, s, v) {
			return false
		}
	}
	want, ok := s["type"].([]any)
	return s["type"] == nil || s["type"] == typ || ok && slices.Contains(want, any(typ))
}

func isObject(root any, s, v map[string]any) bool {
	required, _ := s["required"].([]any)
	for _, name := range required {
		if _, ok := v[name.(string)]; !ok {
			return false
		}
	}
	properties, _ := s["properties"].(map[string]any)
	for name, one := range v {
		p, ok := properties[name]
		if !ok {
			if p, ok = s["additionalProperties"]; !ok {
				p = true
			}
		}
		if !is(root, p, one) {
			return false
		}
	}
	return true
}

// FuzzSchema: any text is a schema or an error, and random texts of a schema are JSON.
func FuzzSchema(f *testing.F) {
	for _, g := range good {
		f.Add([]byte(g.schema), uint64(1))
	}
	f.Fuzz(func(t *testing.T, schema []byte, seed uint64) {
		if len(schema) > 4096 {
			t.Skip()
		}
		s, err := ParseSchema(schema)
		if err != nil {
			return
		}
		text, whole := generate(t, s, rand.New(rand.NewPCG(seed, 2)), 60)
		if whole && !json.Valid([]byte(text)) {
			t.Errorf("%s: %s", schema, text)
		}
	})
}
