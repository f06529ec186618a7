package rtype_test

import (
	"fmt"
	"go/types"
	"reflect"
	"testing"

	"github.com/gorocm/gorocm/repl/golang/rtype"
)

// BenchmarkCall calls String through an interface: one reflect.MakeFunc and one reflect call more than compiled code
// has.
func BenchmarkCall(b *testing.B) {
	s := start(b, `type T struct { s string }; func (t T) String() string { return t.s }`, nil)
	typ := s.typ("T")
	fn := reflect.MakeFunc(reflect.FuncOf([]reflect.Type{s.Inner(typ)}, []reflect.Type{reflect.TypeFor[string]()},
		false),
		func(a []reflect.Value) []reflect.Value { return []reflect.Value{a[0].Field(0)} })
	w := rtype.New(rtype.Config{Compiled: s.compiled, Method: func(*types.Func) reflect.Value { return fn }})
	v := rtype.Retype(reflect.New(s.Inner(typ)).Elem(), w.Outer(typ)).Interface().(fmt.Stringer)
	for b.Loop() {
		_ = v.String()
	}
}

// BenchmarkOuter asks for a type that is known.
func BenchmarkOuter(b *testing.B) {
	s := start(b, `type T struct { s string; m map[string]*T }`, nil)
	typ := s.typ("map[string][]*T")
	for b.Loop() {
		s.Outer(typ)
	}
}

// BenchmarkBuild builds a type with two methods in both forms.
func BenchmarkBuild(b *testing.B) {
	s := start(b, `type T struct { s string; m map[string]*T }; func (t T) String() string { return t.s }; func (t *T) Set(s string) {}`, nil)
	for range min(b.N, 1000) { // each takes stubs for ever
		w := rtype.New(rtype.Config{Compiled: s.compiled})
		w.Outer(s.typ("T"))
		w.Inner(s.typ("T"))
	}
}
