package checkpoint

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/gorocm/gorocm/internal/keep"
)

// A session may lack types of a file, such as those of a module. The file says what their parts are, so that their
// values can be passed over. What refers to them is left out, too.

// form is what a file says of a type: see table.forms.
type form struct {
	kind   string // of package reflect, or a type's name
	names  []string
	parts  []int
	length int
}

// parseForm understands a line of Header.Forms.
func parseForm(text string) (form, error) {
	kind, rest, _ := strings.Cut(text, " ")
	f := form{kind: kind}
	number := func(s string) int {
		n, err := strconv.Atoi(s)
		if err != nil {
			return -1
		}
		return n
	}
	switch kind {
	case "struct":
		for part := range strings.SplitSeq(rest, ", ") {
			if name, index, ok := strings.Cut(part, " "); ok {
				f.names, f.parts = append(f.names, name), append(f.parts, number(index))
			}
		}
	case "array":
		length, of, _ := strings.Cut(rest, " of ")
		f.length, f.parts = number(length), []int{number(of)}
	case "as":
		f.parts = []int{number(rest)}
	case "slice", "ptr":
		f.parts = []int{number(strings.TrimPrefix(rest, "of "))}
	case "map":
		key, value, _ := strings.Cut(strings.TrimPrefix(rest, "of "), " to ")
		f.parts = []int{number(key), number(value)}
	}
	if f.length < 0 || slices.ContainsFunc(f.parts, func(part int) bool { return part < 0 }) {
		return f, errors.New("the checkpoint is damaged: a type is " + text)
	}
	return f, nil
}

// assign finds the types of a file by those of its variables and of values in interfaces. Those that the session lacks
// stay nil.
func (d *decoder) assign() error {
	h := &d.Header
	for _, text := range h.Forms {
		f, err := parseForm(text)
		if err != nil {
			return err
		}
		d.forms = append(d.forms, f)
	}
	for _, f := range d.forms {
		for _, part := range f.parts {
			if part >= len(d.forms) {
				return errors.New("the checkpoint is damaged: a type has parts that are not there")
			}
		}
	}
	d.types.list = make([]reflect.Type, len(h.Forms))
	if len(h.Roots) != len(d.vars)+len(d.boxed) {
		return errors.New("the checkpoint is damaged: variables have no types")
	}
	for i, text := range h.Forms {
		if text == outsideForm {
			d.types.list[i] = outsideType
		}
	}
	for i, root := range h.Roots {
		if root < 0 || root >= len(d.forms) {
			return fmt.Errorf("the checkpoint is damaged: there is no type %d", root)
		}
		var t reflect.Type
		if i >= len(d.vars) {
			t = d.boxed[i-len(d.vars)]
		} else if d.vars[i].IsValid() {
			t = d.vars[i].Type().Elem()
		}
		if t == nil {
			continue
		}
		if !d.is(root, t) && i >= len(d.vars) {
			d.boxed[i-len(d.vars)] = nil
		}
		if d.damaged {
			return errOtherParts
		}
	}
	return nil
}

var errOtherParts = errors.New("the types of the checkpoint have other parts than those of this session")

// nothing is the form of types of which only zero values are kept.
const nothing = "nothing"

// is takes a type for the i-th one of the file, and reports whether they have the same parts. Where those of a compiled
// package differ, since another version of it has written the file, the session lacks the type of the file, and those
// that have it as a part.
func (d *decoder) is(i int, t reflect.Type) bool {
	if known := d.types.list[i]; known != nil {
		d.damaged = d.damaged || known != t && d.within == 0
		return known == t
	}
	d.types.list[i] = t
	if isCompiled(t) {
		d.within++
		defer func() { d.within-- }()
	}
	alike, known := d.parts(i, t)
	if !known {
		if d.damaged = d.damaged || d.within == 0; isCompiled(t) && !slices.Contains(d.Other, t.String()) {
			d.Other = append(d.Other, t.String())
		}
	}
	if !alike {
		d.types.list[i] = nil
	}
	return alike || known && t.Kind() == reflect.Map // which is passed over where it is, not where it is referred to
}

// parts compares the parts of a type with those of the i-th one of the file. known is false when the types themselves
// differ, not only parts of them.
func (d *decoder) parts(i int, t reflect.Type) (alike, known bool) {
	text, f := d.Header.Forms[i], d.forms[i]
	if t == outsideType {
		return text == outsideForm, text == outsideForm
	}
	if t == tensorType || t == deviceType || marshals(t) {
		return text == t.String(), text == t.String()
	}
	if f.kind == nothing {
		d.void[t] = t.Kind() == reflect.Struct
		return d.void[t], d.void[t]
	}
	form := keep.Of(t)
	switch {
	case form != nil && f.kind == "as":
		alike = d.is(f.parts[0], form.As)
		return alike, true
	case form != nil || isHidden(t) || f.kind != t.Kind().String():
		return false, false
	}
	alike = true
	switch t.Kind() {
	case reflect.Struct:
		if len(f.parts) != t.NumField() {
			return false, false
		}
		for n, part := range f.parts {
			if f.names[n] != strings.ToLower(t.Field(n).Name) {
				return false, false
			}
			alike = d.is(part, t.Field(n).Type) && alike
		}
	case reflect.Array:
		if f.length != t.Len() {
			return false, false
		}
		return d.is(f.parts[0], t.Elem()), true
	case reflect.Slice, reflect.Pointer:
		d.is(f.parts[0], t.Elem())
	case reflect.Map:
		alike = d.is(f.parts[0], t.Key())
		alike = d.is(f.parts[1], t.Elem()) && alike
	}
	return alike, true
}

// maxIdle bounds how many parts of values without a byte follow each other.
const maxIdle = 1 << 20

// pass reads a value of the i-th type, and makes nothing of it.
func (d *decoder) pass(i int) {
	if d.idle++; d.left != d.passed {
		d.idle, d.passed = 0, d.left
	}
	if d.depth++; d.depth > maxDepth || d.idle > maxIdle {
		d.fail("a type is its own part, or has too many without a value")
	}
	defer func() { d.depth-- }()
	if d.err != nil {
		return
	}
	switch f := d.forms[i]; f.kind {
	case "bool", "uint", "uint8", "uint16", "uint32", "uint64", "uintptr", "int", "int8", "int16", "int32", "int64":
		d.number() // a signed one has as many bytes
	case "float32", "float64":
		d.float()
	case "complex64", "complex128":
		d.float()
		d.float()
	case "chan", "unsafe.Pointer", nothing:
	case "func":
		if d.Header.Functions && len(d.bytes()) > 0 {
			for range d.count() {
				d.passBoxed()
			}
		}
	case "as":
		d.pass(f.parts[0])
	case "ptr", "slice", "map":
		n := d.number()
		if f.kind != "map" && n > 1 {
			d.number()
		}
		if f.kind == "slice" && n > 0 {
			d.number()
			d.number()
		}
	case "interface":
		d.passBoxed()
	case "array":
		d.passRow(f.parts[0], f.length)
	case "struct":
		for _, part := range f.parts {
			d.pass(part)
		}
	case tensorType.String():
		d.number()
	default: // a string, a device, or a value that writes itself
		d.bytes()
	}
}

func (d *decoder) passBoxed() {
	if n := d.number(); n > uint64(len(d.boxed)) {
		d.fail("there is no type %d for an interface", n)
	} else if n > 0 && d.err == nil {
		d.pass(d.Header.Roots[len(d.vars)+int(n)-1])
	}
}

// passRow reads values of the i-th type one after the other.
func (d *decoder) passRow(i, count int) {
	if d.forms[i].kind == "uint8" {
		if count > int(max(d.left, 0)) {
			d.fail("%d bytes are announced, the file has %d", count, d.left)
			return
		}
		if _, err := io.CopyN(io.Discard, d.in, int64(count)); err != nil {
			d.fail("%v", err)
		}
		d.left -= int64(count)
		return
	}
	for ; count > 0 && d.err == nil; count-- {
		before := d.left
		if d.pass(i); d.left == before {
			return // values of the type take no bytes
		}
	}
}

// lacks notes that what is read holds or refers to a value of a type that the session lacks.
func (d *decoder) lacks() { d.broken[d.at] = true }

// spread finds the variables that lead to values of types that the session lacks.
func (d *decoder) spread() (vars []int) {
	for more := true; more; {
		more = false
		for from, list := range d.refers {
			if !d.broken[from] && slices.ContainsFunc(list, func(to int) bool { return d.broken[to] }) {
				d.broken[from], more = true, true
			}
		}
	}
	for i, o := range d.objects {
		if d.broken[i] && o.number >= 0 {
			vars = append(vars, o.number)
		}
	}
	slices.Sort(vars)
	return vars
}
