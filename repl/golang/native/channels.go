package native

import (
	"go/token"
	"go/types"
	"reflect"
	"unsafe"

	"github.com/gorocm/gorocm/repl/golang/native/enter"
	"github.com/gorocm/gorocm/repl/golang/native/ir"
	"github.com/gorocm/gorocm/repl/golang/native/quick"
	"golang.org/x/tools/go/ssa"
)

// Operations on channels are the runtime's, on memory of Go code. One that need not wait is done at once: a receive
// while the goroutine is pinned, since it cannot panic. One that waits does so in Go code, which the session has noted.

// Channels is what generated code needs of a session's channels.
type Channels struct {
	// Waiter is for goroutines that wait at a place of a function.
	Waiter func(at token.Pos, in string) Waiter
	// Timed reports whether a timer sends to a channel.
	Timed func(c unsafe.Pointer) bool
	// Make returns what makes channels of a type with room for n elements.
	Make func(t reflect.Type) func(n int) unsafe.Pointer
}

// Waiter is told of goroutines that wait.
type Waiter interface {
	// Begin notes what the calling goroutine waits for, and whether a timer may end that. It returns a note for End, and a
	// channel that is closed when the goroutine is to stop, nil for none.
	Begin(what string, timed bool) (note, stop unsafe.Pointer)
	// End says that the goroutine waits no longer.
	End(note unsafe.Pointer)
	// Stopped ends the calling goroutine, since that channel is closed.
	Stopped()
}

// waits is what has a goroutine wait for one of some cases, which is not ready.
type waits struct {
	*Channels
	Waiter
}

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
func (t goCalls) waits() waits {
	c := t.s.Packages.Channels
	return waits{c, c.Waiter(t.place(), t.name())}
}

// one waits for one operation on a channel with elements of a type.
func (w waits) one(c enter.Case, elem *enter.Type) (received bool) {
	what := "chan receive"
	switch {
	case c.Sends() && c.Channel() == nil:
		what = "chan send (nil chan)"
	case c.Sends():
		what = "chan send"
	case c.Channel() == nil:
		what = "chan receive (nil chan)"
	}
	note, stop := w.Begin(what, w.timed(c))
	defer w.End(note)
	if stop == nil {
		return c.Do()
	}
	received, stopped := c.DoUnless(stop, elem)
	if stopped {
		w.Stopped()
	}
	return received
}

// any waits for one of several.
func (w waits) any(cases []enter.Case) (chosen int, received bool) {
	what, timed := "select", false
	if len(cases) == 0 {
		what = "select (no cases)"
	}
	for _, c := range cases {
		timed = timed || w.timed(c)
	}
	note, stop := w.Begin(what, timed)
	defer w.End(note)
	if stop != nil {
		cases = append(cases, enter.ReceiveCase(stop, nil))
	}
	if chosen, received = enter.Select(cases); stop != nil && chosen == len(cases)-1 {
		w.Stopped()
	}
	return chosen, received
}

func (w waits) timed(c enter.Case) bool { return c.Channel() != nil && w.Timed(c.Channel()) }

// receive translates <-c.
func (t goCalls) receive(in *ssa.UnOp) {
	c := t.channelOf(in.X.Type())
	f, at := memoryOf([]types.Type{nil}, []types.Type{c.elem, types.Typ[types.Bool]},
		[]reflect.Type{pointerType, c.r.Elem(), boolType})
	w, elem := t.waits(), enter.TypeOf(c.r.Elem())
	f.do = func(m unsafe.Pointer) {
		from, to := pointerAt(m, at[0]), unsafe.Add(m, at[1])
		elem.Clear(to)
		done, ok := enter.Receive(from, to, false)
		if !done {
			ok = w.one(enter.ReceiveCase(from, to), &elem)
		}
		*(*bool)(unsafe.Add(m, at[2])) = ok
	}
	f.quick = quickReceive(f, at[1], w.Timed)
	list := t.callForeign(f, t.value(in.X))
	if !in.CommaOk {
		list = list[:len(list)-1]
	}
	t.values[in] = list
}

// quickBytes bounds the values that are received while the goroutine is pinned.
const quickBytes = 128

// receivedStep is counted for an operation on a channel: see enter.Context.Spend.
const receivedStep = 32

// quickReceive receives where that needs no waiting. The value goes through memory of the stack, of which the
// collector knows no pointers: it does not run meanwhile.
func quickReceive(f *foreign, at uintptr, timed func(unsafe.Pointer) bool) quick.Func {
	out := receivedWords(f, at)
	if out == nil {
		return nil
	}
	return func(c *enter.Context) bool {
		from := c.Address(0)
		if !c.Spend(receivedStep) || from == nil || timed(from) {
			return false
		}
		var value [quickBytes / 8]uint64
		done, ok := enter.Receive(from, unsafe.Pointer(&value), false)
		if !done {
			return false
		}
		setReceived(c, 0, out, unsafe.Pointer(&value))
		return c.SetBool(len(out), ok)
	}
}

// receivedWords are the results of f but the last one, with their offsets from a place in its memory; nil where they
// are not within quickBytes of that.
func receivedWords(f *foreign, from uintptr) []part {
	if f.memory.Size()-from > quickBytes {
		return nil
	}
	out := []part{}
	for _, w := range f.out[:len(f.out)-1] {
		out = append(out, part{offset: w.offset - from, kind: w.kind})
	}
	return out
}

// setReceived sets the words of results from a number on.
func setReceived(c *enter.Context, first int, out []part, value unsafe.Pointer) {
	for i := range out {
		*c.Word(enter.ResultsAt + 8*(first+i)) = readWord(out[i].kind, unsafe.Add(value, out[i].offset))
	}
}

// send translates c <- x.
func (t goCalls) send(in *ssa.Send) {
	c := t.channelOf(in.Chan.Type())
	f, at := memoryOf([]types.Type{nil, c.elem}, nil, []reflect.Type{pointerType, c.r.Elem()})
	w, elem := t.waits(), enter.TypeOf(c.r.Elem())
	f.do = func(m unsafe.Pointer) {
		to, value := pointerAt(m, at[0]), unsafe.Add(m, at[1])
		if !enter.Send(to, value, false) {
			w.one(enter.SendCase(to, value), &elem)
		}
		elem.Clear(value) // which is the receiver's
	}
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
func (t goCalls) lenChan(in *ssa.Call, of func(unsafe.Pointer) int) {
	t.channelOf(in.Call.Args[0].Type())
	t.values[in] = t.leave(site{code: leaveQuick, aux: quick.Func(func(c *enter.Context) bool {
		return c.SetInt(0, of(c.Address(0)))
	})}, []ir.Kind{ir.Int64}, t.one(in.Call.Args[0]))
}

// selects translates a select statement. Its result is the number of the case, -1 for the default, whether it has
// received, and what each case that receives has received.
func (t goCalls) selects(in *ssa.Select) {
	if t.device != nil || t.s.Packages.Channels == nil {
		t.no("it uses a channel")
	}
	var params, results []types.Type
	var have, received []reflect.Type
	var args []*ir.Value
	s := &selection{blocking: in.Blocking, waits: t.waits()}
	for _, state := range in.States {
		c := t.channelOf(state.Chan.Type())
		args = append(args, t.one(state.Chan))
		params, have = append(params, nil), append(have, pointerType)
		k := selectCase{sends: state.Dir == types.SendOnly, channel: len(params) - 1, elem: enter.TypeOf(c.r.Elem())}
		if k.sends {
			s.sends = true
			args = append(args, t.value(state.Send)...)
			params, have = append(params, c.elem), append(have, c.r.Elem())
			k.value = len(params) - 1
		} else {
			k.value = len(results)
			results, received = append(results, c.elem), append(received, c.r.Elem())
		}
		s.cases = append(s.cases, k)
	}
	first := len(params)
	// received values come first in memory, the number and whether one was received behind them
	f, at := memoryOf(params, append(results, types.Typ[types.Int], types.Typ[types.Bool]),
		append(append(have, received...), reflect.TypeFor[int](), boolType))
	for i := range s.cases {
		k := &s.cases[i]
		if k.at = at[k.channel]; k.sends {
			k.valueAt = at[k.value]
		} else {
			k.valueAt = at[first+k.value]
		}
	}
	s.index, s.ok = at[len(at)-2], at[len(at)-1]
	f.do = s.do
	s.quick(f, at[first])
	list := t.callForeign(f, args)
	n := len(list) - 2
	t.values[in] = append(list[n:len(list):len(list)], list[:n]...)
}
