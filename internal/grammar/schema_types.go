package grammar

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// typeKeywords are those that say something of values of a type.
var typeKeywords = map[string][]string{
	"object": {"properties", "required", "additionalProperties"}, "array": {"items", "minItems", "maxItems"},
	"string": {"minLength", "maxLength"}, "integer": nil, "number": nil, "boolean": nil, "null": nil,
}

// types are those that a schema names, none where it does not.
func (k *keywords) types() (all []string, err error) {
	raw := k.get("type")
	if raw == nil {
		return nil, nil
	}
	var one string
	if json.Unmarshal(raw, &one) == nil && string(raw) != "null" {
		all = []string{one}
	} else if json.Unmarshal(raw, &all) != nil || len(all) == 0 {
		return nil, fmt.Errorf("%s/type: want a text, or a list of texts", k.path)
	}
	for _, t := range all {
		if _, ok := typeKeywords[t]; !ok {
			return nil, fmt.Errorf("%s: there is no type %q", k.path, t)
		}
	}
	return all, nil
}

// isOf reports whether a value has a type.
func isOf(v json.RawMessage, t string) bool {
	switch text := string(bytes.TrimSpace(v)); text[0] {
	case '{':
		return t == "object"
	case '[':
		return t == "array"
	case '"':
		return t == "string"
	case 't', 'f':
		return t == "boolean"
	case 'n':
		return t == "null"
	default:
		return t == "number" || t == "integer" && !strings.ContainsAny(text, ".eE")
	}
}

// typed reads a schema by its types. Without any, the type is that of which its keywords speak.
func (r *reader) typed(k *keywords) (int, error) {
	types, err := k.types()
	if err != nil {
		return 0, err
	}
	if len(types) == 0 {
		for _, t := range []string{"object", "array", "string"} {
			if slices.ContainsFunc(typeKeywords[t], func(name string) bool { return k.get(name) != nil }) {
				types = append(types, t)
			}
		}
	}
	known := []string{"type"}
	for _, t := range types {
		known = append(known, typeKeywords[t]...)
	}
	beside := "here"
	if len(types) > 0 {
		beside = "for the type " + strings.Join(types, ", ")
	}
	if err := k.only(beside, known...); err != nil {
		return 0, err
	}
	if len(types) == 0 {
		return r.anything(), nil
	}
	var parts []int
	for _, t := range types {
		part, err := r.ofType(k, t)
		if err != nil {
			return 0, err
		}
		parts = append(parts, part)
	}
	return r.g.oneOf(parts...), nil
}

func (r *reader) ofType(k *keywords, t string) (int, error) {
	switch t {
	case "object":
		return r.object(k)
	case "array":
		return r.array(k)
	case "string":
		low, high, err := k.bounds("minLength", "maxLength")
		return r.text(low, high), err
	case "integer":
		return r.integer(), nil
	case "number":
		return r.number(), nil
	case "boolean":
		return r.g.oneOf(r.g.text("true"), r.g.text("false")), nil
	}
	return r.g.text("null"), nil
}

// bounds reads two numbers.
func (k *keywords) bounds(least, most string) (low, high int, err error) {
	low, high = 0, unbounded
	for name, to := range map[string]*int{least: &low, most: &high} {
		raw := k.get(name)
		if raw == nil {
			continue
		}
		if json.Unmarshal(raw, to) != nil || string(raw) == "null" || *to < 0 || *to > mostTimes {
			return 0, 0, fmt.Errorf("%s/%s: want a whole number from 0 to %d, not %s", k.path, name, mostTimes, raw)
		}
	}
	if low > high {
		return 0, 0, fmt.Errorf("%s: %s of %d is more than %s of %d", k.path, least, low, most, high)
	}
	return low, high, nil
}

// gap is white space between parts: none, a space, or the begin of a line with at most 16 spaces.
func (r *reader) gap() int {
	space := r.g.text(" ")
	return r.g.maybe(r.g.oneOf(space, r.g.all(r.g.text("\n"), r.g.times(0, 16, space))))
}

func (r *reader) comma() int { return r.g.all(r.g.text(","), r.gap()) }

func (r *reader) text(low, high int) int {
	quote := r.g.text(`"`)
	return r.g.all(quote, r.g.times(low, high, r.character()), quote)
}

var (
	plain    = newClass(true, span{0, ' ' - 1}, span{'"', '"'}, span{'\\', '\\'})
	escaped  = chars(`"/\bfnrt`)
	digit    = newClass(false, span{'0', '9'})
	nonzero  = newClass(false, span{'1', '9'})
	octal    = newClass(false, span{'0', '7'})
	hexDigit = newClass(false, span{'0', '9'}, span{'a', 'f'}, span{'A', 'F'})
	notD     = newClass(false, span{'0', '9'}, span{'a', 'c'}, span{'e', 'f'}, span{'A', 'C'}, span{'E', 'F'})
)

// character is one of a string, escaped or not. Escapes are no surrogates.
func (r *reader) character() int {
	if r.char < 0 {
		hex := r.g.of(hexDigit)
		code := r.g.oneOf(r.g.all(r.g.of(notD), hex), r.g.all(r.g.of(chars("dD")), r.g.of(octal)))
		escape := r.g.oneOf(r.g.of(escaped), r.g.all(r.g.text("u"), code, hex, hex))
		r.char = r.g.oneOf(r.g.of(plain), r.g.all(r.g.text(`\`), escape))
	}
	return r.char
}

func (r *reader) digits(low, high int) int { return r.g.times(low, high, r.g.of(digit)) }

// integer is a whole number of at most 18 digits, which is within 64 bits.
func (r *reader) integer() int {
	return r.g.all(r.g.maybe(r.g.text("-")), r.g.oneOf(r.g.text("0"), r.g.all(r.g.of(nonzero), r.digits(0, 17))))
}

// number is a number that is finite in 64 bits: the exponent has at most two digits.
func (r *reader) number() int {
	sign := r.g.maybe(r.g.of(chars("+-")))
	exponent := r.g.all(r.g.of(chars("eE")), sign, r.digits(1, 2))
	return r.g.all(r.integer(), r.g.maybe(r.g.all(r.g.text("."), r.digits(1, 17))), r.g.maybe(exponent))
}

// anything is any value.
func (r *reader) anything() int {
	if r.any < 0 {
		r.any = r.g.oneOf()
		parts := []int{r.mapping(r.any), r.items(0, unbounded, r.any), r.text(0, unbounded), r.number(),
			r.g.text("true"), r.g.text("false"), r.g.text("null")}
		r.g.nodes[r.any].parts = parts
	}
	return r.any
}

// mapping is an object with any keys.
func (r *reader) mapping(value int) int {
	one := r.g.all(r.text(0, unbounded), r.g.text(":"), r.gap(), value)
	return r.braces(r.g.list(0, unbounded, one, r.comma()))
}

func (r *reader) braces(inside int) int {
	gap := r.gap()
	return r.g.all(r.g.text("{"), gap, inside, gap, r.g.text("}"))
}

func (r *reader) items(low, high, item int) int {
	gap := r.gap()
	return r.g.all(r.g.text("["), gap, r.g.list(low, high, item, r.comma()), gap, r.g.text("]"))
}

func (r *reader) array(k *keywords) (int, error) {
	low, high, err := k.bounds("minItems", "maxItems")
	if err != nil {
		return 0, err
	}
	item := 0
	if raw := k.get("items"); raw != nil {
		item, err = r.schema(raw, k.path+"/items")
	} else {
		item = r.anything()
	}
	return r.items(low, high, item), err
}

// object reads the schema of an object. One that names properties has no others: further ones may be left out.
func (r *reader) object(k *keywords) (int, error) {
	var properties []member
	var names []string
	var err error
	if raw := k.get("properties"); raw != nil {
		if properties, err = members(raw, k.path+"/properties"); err != nil {
			return 0, err
		}
	}
	if raw := k.get("required"); raw != nil && json.Unmarshal(raw, &names) != nil {
		return 0, fmt.Errorf("%s/required: want a list of texts", k.path)
	}
	more, others := k.get("additionalProperties"), -1
	if s := strings.TrimSpace(string(more)); s != "false" {
		if more == nil {
			more = json.RawMessage("true")
		}
		if others, err = r.schema(more, k.path+"/additionalProperties"); err != nil {
			return 0, err
		}
	}
	if len(properties) == 0 && len(names) == 0 {
		if others < 0 {
			return r.braces(r.g.all()), nil
		}
		return r.mapping(others), nil
	}
	values := make([]int, len(properties))
	for i, p := range properties {
		if values[i], err = r.schema(p.value, k.path+"/properties/"+p.name); err != nil {
			return 0, err
		}
	}
	known, required := map[string]bool{}, map[string]bool{}
	for _, p := range properties {
		known[p.name] = true
	}
	for _, name := range names {
		if required[name] = true; known[name] {
			continue
		}
		if others < 0 {
			return 0, fmt.Errorf("%s: %q is required, but no property, and there are no additional ones", k.path, name)
		}
		known[name] = true
		properties, values = append(properties, member{name: name}), append(values, others)
	}
	return r.braces(r.properties(properties, values, required)), nil
}

// properties are those of an object in their order, of which some can be left out.
func (r *reader) properties(list []member, values []int, required map[string]bool) int {
	gap, comma := r.gap(), r.comma()
	first := r.g.all() // the rest of the object where no property was before
	after := first     // and where there was one
	for i, p := range slices.Backward(list) {
		one := r.g.all(r.g.text(quoted(p.name)+":"), gap, values[i])
		begins, follows := r.g.all(one, after), r.g.all(comma, one, after)
		if required[p.name] {
			first, after = begins, follows
		} else {
			first, after = r.g.oneOf(begins, first), r.g.oneOf(follows, after)
		}
	}
	return first
}

// quoted is a text as JSON.
func quoted(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.Encode(s)
	return strings.TrimSuffix(b.String(), "\n")
}
