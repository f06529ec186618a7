package grammar

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// ParseSchema reads a JSON schema of the common subset: type, also a list of types, properties, required,
// additionalProperties, items, minItems, maxItems, minLength, maxLength, enum, const, anyOf, $ref to # and to $defs or
// definitions. Titles and the like mean nothing. The error names any other keyword and where it is, and says when no
// finite text is JSON of the schema.
//
// The text has the properties of an object in the order of the schema, and no white space but a space or the begin of
// a line after what JSON separates parts by. So not every text of a schema can come, but each that comes is one.
func ParseSchema(schema []byte) (*Grammar, error) {
	r := &reader{any: -1, char: -1}
	root, err := r.document(schema, "#")
	if err != nil {
		return nil, err
	}
	return r.finish(root)
}

// Call is a function that a model may call: its name, and the schema of its arguments, which are an object.
type Call struct {
	Name      string
	Arguments []byte // empty is any object
}

// ParseCalls returns the grammar of {"name": …, "arguments": {…}} for one of several functions.
func ParseCalls(calls []Call) (*Grammar, error) {
	r := &reader{any: -1, char: -1}
	gap := r.gap()
	var choices []int
	for _, c := range calls {
		schema := c.Arguments
		if len(schema) == 0 {
			schema = []byte(`{"type": "object"}`)
		}
		arguments, err := r.document(schema, c.Name+"#")
		if err != nil {
			return nil, err
		}
		if t := r.typeOf(schema); t != "object" {
			return nil, fmt.Errorf("the arguments of %s are not an object: want \"type\": \"object\"", c.Name)
		}
		choices = append(choices, r.g.all(r.g.text("{"), gap, r.g.text(`"name":`), gap, r.g.text(quoted(c.Name)),
			r.comma(), r.g.text(`"arguments":`), gap, arguments, gap, r.g.text("}")))
	}
	if len(choices) == 0 {
		return nil, fmt.Errorf("there is no function to call")
	}
	return r.finish(r.g.oneOf(choices...))
}

// reader adds a schema to a grammar.
type reader struct {
	g    Grammar
	any  int // the node of any value; -1 before it is asked for
	char int // and of a character of a string
	deep int // levels of the schema

	// of the document that is read
	root []byte
	refs map[string]int // nodes of what $ref has named
}

// deepest is how many levels a schema may have.
const deepest = 200

// finish is the schema of all that was read.
func (r *reader) finish(root int) (*Grammar, error) {
	r.g.root = root
	if r.g.finish(); r.g.nodes[root].dead {
		return nil, fmt.Errorf("no finite text is JSON of the schema: it contains itself always")
	}
	return &r.g, nil
}

// document reads a schema to whose root references are.
func (r *reader) document(schema []byte, path string) (int, error) {
	if !json.Valid(schema) || !utf8.Valid(schema) {
		return 0, fmt.Errorf("the schema %s is not JSON in UTF-8", path)
	}
	r.root, r.refs = schema, map[string]int{}
	return r.ref("#", path)
}

// typeOf is the type of an object's schema, if it is one.
func (r *reader) typeOf(schema []byte) string {
	var s struct{ Type string }
	json.Unmarshal(schema, &s)
	return s.Type
}

// member is a keyword or a property with its schema, in the order of the text.
type member struct {
	name  string
	value json.RawMessage
}

// members reads an object.
func members(raw []byte, path string) (all []member, err error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, fmt.Errorf("%s is no object", path)
	}
	names := map[string]bool{}
	for d.More() {
		t, err := d.Token()
		name, ok := t.(string)
		if err != nil || !ok {
			return nil, fmt.Errorf("%s is not JSON", path)
		}
		m := member{name: name}
		if err := d.Decode(&m.value); err != nil {
			return nil, fmt.Errorf("%s/%s: %w", path, name, err)
		}
		if names[name] {
			return nil, fmt.Errorf("%s has %q twice", path, name)
		}
		names[name] = true
		all = append(all, m)
	}
	return all, nil
}

// keywords are the members of a schema.
type keywords struct {
	path string
	all  []member
}

func (k *keywords) get(name string) json.RawMessage {
	for _, m := range k.all {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

// about are keywords that do not change what is JSON of a schema, and those by which others find schemas.
var about = []string{"title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly", "$comment",
	"$schema", "$id", "$defs", "definitions"}

// only is an error unless the schema has these keywords alone.
func (k *keywords) only(beside string, known ...string) error {
	for _, m := range k.all {
		if !slices.Contains(known, m.name) && !slices.Contains(about, m.name) {
			return fmt.Errorf("%s: the keyword %q is not supported %s", k.path, m.name, beside)
		}
	}
	return nil
}

// schema adds the node of a schema.
func (r *reader) schema(raw json.RawMessage, path string) (int, error) {
	if r.deep++; r.deep > deepest {
		return 0, fmt.Errorf("%s: the schema has more than %d levels", path, deepest)
	}
	defer func() { r.deep-- }()
	switch strings.TrimSpace(string(raw)) {
	case "true":
		return r.anything(), nil
	case "false":
		return 0, fmt.Errorf("%s is false: no value is allowed there", path)
	}
	all, err := members(raw, path)
	if err != nil {
		return 0, err
	}
	k := &keywords{path, all}
	switch {
	case k.get("$ref") != nil:
		var to string
		if json.Unmarshal(k.get("$ref"), &to) != nil {
			return 0, fmt.Errorf("%s/$ref is no text", path)
		}
		if err := k.only("beside $ref", "$ref"); err != nil {
			return 0, err
		}
		return r.ref(to, path)
	case k.get("anyOf") != nil:
		if err := k.only("beside anyOf", "anyOf"); err != nil {
			return 0, err
		}
		return r.anyOf(k)
	case k.get("enum") != nil:
		return r.constants(k, "enum")
	case k.get("const") != nil:
		return r.constants(k, "const")
	}
	return r.typed(k)
}

// ref returns the node of a schema that is named from the root: #, #/$defs/Name, or #/definitions/Name.
func (r *reader) ref(to, path string) (int, error) {
	if i, ok := r.refs[to]; ok {
		return i, nil
	}
	raw, where := json.RawMessage(r.root), to
	if to == "#" {
		where = path
	} else {
		parts := strings.Split(to, "/")
		if len(parts) != 3 || parts[0] != "#" || parts[1] != "$defs" && parts[1] != "definitions" {
			return 0, fmt.Errorf("%s: want a $ref to #, #/$defs/… or #/definitions/…, not to %q", path, to)
		}
		parts[2] = strings.ReplaceAll(strings.ReplaceAll(parts[2], "~1", "/"), "~0", "~")
		for _, name := range parts[1:] {
			all, err := members(raw, where)
			if err != nil {
				return 0, err
			}
			if raw = (&keywords{all: all}).get(name); raw == nil {
				return 0, fmt.Errorf("%s: there is no %s", path, to)
			}
		}
	}
	at := r.g.oneOf()
	r.refs[to] = at
	target, err := r.schema(raw, where)
	if err != nil {
		return 0, err
	}
	r.g.nodes[at].parts = []int{target}
	return at, nil
}

func (r *reader) anyOf(k *keywords) (int, error) {
	var list []json.RawMessage
	if json.Unmarshal(k.get("anyOf"), &list) != nil || len(list) == 0 {
		return 0, fmt.Errorf("%s/anyOf: want a list of schemas", k.path)
	}
	var parts []int
	for i, raw := range list {
		part, err := r.schema(raw, fmt.Sprintf("%s/anyOf/%d", k.path, i))
		if err != nil {
			return 0, err
		}
		parts = append(parts, part)
	}
	return r.g.oneOf(parts...), nil
}

// constants reads enum, or const: their values as the schema writes them, without white space.
func (r *reader) constants(k *keywords, name string) (int, error) {
	if err := k.only("beside "+name, name, "type"); err != nil {
		return 0, err
	}
	values := []json.RawMessage{k.get(name)}
	if name == "enum" && (json.Unmarshal(values[0], &values) != nil || len(values) == 0) {
		return 0, fmt.Errorf("%s/enum: want a list of values", k.path)
	}
	types, err := k.types()
	if err != nil {
		return 0, err
	}
	var parts []int
	for _, v := range values {
		if len(types) > 0 && !slices.ContainsFunc(types, func(t string) bool { return isOf(v, t) }) {
			continue
		}
		var text bytes.Buffer
		if err := json.Compact(&text, v); err != nil {
			return 0, fmt.Errorf("%s/%s: %w", k.path, name, err)
		}
		parts = append(parts, r.g.text(text.String()))
	}
	if len(parts) == 0 {
		return 0, fmt.Errorf("%s: no value of %s has the type %v", k.path, name, types)
	}
	return r.g.oneOf(parts...), nil
}
