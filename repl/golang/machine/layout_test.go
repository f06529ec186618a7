package machine

import (
	"reflect"
	"runtime"
	"testing"
)

func TestLayout(t *testing.T) {
	if err := Check(); err != nil {
		t.Fatal(err)
	}
}

// TestKnown: a literal is found again in the function that is made of it, and in no other function.
func TestKnown(t *testing.T) {
	find := func(v reflect.Value) *literal {
		h := asHeader(v)
		return known(*word(&h))
	}
	// entered directly, and through reflect
	for _, typ := range []reflect.Type{reflect.TypeFor[func(int)](), reflect.TypeFor[func([4]int)]()} {
		l := &literal{d: &function{params: 1, def: &Node{Types: []reflect.Type{typ.In(0)}}}}
		if got := find(l.of(typ)); got != l {
			t.Errorf("found %p in a %s, not %p", got, typ, l)
		}
	}
	other := reflect.MakeFunc(reflect.TypeFor[func()](), func([]reflect.Value) []reflect.Value { return nil })
	for _, v := range []reflect.Value{other, reflect.ValueOf(TestLayout), reflect.ValueOf(t.Name),
		reflect.Zero(reflect.TypeFor[func()]())} {
		if got := find(v); got != nil {
			t.Errorf("a %s is taken for a literal", v.Type())
		}
	}
}

// TestNative: compiled functions can be called, and function literals entered, by words.
func TestNative(t *testing.T) {
	if runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		t.Skip("the compiler passes no arguments in registers here, or others than we know")
	}
	if !nativeWorks {
		t.Error("the compiler passes arguments otherwise")
	}
	if want := 18 * 8; len(trampolines) != want || len(methods) != want {
		t.Errorf("%d of %d patterns of closures are known, %d of methods", len(trampolines), want, len(methods))
	}
}
