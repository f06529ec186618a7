package run

import (
	"reflect"
	"slices"
	"sync"
	"unsafe"

	"github.com/gorocm/gorocm/repl/golang/machine"
	"github.com/gorocm/gorocm/repl/golang/native"
)

// A frame holds what earlier calls have left on the stack, too, and that may look like an activation. So the place of
// an activation in the frames of guard and of Defers.try, which the compiler has fixed, is found once: it is where the
// frame has what only this call can have written there, in every trial.

// guardActivation is where a frame of guard has its activation, from the frame's lowest word on.
var guardActivation = sync.OnceValue(func() uintptr {
	return placeIn(guardName, func(seen func(func(*activation) bool)) {
		var first, second machine.Step
		is := func(want machine.Step) func(*activation) bool {
			return func(a *activation) bool {
				return *(*unsafe.Pointer)(unsafe.Pointer(&a.next)) == *(*unsafe.Pointer)(unsafe.Pointer(&want))
			}
		}
		first = func(*machine.Frame) machine.Step {
			seen(is(first))
			return second
		}
		second = func(*machine.Frame) machine.Step {
			seen(is(second))
			return nil
		}
		rt := new(Runtime)
		rt.stops.never = new(reflect.SelectCase)
		rt.guard(first, new(machine.Node), nil)(new(machine.Frame))
	})
})

// tryActivation is the same of Defers.try.
var tryActivation = sync.OnceValue(func() uintptr {
	return placeIn(tryName, func(seen func(func(*activation) bool)) {
		for range 2 {
			d := new(Defers)
			d.try(func() { seen(func(a *activation) bool { return a.defers == d }) })
		}
	})
})

// generatedActivation is the same of calls by generated code.
var generatedActivation = sync.OnceValue(func() uintptr {
	return placeIn(native.ActivationFrame, func(seen func(func(*activation) bool)) {
		for range 2 {
			native.TryActivation(func(is func(*native.Activation) bool) {
				seen(func(a *activation) bool { return is((*native.Activation)(unsafe.Pointer(a))) })
			})
		}
	})
})

// placeIn finds where the frames of a function have their activation. trial makes calls of it, in which it calls seen
// with what recognises the activation of the call.
func placeIn(function string, trial func(seen func(is func(*activation) bool))) uintptr {
	var places []uintptr
	first := true
	trial(func(is func(*activation) bool) {
		var here []uintptr
		var s stackWalk
		s.copy()
		for f := range s.frames {
			if list := expand(f.pc); len(list) == 0 || list[0].Function != function {
				continue
			}
			for at := uintptr(0); at < maxFrame; at += wordSize {
				if a := s.activation(f.low + at); a != nil && is(a) {
					here = append(here, at)
				}
			}
			break
		}
		if first {
			places, first = here, false
		}
		places = slices.DeleteFunc(places, func(at uintptr) bool { return !slices.Contains(here, at) })
	})
	if len(places) == 0 {
		return maxFrame // where there is none
	}
	return places[0]
}

// maxFrame is more than a frame of these functions has.
const maxFrame = 1 << 10
