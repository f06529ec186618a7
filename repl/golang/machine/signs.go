package machine

import (
	"math"
	"reflect"
	"sync"
	"sync/atomic"
)

// yaegi leaves an argument out that package reflect takes for zero: a negative zero becomes a positive one. So what
// calls a declared function in yaegi's way notes such arguments, and the function's frame gets them when it begins.

// noted are arguments on their way to a function.
type noted struct {
	def    *Node
	values map[int]reflect.Value // by their places in the frame
}

var (
	signs    sync.Map     // of goroutines to noted
	anySigns atomic.Int32 // how many there are
)

// noteSigns has a call that yaegi makes note its negative zeros.
func (g *guards) noteSigns(n *Node) {
	f := n.Child[0]
	if f.Kind != kinds.identExpr || f.Sym == nil || f.Sym.Index >= 0 || f.Sym.Node == nil {
		return
	}
	d, ok := f.Sym.Node.meta.(*function)
	if !ok || d.params < 0 {
		return
	}
	fixed := d.params
	if d.variadic {
		fixed--
	}
	reads := map[int]func(*Frame) reflect.Value{}
	for i := range min(fixed, len(n.Child)-1) {
		if at := d.results + i; hasFloats(d.def.Types[at]) {
			if read := valueRead(n.Child[i+1]); read != nil {
				reads[at] = read
			}
		}
	}
	if len(reads) == 0 {
		return
	}
	generate := n.Gen
	n.Gen = func(n *Node) {
		generate(n)
		exec := n.Exec
		n.Exec = func(f *Frame) Step {
			for _, read := range reads {
				if isNegativeZero(read(f)) {
					return noteSigns(d.def, f, reads, exec)
				}
			}
			return exec(f)
		}
	}
}

// noteSigns runs a call, some of whose arguments are negative zeros.
func noteSigns(def *Node, f *Frame, reads map[int]func(*Frame) reflect.Value, exec Step) Step {
	values := map[int]reflect.Value{}
	for at, read := range reads {
		if v := read(f); isNegativeZero(v) {
			c := reflect.New(v.Type()).Elem()
			c.Set(v)
			values[at] = c
		}
	}
	g := Goroutine()
	signs.Store(g, noted{def, values})
	anySigns.Add(1)
	defer anySigns.Add(-1)
	defer signs.Delete(g)
	return exec(f)
}

// RestoreSigns gives the frame of a function that begins the negative zeros among its arguments.
func RestoreSigns(def *Node, f *Frame) {
	if anySigns.Load() == 0 {
		return
	}
	n, ok := signs.Load(Goroutine())
	if !ok || n.(noted).def != def {
		return
	}
	signs.Delete(Goroutine())
	for at, v := range n.(noted).values {
		f.Data[at].Set(v)
	}
}

// hasFloats reports whether a value of the type may hold a float, but for what it refers to.
func hasFloats(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128:
		return true
	case reflect.Array:
		return hasFloats(t.Elem())
	case reflect.Struct:
		for f := range t.Fields() {
			if hasFloats(f.Type) {
				return true
			}
		}
	}
	return false
}

// isNegativeZero reports whether package reflect takes a value for zero that holds a negative zero.
func isNegativeZero(v reflect.Value) bool { return v.IsValid() && v.IsZero() && holdsSign(v) }

func holdsSign(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Float32, reflect.Float64:
		return math.Signbit(v.Float())
	case reflect.Complex64, reflect.Complex128:
		return math.Signbit(real(v.Complex())) || math.Signbit(imag(v.Complex()))
	case reflect.Array:
		for i := range v.Len() {
			if holdsSign(v.Index(i)) {
				return true
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if holdsSign(v.Field(i)) {
				return true
			}
		}
	}
	return false
}
