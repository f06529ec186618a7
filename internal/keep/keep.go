// Package keep says how checkpoints of sessions keep values that cannot be read and set field by field: those that hold
// functions, locks or files. Packages of this module register their types here; repl/internal/checkpoint reads the
// register.
package keep

import (
	"fmt"
	"reflect"
)

// Form is how values of a type are kept: as values of another one.
type Form struct {
	As reflect.Type
	// To returns what is kept of the value that p points to, in memory of its own.
	To func(p reflect.Value) (reflect.Value, error)
	// From sets the value that p points to.
	From func(p, kept reflect.Value) error
}

var forms = map[reflect.Type]*Form{}

// As has values of type T kept as values of type S. What to returns must refer only to memory that the value itself
// refers to, so that what is shared stays shared. from must not look at what pointers, slices and maps of an S refer
// to: that may be read later. Only init functions and initialisers of variables call As.
func As[T, S any](to func(*T) (S, error), from func(*T, S) error) bool {
	forms[reflect.TypeFor[T]()] = &Form{
		As: reflect.TypeFor[S](),
		To: func(p reflect.Value) (reflect.Value, error) {
			kept := reflect.New(reflect.TypeFor[S]())
			value, err := to(p.Interface().(*T))
			kept.Elem().Set(reflect.ValueOf(&value).Elem())
			return kept.Elem(), err
		},
		From: func(p, kept reflect.Value) error { return from(p.Interface().(*T), kept.Interface().(S)) },
	}
	return true
}

// Of returns how values of a type are kept, nil for a type that nothing was said of.
func Of(t reflect.Type) *Form { return forms[t] }

var makers = map[string]reflect.Value{}

// Maker registers a function that makes values anew, under a name, for Make. The function must not look at what its
// arguments refer to: that may be read later. Only init functions and initialisers of variables call Maker.
func Maker(name string, maker any) bool {
	makers[name] = reflect.ValueOf(maker)
	return true
}

// Make calls the maker of a name. What the arguments are need not be right: the error says what is wrong with them.
func Make(name string, args []any) (made any, err error) {
	maker, ok := makers[name]
	if !ok {
		return nil, fmt.Errorf("this version of gorocm does not have %s", name)
	}
	defer func() {
		if r := recover(); r != nil {
			made, err = nil, fmt.Errorf("%s: %v", name, r)
		}
	}()
	t := maker.Type()
	if len(args) < t.NumIn() && !(t.IsVariadic() && len(args) == t.NumIn()-1) {
		return nil, fmt.Errorf("%s: %d arguments are too few", name, len(args))
	}
	var in []reflect.Value
	for i, arg := range args {
		want := t.In(min(i, t.NumIn()-1))
		if t.IsVariadic() && i >= t.NumIn()-1 {
			want = want.Elem()
		}
		if arg == nil || !reflect.TypeOf(arg).AssignableTo(want) {
			return nil, fmt.Errorf("%s: argument %d is a %T, not a %v", name, i, arg, want)
		}
		in = append(in, reflect.ValueOf(arg))
	}
	return maker.Call(in)[0].Interface(), nil
}
