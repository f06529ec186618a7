package display

import (
	"fmt"
	"reflect"
	"sync"
)

// registry holds the functions passed to Register, the newest last.
var registry struct {
	sync.RWMutex
	shows []reflect.Value
}

// Register sets how values of a type are displayed, for types without methods for it, such as those of other packages.
// show is a function with one argument, of that type or of an interface that it implements, and one result, which is
// displayed instead of the argument. A string is displayed as text, anything else as by Render:
//
//	display.Register(func(u *url.URL) display.Bundle { return display.Markdown("<" + u.String() + ">") })
//
// Functions for the type itself take precedence over those for interfaces, newer ones over older ones, and all of them
// over the value's own methods. It panics when show is not such a function.
func Register(show any) {
	v := reflect.ValueOf(show)
	if t := v.Kind(); t != reflect.Func || v.IsNil() || v.Type().NumIn() != 1 || v.Type().NumOut() != 1 ||
		v.Type().IsVariadic() {
		panic(fmt.Sprintf("display.Register: want a function of one argument and one result, not %T", show))
	}
	registry.Lock()
	defer registry.Unlock()
	for i, old := range registry.shows {
		if old.Type().In(0) == v.Type().In(0) {
			registry.shows = append(registry.shows[:i:i], registry.shows[i+1:]...)
			break
		}
	}
	registry.shows = append(registry.shows, v)
}

// registered returns the result of a registered function for v, and a note if the function panicked.
func registered(v any) (shown any, note string, ok bool) {
	registry.RLock()
	shows := registry.shows
	registry.RUnlock()
	if len(shows) == 0 || v == nil {
		return nil, "", false
	}
	t := reflect.TypeOf(v)
	var chosen reflect.Value
	for i := len(shows) - 1; i >= 0; i-- {
		in := shows[i].Type().In(0)
		if in == t {
			chosen = shows[i]
			break
		}
		if in.Kind() == reflect.Interface && t.Implements(in) && !chosen.IsValid() {
			chosen = shows[i]
		}
	}
	if !chosen.IsValid() {
		return nil, "", false
	}
	note = guard(v, "of display.Register",
		func() { shown = chosen.Call([]reflect.Value{reflect.ValueOf(v)})[0].Interface() })
	return shown, note, note == ""
}
