package display

import (
	"fmt"
	"reflect"
	"sync"
)

// registry has the functions that Register was given, the newest last.
var registry struct {
	sync.RWMutex
	shows []reflect.Value
}

// Register says how values of a type are shown that has no methods for it, such as a type of another package: show is a
// function of one argument, of that type or of an interface that it implements, and of one result, which is shown in
// place of the argument. A string is shown as text, anything else as Render shows it:
//
//	display.Register(func(u *url.URL) display.Bundle { return display.Markdown("<" + u.String() + ">") })
//
// Functions for the type itself go before those for interfaces, newer ones before older ones, and all of them before
// the value's own methods. It panics when show is no such function.
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

// registered returns what a registered function shows in place of v, and a note when the function has panicked.
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
