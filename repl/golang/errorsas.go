package golang

import (
	"errors"
	"reflect"
)

// errorsIs and errorsAs are errors.Is and errors.As that look into the wrappers in which yaegi passes interpreted errors to
// compiled code (yaegi #1345).

func errorsIs(err, target error) bool {
	if errors.Is(err, target) {
		return true
	}
	want := inside(target)
	found := false
	walk(err, func(e error) bool {
		v := inside(e)
		found = v != nil && want != nil && reflect.TypeOf(v).Comparable() && reflect.TypeOf(want).Comparable() && v == want
		return found
	})
	return found
}

func errorsAs(err error, target any) bool {
	to := reflect.ValueOf(target)
	if to.Kind() != reflect.Pointer || to.IsNil() {
		panic("errors: target must be a non-nil pointer")
	}
	found := false
	walk(err, func(e error) bool {
		if v := reflect.ValueOf(inside(e)); v.IsValid() && v.Type().AssignableTo(to.Type().Elem()) {
			to.Elem().Set(v)
			found = true
		}
		return found
	})
	if found {
		return true
	}
	if e := to.Type().Elem(); e.Kind() != reflect.Interface && !e.Implements(reflect.TypeFor[error]()) {
		return false // an interpreted type, which errors.As would refuse
	}
	return errors.As(err, target)
}

// inside is the interpreted value in yaegi's wrapper of an interface, or the value itself.
func inside(v any) any {
	r := reflect.ValueOf(v)
	if r.Kind() == reflect.Struct && r.NumField() > 1 && r.Type().Field(0).Name == "IValue" && r.Type().Field(0).Type.Kind() == reflect.Interface {
		return r.Field(0).Interface()
	}
	return v
}

// walk calls f for err and the errors that it wraps, until f returns true.
func walk(err error, f func(error) bool) bool {
	if err == nil {
		return false
	}
	if f(err) {
		return true
	}
	switch u := err.(type) {
	case interface{ Unwrap() error }:
		return walk(u.Unwrap(), f)
	case interface{ Unwrap() []error }:
		for _, e := range u.Unwrap() {
			if walk(e, f) {
				return true
			}
		}
	}
	return false
}
