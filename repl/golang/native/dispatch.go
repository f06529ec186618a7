package native

import (
	"fmt"
	"go/types"
	"reflect"
	"sync/atomic"
	"unsafe"

	"github.com/gorocm/gorocm/repl/golang/native/ir"
)

// A call of a method of an interface looks at the first word of the interface, which tells the type of the value and
// the methods that it has for this interface. The first few of them that come to a place of the code, and whose method
// is compiled, are remembered there: code compares the word and calls the method's code. Any other call is one of Go
// code. Methods of the session that are short have their code in the place of the call before that (dispatch_paste.go).

// dispatch is what a place has remembered. Generated code reads it: an entry is set before its table, and neither
// changes after that.
type dispatch struct {
	ways [dispatchWays]struct {
		table uint64 // the first word of interfaces; 1 where there is none yet, which no interface begins with
		entry uint64 // the address of where the address of the code is
	}
	used  int
	tried map[reflect.Type]bool
	// pasted are methods whose code is in the place of the call.
	pasted [mostPastedMethods]struct {
		table  uint64
		callee *Proc
		body   *body
	}
}

const dispatchWays, mostPastedMethods = 3, 3

func newDispatch() *dispatch {
	d := &dispatch{tried: map[reflect.Type]bool{}}
	for i := range d.ways {
		d.ways[i].table = 1
	}
	for i := range d.pasted {
		d.pasted[i].table = 1
	}
	return d
}

// remember looks for the compiled method of the value in an interface of a type, which is at an address.
func (p *Program) remember(d *dispatch, packages *Packages, iface reflect.Type, name string, at unsafe.Pointer) {
	v := reflect.NewAt(iface, at).Elem()
	if v.IsNil() {
		return
	}
	dynamic := v.Elem().Type()
	packages.Method(dynamic, name, func(fn *types.Func, pointer bool) {
		if fn == nil {
			return
		}
		callee := p.of[fn]
		if callee != nil && callee.code.Load() != nil && d.paste(callee, fn, dynamic, pointer, *(*uint64)(at)) {
			return
		}
		if d.tried[dynamic] || d.used == dispatchWays {
			return
		}
		d.tried[dynamic] = true
		if callee == nil || callee.code.Load() == nil {
			return
		}
		var entry *uint64
		takesPointer := isPointer(fn.Signature().Recv().Type())
		switch {
		case pointer && takesPointer:
			entry = &callee.entry
		case !takesPointer && atomic.LoadUint64(&callee.byAddress) != 0 && (pointer || !isDirect(dynamic)):
			entry = &callee.byAddress
		default:
			return
		}
		w := &d.ways[d.used]
		atomic.StoreUint64(&w.entry, uint64(uintptr(unsafe.Pointer(entry))))
		atomic.StoreUint64(&w.table, *(*uint64)(at))
		d.used++
	})
}

// isDirect reports whether an interface holds values of a type themselves, not their address.
func isDirect(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Chan, reflect.Func, reflect.UnsafePointer:
		return true
	case reflect.Array:
		return t.Len() == 1 && isDirect(t.Elem())
	case reflect.Struct:
		return t.NumField() == 1 && isDirect(t.Field(0).Type)
	}
	return false
}

// addressForm makes the typed code of a method that takes its receiver as the address of one, as interfaces hold it.
func addressForm(w *work, recv types.Type) *ir.Func {
	f := &ir.Func{Results: w.f.Results}
	b := f.NewBlock()
	class := [2]int{}
	param := func(k ir.Kind) *ir.Value {
		c := 0
		if k.IsFloat() {
			c = 1
		}
		v := b.Add(f, ir.Param, k)
		v.Imm = int64(class[c])
		class[c]++
		f.Params = append(f.Params, k)
		return v
	}
	at := param(ir.Ptr)
	text := nilReceiverText(recv, w.u.Called.Name())
	f.Sites = []ir.Site{{Code: int(leaveCall)}, {Code: int(leaveReceiver), Aux: text}}
	slots := layout(recv)
	var rest, args []*ir.Value
	for _, k := range w.f.Params[len(slots):] {
		rest = append(rest, param(k))
	}
	check := b.Add(f, ir.Check, ir.None, at)
	check.Test, check.Site = ir.NilTest, 1
	for _, s := range slots {
		v := b.Add(f, ir.Load, s.Kind, at)
		v.Imm = s.At
		args = append(args, v)
	}
	args = append(args, rest...)
	p := &pastes{f: f, b: b}
	p.call = func() []*ir.Value {
		call := p.b.Add(f, ir.Call, ir.None, args...)
		call.Proc = w.proc.id
		return resultsOf(f, p.b, call, f.Results)
	}
	var list []*ir.Value
	if w.body != nil && w.body.f != nil {
		list = p.paste(w.body, args, nil)
	} else {
		list = p.call()
	}
	p.b.Kind, p.b.Results = ir.Return, list
	return f
}

// nilReceiverText is the compiler's.
func nilReceiverText(recv types.Type, method string) string {
	n, ok := types.Unalias(recv).(*types.Named)
	if !ok {
		return ""
	}
	return fmt.Sprintf("value method %s.%s.%s called using nil *%[2]s pointer", n.Obj().Pkg().Path(), n.Obj().Name(), method)
}

// resultsOf adds the results of a call, and notes how many there are.
func resultsOf(f *ir.Func, b *ir.Block, call *ir.Value, kinds []ir.Kind) (list []*ir.Value) {
	class := [2]int{}
	for i, k := range kinds {
		c := 0
		if k.IsFloat() {
			c = 1
		}
		r := b.Add(f, ir.Result, k, call)
		r.Imm, r.Size = int64(i), class[c]
		class[c]++
		list = append(list, r)
	}
	call.Results = [2]uint8{uint8(class[0]), uint8(class[1])}
	return list
}
