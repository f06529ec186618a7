package machine

import (
	"reflect"
	"testing"
)

func TestLayout(t *testing.T) {
	if err := Check(); err != nil {
		t.Fatal(err)
	}
}

// TestKnown: a literal is found again in the function that reflect makes of it, and in no other function.
func TestKnown(t *testing.T) {
	l := &literal{}
	find := func(v reflect.Value) *literal {
		h := asHeader(v)
		return known(*word(&h))
	}
	if got := find(l.of(reflect.TypeFor[func(int)]())); got != l {
		t.Errorf("found %p, not %p", got, l)
	}
	other := reflect.MakeFunc(reflect.TypeFor[func()](), func([]reflect.Value) []reflect.Value { return nil })
	for _, v := range []reflect.Value{other, reflect.ValueOf(TestLayout), reflect.ValueOf(t.Name), reflect.Zero(reflect.TypeFor[func()]())} {
		if got := find(v); got != nil {
			t.Errorf("a %s is taken for a literal", v.Type())
		}
	}
}
