package keep

import (
	"sync"
	"unsafe"
	"weak"
)

// Call is how a function value was made: by the maker of a name, of these arguments.
type Call struct {
	Maker string
	Args  []any
}

// calls are those of function values that are alive, by the addresses of their closures.
var calls struct {
	sync.Mutex
	of   map[uintptr]call
	tidy int // how many there may be before those of collected functions are dropped
}

type call struct {
	Call
	function weak.Pointer[byte]
}

// Func returns f, of which it notes how it was made. f must be a function literal that uses variables around it: others
// have no memory of their own.
func Func[F any](f F, maker string, args ...any) F {
	at := *(*unsafe.Pointer)(unsafe.Pointer(&f))
	calls.Lock()
	defer calls.Unlock()
	if len(calls.of) >= calls.tidy {
		for p, c := range calls.of {
			if c.function.Value() == nil {
				delete(calls.of, p)
			}
		}
		calls.tidy = 2*len(calls.of) + 64
	}
	if calls.of == nil {
		calls.of = map[uintptr]call{}
	}
	calls.of[uintptr(at)] = call{Call{maker, args}, weak.Make((*byte)(at))}
	return f
}

// CallOf returns how the function value at an address was made, nil if nothing was noted.
func CallOf(function unsafe.Pointer) *Call {
	at := *(*unsafe.Pointer)(function)
	calls.Lock()
	defer calls.Unlock()
	if c, ok := calls.of[uintptr(at)]; ok && c.function.Value() == (*byte)(at) {
		return &c.Call
	}
	return nil
}
