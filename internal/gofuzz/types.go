package gofuzz

import (
	"fmt"
	"strings"
)

// kind is the shape of a type.
type kind int

const (
	integer kind = iota
	float
	complexes
	text
	boolean
	slice
	array
	mapping
	record
	pointer
	function
	iface
	param // a type parameter
)

// typ is a type of a program. Each type has one typ, so pointers can be compared.
type typ struct {
	name    string // as it is written
	kind    kind
	bits    int // of integers
	signed  bool
	elem    *typ // of slices, arrays, mappings, pointers
	key     *typ
	size    int // of arrays
	fields  []field
	params  []*typ // of functions, of which each has one result
	result  *typ
	base    *typ      // the unnamed type of a declared one
	methods []*callee // of a declared type; those of an interface are in its declaration
	impls   []*typ    // the types of an interface's values
	args    []*typ    // of an instance of a generic type
	generic *typ      // what it is an instance of
	local   bool      // it is declared in a function
	number  bool      // a type parameter that stands for integers only

	plain   bool // fmt prints its values alike everywhere
	equal   bool // its values can be compared with ==, without a panic
	sharing bool // its values share memory with others
}

type field struct {
	name     string
	t        *typ
	embedded bool
	tag      string
}

// callee is a function or method.
type callee struct {
	name    string
	tparams []*typ
	params  []*typ
	results []*typ
	pure    bool // it changes nothing, prints nothing and panics never
	ptr     bool // its receiver is a pointer
	rest    bool // its last parameter takes any number of arguments
}

// intern returns the one typ with the name of t.
func (g *generator) intern(t *typ) *typ {
	if have := g.types[t.name]; have != nil {
		return have
	}
	g.types[t.name] = t
	return t
}

func (g *generator) basics() {
	for _, bits := range []int{8, 16, 32, 64} {
		g.ints = append(g.ints, &typ{name: fmt.Sprintf("int%d", bits), bits: bits, signed: true},
			&typ{name: fmt.Sprintf("uint%d", bits), bits: bits})
	}
	g.int = &typ{name: "int", bits: 64, signed: true}
	g.ints = append(g.ints, g.int, g.int, &typ{name: "uint", bits: 64}, &typ{name: "uintptr", bits: 64})
	g.string = &typ{name: "string", kind: text}
	g.bool = &typ{name: "bool", kind: boolean}
	g.float = &typ{name: "float64", kind: float}
	g.complex = &typ{name: "complex128", kind: complexes}
	complexTypes := []*typ{g.complex, {name: "complex64", kind: complexes}}
	g.pool = append(append(g.pool, g.ints...), g.int, g.string, g.string, g.bool, g.float,
		&typ{name: "float32", kind: float})
	if !g.hot {
		g.pool = append(g.pool, complexTypes...)
	}
	for _, t := range append(g.pool, complexTypes...) {
		t.plain, t.equal = true, true
		g.intern(t)
	}
	g.any = g.intern(&typ{name: "any", kind: iface, equal: true, plain: true, sharing: true,
		impls: []*typ{g.int, g.string, g.bool, g.float}})
	g.pool = append(g.pool, g.any)
	g.error = g.intern(&typ{name: "error", kind: iface, equal: true, plain: true, sharing: true})
}

func (g *generator) sliceOf(e *typ) *typ {
	return g.intern(&typ{name: "[]" + e.name, kind: slice, elem: e, plain: e.plain, sharing: true})
}

func (g *generator) arrayOf(n int, e *typ) *typ {
	return g.intern(&typ{name: fmt.Sprintf("[%d]%s", n, e.name), kind: array, elem: e, size: n, plain: e.plain,
		equal: e.equal, sharing: e.sharing})
}

func (g *generator) mapOf(k, e *typ) *typ {
	return g.intern(&typ{name: "map[" + k.name + "]" + e.name, kind: mapping, key: k, elem: e, plain: e.plain,
		sharing: true})
}

func (g *generator) pointerTo(e *typ) *typ {
	return g.intern(&typ{name: "*" + e.name, kind: pointer, elem: e, equal: true, sharing: true})
}

func (g *generator) funcOf(params []*typ, result *typ) *typ {
	return g.intern(&typ{name: "func(" + names(params) + ") " + result.name, kind: function, params: params,
		result: result, sharing: true})
}

func (g *generator) recordOf(fields []field) *typ {
	t := &typ{kind: record, fields: fields, plain: true, equal: true}
	var s []string
	for _, f := range fields {
		t.plain = t.plain && f.t.plain
		t.equal = t.equal && f.t.equal
		t.sharing = t.sharing || f.t.sharing
		if f.embedded {
			s = append(s, f.t.name+f.tag)
		} else {
			s = append(s, f.name+" "+f.t.name+f.tag)
		}
	}
	t.name = "struct{" + strings.Join(s, "; ") + "}"
	return g.intern(t)
}

// declared is a new type with the shape of another.
func (g *generator) declared(name string, base *typ) *typ {
	t := *base
	t.name, t.base, t.methods = name, base, nil
	return g.intern(&t)
}

// subst replaces type parameters.
func (g *generator) subst(t *typ, with map[*typ]*typ) *typ {
	if r := with[t]; r != nil {
		return r
	}
	if t.generic != nil {
		var args []*typ
		for _, a := range t.args {
			args = append(args, g.subst(a, with))
		}
		return g.instance(t.generic, args)
	}
	if t.base != nil {
		return t
	}
	switch t.kind {
	case slice:
		return g.sliceOf(g.subst(t.elem, with))
	case array:
		return g.arrayOf(t.size, g.subst(t.elem, with))
	case mapping:
		return g.mapOf(g.subst(t.key, with), g.subst(t.elem, with))
	case pointer:
		return g.pointerTo(g.subst(t.elem, with))
	case function:
		return g.funcOf(g.substAll(t.params, with), g.subst(t.result, with))
	case record:
		var fs []field
		for _, f := range t.fields {
			f.t = g.subst(f.t, with)
			fs = append(fs, f)
		}
		return g.recordOf(fs)
	}
	return t
}

func (g *generator) substAll(ts []*typ, with map[*typ]*typ) (r []*typ) {
	for _, t := range ts {
		r = append(r, g.subst(t, with))
	}
	return r
}

// instance is a generic type with arguments in place of its parameters.
func (g *generator) instance(generic *typ, args []*typ) *typ {
	name := generic.name + "[" + names(args) + "]"
	if t := g.types[name]; t != nil {
		return t
	}
	with := map[*typ]*typ{}
	for i, p := range generic.args {
		with[p] = args[i]
	}
	t := g.declared(name, g.subst(generic.base, with))
	t.generic, t.args = generic, args
	for _, m := range generic.methods {
		t.methods = append(t.methods, &callee{name: m.name, params: g.substAll(m.params, with),
			results: g.substAll(m.results, with), ptr: m.ptr, rest: m.rest})
	}
	return t
}

func names(ts []*typ) string {
	var s []string
	for _, t := range ts {
		s = append(s, t.name)
	}
	return strings.Join(s, ", ")
}
