package run

import (
	"go/token"
	"reflect"
	"unsafe"

	"github.com/gorocm/gorocm/repl/golang/machine"
	"github.com/traefik/yaegi/interp"
)

// selectWait is what a select statement waits for.
func selectWait(in *interp.Interpreter, at token.Pos, cases []reflect.SelectCase) *machine.Wait {
	w := &machine.Wait{What: "select", At: at, Interpreter: unsafe.Pointer(in)}
	if len(cases) == 0 {
		w.What = "select (no cases)"
	}
	for _, c := range cases {
		w.Timed = w.Timed || machine.IsTimer(c.Chan)
	}
	return w
}

// selects is the select statement of cells: for each case whether it sends, the channel, and the value. It returns the
// number of the case that it chose, -1 for default, and what that received. at is where the statement stands.
func (rt *Runtime) selects(at int, hasDefault bool, args ...any) (chosen int, value any, ok bool) {
	cases := make([]reflect.SelectCase, 0, len(args)/3+1)
	for i := 0; i < len(args); i += 3 {
		c := reflect.SelectCase{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(args[i+1])}
		if args[i].(bool) {
			c.Dir, c.Send = reflect.SelectSend, reflect.New(c.Chan.Type().Elem()).Elem()
			if args[i+2] != nil {
				c.Send.Set(reflect.ValueOf(args[i+2]))
			}
			if c.Chan.IsNil() { // a nil channel is never ready; reflect wants to know what would be sent
				c.Send = reflect.Zero(c.Chan.Type().Elem())
			}
		}
		cases = append(cases, c)
	}
	n := len(cases)
	g, _ := goroutine()
	if hasDefault {
		cases = append(cases, reflect.SelectCase{Dir: reflect.SelectDefault})
	} else {
		p := machine.BeginWait(selectWait(rt.interp, token.Pos(at), cases))
		defer machine.EndWait(p)
		cases = append(cases, *rt.stops.channel(g))
	}
	i, v, ok := reflect.Select(cases)
	switch {
	case i < n:
		if v.IsValid() {
			value = v.Interface()
		}
		return i, value, ok
	case hasDefault:
		return -1, nil, false
	}
	rt.stops.woken(g)
	panic(interrupted{})
}
