package native

import (
	"go/types"
	"reflect"
	"unsafe"

	"github.com/gorocm/gorocm/repl/golang/native/channels"
	"github.com/gorocm/gorocm/repl/golang/native/enter"
	"github.com/gorocm/gorocm/repl/golang/native/ir"
	"github.com/gorocm/gorocm/repl/golang/native/layouts"
	"github.com/gorocm/gorocm/repl/golang/native/quick"
	"golang.org/x/tools/go/ssa"
)

// channelType is what is known of a type of channels.
type channelType struct {
	elem types.Type
	r    reflect.Type
}

func (t goCalls) channelOf(typ types.Type) channelType {
	c, ok := typ.Underlying().(*types.Chan)
	if t.device != nil || t.s.Packages.Channels == nil {
		t.no("it uses a channel")
	}
	r := t.typeOf(typ)
	if !ok || r == nil || r.Kind() != reflect.Chan || sameLayout(c.Elem(), r.Elem()) != nil {
		t.no("it uses a value of type %s", typ)
	}
	t.words(c.Elem())
	return channelType{c.Elem(), r}
}

// waits is for operations at the place in work.
func (t goCalls) waits() channels.Waits {
	c := t.s.Packages.Channels
	return channels.Waits{Session: c, Waiter: c.Waiter(t.place(), t.name())}
}

// receive translates <-c.
func (t goCalls) receive(in *ssa.UnOp) {
	c := t.channelOf(in.X.Type())
	f, at := memoryOf([]types.Type{nil}, []types.Type{c.elem, types.Typ[types.Bool]},
		[]reflect.Type{pointerType, c.r.Elem(), boolType})
	w, elem := t.waits(), enter.TypeOf(c.r.Elem())
	f.do = func(m unsafe.Pointer) {
		*(*bool)(unsafe.Add(m, at[2])) = w.Receive(pointerAt(m, at[0]), unsafe.Add(m, at[1]), &elem)
	}
	f.quick = w.QuickReceive(f.received(at[1], 1), c.r.Elem().Size())
	list := t.callForeign(f, t.value(in.X))
	if !in.CommaOk {
		list = list[:len(list)-1]
	}
	t.values[in] = list
}

// received are the results but the last ones, with their offsets from a place in memory.
func (f *foreign) received(from uintptr, last int) (list []layouts.Slot) {
	for _, w := range f.out[:len(f.out)-last] {
		list = append(list, layouts.Slot{Kind: w.kind, At: int64(w.offset - from)})
	}
	return list
}

// send translates c <- x.
func (t goCalls) send(in *ssa.Send) {
	c := t.channelOf(in.Chan.Type())
	f, at := memoryOf([]types.Type{nil, c.elem}, nil, []reflect.Type{pointerType, c.r.Elem()})
	w, elem := t.waits(), enter.TypeOf(c.r.Elem())
	f.do = func(m unsafe.Pointer) { w.Send(pointerAt(m, at[0]), unsafe.Add(m, at[1]), &elem) }
	t.callForeign(f, append(t.value(in.Chan)[:1:1], t.value(in.X)...))
}

// makeChan translates make of a channel.
func (t goCalls) makeChan(in *ssa.MakeChan) {
	c := t.channelOf(in.Type())
	n := t.one(in.Size)
	if n.Kind != ir.Int64 && n.Kind != ir.Uint64 {
		n = t.add(ir.Convert, ir.Int64, n)
	}
	f, at := memoryOf([]types.Type{types.Typ[types.Int]}, []types.Type{nil},
		[]reflect.Type{reflect.TypeFor[int](), pointerType})
	make := t.s.Packages.Channels.Make(c.r)
	f.do = func(m unsafe.Pointer) { *(*unsafe.Pointer)(unsafe.Add(m, at[1])) = make(*(*int)(unsafe.Add(m, at[0]))) }
	t.values[in] = t.callForeign(f, []*ir.Value{n})
}

// closeChan translates close.
func (t goCalls) closeChan(in *ssa.Call) {
	t.channelOf(in.Call.Args[0].Type())
	f, at := memoryOf([]types.Type{nil}, nil, []reflect.Type{pointerType})
	f.do = func(m unsafe.Pointer) { enter.Close(pointerAt(m, at[0])) }
	t.callForeign(f, t.value(in.Call.Args[0]))
	t.values[in] = nil
}

// lenChan translates len and cap of a channel.
func (t goCalls) lenChan(in *ssa.Call, name string) {
	t.channelOf(in.Call.Args[0].Type())
	of := enter.ChannelLen
	if name == "cap" {
		of = enter.ChannelCap
	}
	t.values[in] = t.leave(site{code: leaveQuick, aux: quick.Func(func(c *enter.Context) bool {
		return c.SetInt(0, of(c.Address(0)))
	})}, []ir.Kind{ir.Int64}, t.one(in.Call.Args[0]))
}

// selects translates a select statement. Its result is the number of the case, -1 for the default, whether it has
// received, and what each case that receives has received. In memory these values come first.
func (t goCalls) selects(in *ssa.Select) {
	if t.device != nil || t.s.Packages.Channels == nil {
		t.no("it uses a channel")
	}
	var params, results []types.Type
	var have, received []reflect.Type
	var args []*ir.Value
	s := &channels.Select{Blocking: in.Blocking, Waits: t.waits()}
	for _, state := range in.States {
		c := t.channelOf(state.Chan.Type())
		args = append(args, t.one(state.Chan))
		params, have = append(params, nil), append(have, pointerType)
		k := channels.Case{Sends: state.Dir == types.SendOnly, Elem: enter.TypeOf(c.r.Elem())}
		if s.Add(k); k.Sends {
			args = append(args, t.value(state.Send)...)
			params, have = append(params, c.elem), append(have, c.r.Elem())
			continue
		}
		results, received = append(results, c.elem), append(received, c.r.Elem())
	}
	f, at := memoryOf(params, append(results, types.Typ[types.Int], types.Typ[types.Bool]),
		append(append(have, received...), reflect.TypeFor[int](), boolType))
	param, result := 0, len(params)
	for i := range s.Cases {
		k := &s.Cases[i]
		k.At = at[param]
		if param++; k.Sends {
			k.ValueAt = at[param]
			param++
			continue
		}
		k.ValueAt = at[result]
		result++
	}
	from := at[len(params)]
	s.IndexAt, s.OKAt = at[len(at)-2], at[len(at)-1]
	f.do, f.quick = s.Do, s.Quick(f.received(from, 2), from, f.memory.Size()-from)
	list := t.callForeign(f, args)
	n := len(list) - 2
	t.values[in] = append(list[n:len(list):len(list)], list[:n]...)
}
