package native

import (
	"cmp"
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"sync/atomic"
	"unsafe"

	"github.com/gorocm/gorocm/repl/golang/native/ir"
)

// pastedMethod is a method of the session whose code can be in the place of a call of a method of an interface.
type pastedMethod struct {
	*Proc
	recv types.Type
	name string
	at   token.Pos
}

// pasteable are such methods, those declared last first. params and results are the words that the call has.
func (t goCalls) pasteable(method *types.Func, iface types.Type, params, results []ir.Kind) (list []pastedMethod) {
	under, ok := iface.Underlying().(*types.Interface)
	if !ok || t.p.plain {
		return nil
	}
	add := func(fn *types.Func, p *Proc) {
		if p == nil || fn.Name() != method.Name() {
			return
		}
		x, recv := t.functions().bodyOf(p), fn.Signature().Recv()
		if x == nil || recv == nil ||
			!types.Implements(recv.Type(), under) && !types.Implements(types.NewPointer(recv.Type()), under) {
			return
		}
		want := append(words(recv.Type()), params...)
		if slices.Equal(x.f.Params, want) && slices.Equal(x.f.Results, results) {
			list = append(list, pastedMethod{p, recv.Type(), fn.Name(), fn.Pos()})
		}
	}
	for p, w := range t.batch {
		if len(w.u.Args) == 0 {
			add(w.u.Called, p)
		}
	}
	for fn, p := range t.p.of {
		if t.batch[p] == nil {
			add(fn, p)
		}
	}
	slices.SortFunc(list, func(x, y pastedMethod) int { return cmp.Or(cmp.Compare(y.at, x.at), y.id-x.id) })
	return list[:min(len(list), mostPastedMethods)]
}

// interfaceCall is a call of a method of an interface in work.
type interfaceCall struct {
	goCalls
	*dispatch
	iface, args []*ir.Value
	kinds       []ir.Kind // of the results
	done        *ir.Block // where it goes on, with results
	results     []*ir.Value
	cold        bool // what follows rarely happens
}

// newInterfaceCall begins one. iface and args are values.
func (t goCalls) newInterfaceCall(iface, args []*ir.Value, kinds []ir.Kind) *interfaceCall {
	c := &interfaceCall{goCalls: t, dispatch: newDispatch(), iface: iface, args: args, kinds: kinds}
	*t.keep = append(*t.keep, c.dispatch)
	c.done = t.f.NewBlock()
	c.done.In = t.in
	for _, k := range kinds {
		v := t.f.New(c.done, ir.Phi, k)
		c.done.Values = append(c.done.Values, v)
		c.results = append(c.results, v)
	}
	return c
}

// leave ends a way with results.
func (c *interfaceCall) leave(results []*ir.Value) {
	c.b.Kind, c.b.Succs = ir.Jump, []*ir.Block{c.done}
	c.done.Preds = append(c.done.Preds, c.b)
	for i, r := range results {
		c.results[i].Args = append(c.results[i].Args, r)
	}
}

// way does something for interfaces that begin with the word at an address.
func (c *interfaceCall) way(word *uint64, do func() []*ir.Value) {
	at := address{base: c.f.Int(ir.Ptr, int64(uintptr(unsafe.Pointer(word))))}
	table := c.memory(ir.Load, ir.Uint64, at, 0, nil)
	from, hit, next := c.b, c.f.NewBlock(), c.f.NewBlock()
	hit.In, hit.Cold, next.In, next.Cold = c.in, c.cold, c.in, c.cold
	from.Kind, from.Control = ir.If, c.add(ir.Eq, ir.Bool, c.iface[0], table)
	from.Succs = []*ir.Block{hit, next}
	hit.Preds, next.Preds = []*ir.Block{from}, []*ir.Block{from}
	c.b = hit
	c.leave(do())
	c.b = next
}

// paste adds the code of methods, for values of their types.
func (c *interfaceCall) paste(list []pastedMethod) {
	for i, m := range list {
		w := &c.dispatch.pasted[i]
		w.callee, w.body = m.Proc, c.functions().bodyOf(m.Proc)
		c.way(&w.table, func() []*ir.Value {
			recv := c.iface[1:2]
			if !isPointer(m.recv) { // of a value, or of a pointer, which may be nil
				text := nilReceiverText(m.recv, m.name)
				c.check(ir.NilTest, site{code: leaveReceiver, aux: text}, c.iface[1])
				recv = c.load(address{base: c.iface[1]}, m.recv)
			}
			args := append(recv[:len(recv):len(recv)], c.args...)
			return c.functions().pasted(m.Proc, args, func() []*ir.Value {
				v := c.add(ir.Call, ir.None, args...)
				v.Proc, v.Site = m.id, c.newSite(site{code: leaveCall})
				return resultsOf(c.f, c.b, v, c.kinds)
			})
		})
	}
	if len(list) > 0 {
		c.cold, c.b.Cold = true, true
	}
}

// remembered calls what is remembered, and other for any other interface.
func (c *interfaceCall) remembered(other func() []*ir.Value) []*ir.Value {
	for i := range c.ways {
		w := &c.ways[i]
		c.way(&w.table, func() []*ir.Value {
			v := c.add(ir.Call, ir.None, append([]*ir.Value{c.iface[1]}, c.args...)...)
			v.Proc, v.Imm, v.Cold = ir.AtAddress, int64(uintptr(unsafe.Pointer(&w.entry))), c.cold
			v.Site = c.newSite(site{code: leaveCall})
			return resultsOf(c.f, c.b, v, c.kinds)
		})
	}
	c.leave(other())
	c.b = c.done
	return c.results
}

// paste has the code of a method that is in the place of the call run for values of a type, if there is such code and
// it is the newest.
func (d *dispatch) paste(callee *Proc, fn *types.Func, dynamic reflect.Type, pointer bool, table uint64) bool {
	if isPointer(fn.Signature().Recv().Type()) && !pointer || !pointer && isDirect(dynamic) {
		return false
	}
	for i := range d.pasted {
		if w := &d.pasted[i]; w.callee == callee && w.body == callee.body && w.table == 1 {
			atomic.StoreUint64(&w.table, table)
			return true
		}
	}
	return false
}

// isPointer reports whether a type is one of pointers.
func isPointer(t types.Type) bool {
	_, ok := types.Unalias(t).(*types.Pointer)
	return ok
}
