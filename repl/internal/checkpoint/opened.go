package checkpoint

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"reflect"
	"sync/atomic"
	"time"
)

// openedTypes are structs of other packages that are kept with the fields that they do not export, as those of the
// packages of opened are.
var openedTypes = openedOf(
	errors.New(""), errors.Join(errors.New("")), fmt.Errorf("%w", errors.New("")), fmt.Errorf("%w%w", nil, nil),
	&json.SyntaxError{}, &url.Userinfo{}, &time.Location{},
	&atomic.Bool{}, &atomic.Int32{}, &atomic.Int64{}, &atomic.Uint32{}, &atomic.Uint64{}, &atomic.Uintptr{},
	&atomic.Value{},
)

// openedOf are the types of what pointers point to, and those of its fields.
func openedOf(pointers ...any) map[reflect.Type]bool {
	types := map[reflect.Type]bool{}
	var add func(t reflect.Type)
	add = func(t reflect.Type) {
		switch t.Kind() {
		case reflect.Pointer, reflect.Slice:
			add(t.Elem())
		case reflect.Struct:
			if types[t] {
				return
			}
			types[t] = true
			for i := range t.NumField() {
				add(t.Field(i).Type)
			}
		}
	}
	for _, p := range pointers {
		add(reflect.TypeOf(p))
	}
	return types
}

// coded are types of values in interfaces that no cell can write, by their names in Header.Boxed.
var coded = codedOf()

func codedOf() map[string]reflect.Type {
	names := map[string]reflect.Type{outsideForm: outsideType}
	for t := range openedTypes {
		if p := reflect.PointerTo(t); p.Implements(reflect.TypeFor[error]()) {
			names["~"+p.String()] = p
		}
	}
	return names
}

// Code is the name in Header.Boxed of a type that no cell need be able to write, "" for other types.
func Code(t reflect.Type) string {
	for name, of := range coded {
		if of == t {
			return name
		}
	}
	return ""
}

// TypeOfCode is the type with such a name, nil where this version of gorocm has none.
func TypeOfCode(name string) reflect.Type { return coded[name] }
