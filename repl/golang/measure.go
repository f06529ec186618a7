package golang

import (
	"reflect"
	"time"

	"github.com/gorocm/gorocm/internal/budget"
	"github.com/gorocm/gorocm/repl/golang/check"
)

// Holding is what a value keeps in memory.
type Holding struct {
	Bytes int64
	// Why says in words why the value must not be kept though Bytes are few, such as that it refers to others; "" when
	// it may.
	Why string
	// Weak returns the value for as long as something else keeps it, and nil afterwards. It may be nil.
	Weak func() any
}

// maxParts bounds how many parts of a value are looked at.
const maxParts = 10_000

// measuring adds up what a value keeps in memory. It follows pointers no further than package fmt does, which has just
// printed them: what lies behind others may be changing, and may be of any size.
type measuring struct {
	holding func(any) (Holding, bool)
	bytes   int64
	parts   int
	why     string // it is too large, or of no known size
	weak    func() any
}

func (e *Engine) measure(v reflect.Value) *measuring {
	m := &measuring{holding: e.opt.Holding}
	m.add(v, true)
	return m
}

// take counts bytes, and stops where they become too many.
func (m *measuring) take(n int64) {
	if m.bytes += n; m.bytes > check.KeptBytes && m.why == "" {
		m.why = "it takes more than " + budget.SizeText(check.KeptBytes)
	}
}

func (m *measuring) unknown(what string) {
	if m.why == "" {
		m.why = "how much memory it refers to cannot be told, through " + what
	}
}

// add adds what lies behind v; its own words are counted where they lie. top says that v is what was shown.
func (m *measuring) add(v reflect.Value, top bool) {
	if m.why != "" {
		return
	}
	if m.parts++; m.parts > maxParts {
		m.unknown("so many parts")
		return
	}
	switch v.Kind() {
	case reflect.String:
		m.take(int64(v.Len()))
	case reflect.Array, reflect.Slice:
		elem := v.Type().Elem()
		if v.Kind() == reflect.Slice {
			m.take(int64(v.Cap()) * int64(elem.Size()))
		}
		for i := 0; refers(elem) && i < v.Len() && m.why == ""; i++ {
			m.add(v.Index(i), false)
		}
	case reflect.Map:
		key, elem := v.Type().Key(), v.Type().Elem()
		m.take(int64(v.Len()) * int64(key.Size()+elem.Size()))
		if !refers(key) && !refers(elem) {
			return
		}
		for it := v.MapRange(); m.why == "" && it.Next(); {
			m.add(it.Key(), false)
			m.add(it.Value(), false)
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			return // its place is the process's
		}
		for i := range v.NumField() {
			m.add(v.Field(i), false)
		}
	case reflect.Interface:
		if !v.IsNil() {
			m.take(int64(v.Elem().Type().Size()))
			m.add(v.Elem(), top)
		}
	case reflect.Pointer:
		m.pointer(v, top)
	case reflect.Func, reflect.Chan, reflect.UnsafePointer:
		if !v.IsNil() {
			m.unknown("a " + v.Kind().String())
		}
	}
}

func (m *measuring) pointer(v reflect.Value, top bool) {
	if v.IsNil() {
		return
	}
	if m.holding != nil {
		// v may be of a field that is not exported
		same := reflect.NewAt(v.Type().Elem(), v.UnsafePointer()).Interface()
		if h, ok := m.holding(same); ok {
			if top {
				m.weak = h.Weak
			}
			if m.why = h.Why; m.why == "" && h.Bytes > check.KeptBytes {
				m.why = "it takes " + budget.SizeText(uint64(h.Bytes))
			}
			m.take(h.Bytes)
			return
		}
	}
	if !top {
		m.unknown("a pointer")
		return
	}
	m.take(int64(v.Type().Elem().Size()))
	m.add(v.Elem(), false)
}

// refers reports whether values of a type refer to others.
func refers(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Array:
		return refers(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if refers(t.Field(i).Type) {
				return true
			}
		}
		return false
	case reflect.String, reflect.Slice, reflect.Map, reflect.Interface, reflect.Pointer, reflect.Func, reflect.Chan,
		reflect.UnsafePointer:
		return true
	}
	return false
}
