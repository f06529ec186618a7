package machine

import (
	"reflect"
	"sync"
	"sync/atomic"
	"unsafe"
)

// function is what callers know of a function. It is in the meta of the function's node, which yaegi has no use for any
// more.
type function struct {
	def      *Node
	results  int
	params   int // -1 for a function that only yaegi can call
	variadic bool
	defers   bool
	reusable bool   // nothing refers to its frame once it has returned
	later    *later // of a function that is declared only, nil for any other

	entered sync.Once
	way     *trampoline // of compiled code, once entered is done

	enteredAs sync.Once
	methodWay *trampoline // of method tables, once enteredAs is done

	direct, byAddress atomic.Pointer[byte] // see SetDirect
}

// harmless are further generators that leave no reference to a frame's memory behind, but for what capture finds.
var harmless = map[string]bool{"": true, "nop": true, "assign": true, "_return": true, "call": true, "callBin": true,
	"convert": true, "branch": true, "reset": true,
	"empty": true, "assignFromCall": true, "inc": true, "dec": true, "getIndexMap": true, "getIndexMap2": true,
	"addr":              true,
	"getIndexBinMethod": true, "getIndexBinElemMethod": true, "getIndexBinPtrMethod": true,
	"getIndexSeqPtrMethod": true,
	"_append":              true, "appendSlice": true, "_len": true, "_cap": true, "_make": true, "_new": true,
	"_copy":   true,
	"_delete": true, "_panic": true, "_close": true,
	"_complex": true, "_real": true, "_imag": true, "send": true, "recv": true, "recv2": true, "slice": true,
	"slice0":   true,
	"arrayLit": true, "mapLit": true, "compositeBinSlice": true, "compositeBinMap": true, "compositeBinStruct": true,
	"compositeBinStructNotype": true,
	"compositeLit":             true, "compositeLitNotype": true, "compositeLitKeyed": true,
	"compositeLitKeyedNotype": true,
	"_range":                  true, "rangeMap": true, "rangeChan": true, "_case": true, "typeAssertShort": true,
	"typeAssertLong":   true,
	"typeAssertStatus": true}

// describe looks at a function before anything of it changes.
func describe(fn *Node) *function {
	d := &function{def: fn, results: results(fn), params: -1}
	if fn.Kind == kinds.funcLit || len(fn.Child[0].Child) == 0 {
		d.params, d.variadic = parameters(fn)
	}
	c := &places{fn: fn, captured: map[int]bool{}}
	c.capture(fn.Child[3], 0)
	d.reusable = len(c.captured) == 0
	var look func(n *Node)
	look = func(n *Node) {
		switch g := gen(n); {
		case n.Kind == kinds.deferStmt:
			d.defers, d.reusable = true, false
		case n.Kind == kinds.funcLit || n.Kind == kinds.goStmt || !harmless[g] && !operations[g] && !isCondition(g) &&
			!isRead(g) && !changes[g]:
			d.reusable = false
		}
		if n.Kind == kinds.funcLit {
			return
		}
		for _, x := range n.Child {
			look(x)
		}
	}
	look(fn.Child[3])
	return d
}

// parameters is the number of a function's parameters, -1 when some have no name, and so no place.
func parameters(fn *Node) (n int, variadic bool) {
	t := fn.Child[2]
	if len(t.Child) < 2 {
		return -1, false
	}
	for _, f := range t.Child[1].Child {
		if len(f.Child) < 2 {
			return -1, false
		}
		variadic = f.Child[len(f.Child)-1].Kind == kinds.ellipsisExpr
		n += len(f.Child) - 1
	}
	return n, variadic
}

// results is the number of a function's results.
func results(fn *Node) int {
	n := 0
	if t := fn.Child[2]; len(t.Child) == 3 {
		for _, f := range t.Child[2].Child {
			n += max(len(f.Child)-1, 1)
		}
	}
	return n
}

// frame is a frame that is used again. What it holds has no other owner, but for the results, which are the caller's.
type frame struct {
	Frame
	of      *function
	made    []reflect.Value // Data as it was made
	numbers []uint64        // the memory of what has no pointers
	words   []*unsafe.Pointer
	strings []*string
	slices  []*slice
	others  []reflect.Value
}

// cellType is the type of the place where a function keeps the next frame of a function that it calls.
var cellType = reflect.TypeFor[*frame]()

// frame makes a frame for a call from another one.
func (d *function) frame(from *Frame) *frame {
	f := &frame{of: d}
	f.ID, f.Root, f.Anc, f.Done = from.ID, from.Root, from, from.Done
	types := d.def.Types
	f.Data = make([]reflect.Value, len(types))
	var size uintptr
	for _, t := range types {
		if isNumber(t) {
			size += (t.Size() + 7) / 8
		}
	}
	f.numbers = make([]uint64, size+1)
	at := 0
	for i, t := range types {
		if isNumber(t) {
			f.Data[i] = reflect.NewAt(t, unsafe.Pointer(&f.numbers[at])).Elem()
			at += int((t.Size() + 7) / 8)
			continue
		}
		v := reflect.New(t)
		f.Data[i] = v.Elem()
		switch p := v.UnsafePointer(); {
		case t == cellType:
		case kindIn(t) == reflect.Pointer:
			f.words = append(f.words, (*unsafe.Pointer)(p))
		case t.Kind() == reflect.String:
			f.strings = append(f.strings, (*string)(p))
		case t.Kind() == reflect.Slice:
			f.slices = append(f.slices, (*slice)(p))
		default:
			f.others = append(f.others, v.Elem())
		}
	}
	f.made = append([]reflect.Value(nil), f.Data...)
	return f
}

func isNumber(t reflect.Type) bool {
	k := t.Kind()
	return k >= reflect.Bool && k <= reflect.Complex128
}

// reset makes the frame ready for its next call, and lets go of all that it holds.
func (f *frame) reset() {
	f.Debug = nil
	copy(f.Data, f.made)
	clear(f.numbers)
	for _, p := range f.words {
		*p = nil
	}
	for _, p := range f.strings {
		*p = ""
	}
	for _, p := range f.slices {
		*p = slice{}
	}
	for _, v := range f.others {
		v.SetZero()
	}
}

// run runs the function in a frame.
func (d *function) run(f *Frame) {
	if d.defers {
		defer f.runDeferred()
	}
	if body := d.def.Child[3].Start.Exec; body != nil { // of a function that begins with a return there is none
		body(f)
	}
}

// runDeferred runs what the function of a frame has deferred, as yaegi's runCfg does. It stands for a deferred
// function.
func (f *Frame) runDeferred() {
	f.recovered = recover()
	for _, call := range f.deferred {
		call[0].Call(call[1:])
	}
	if f.recovered != nil {
		panic(f.recovered)
	}
}

// call gives a call of a declared function a closure.
func (c *code) call(n *Node) bool {
	f := n.Child[0]
	if n.Anc.Kind == kinds.deferStmt || n.Anc.Kind == kinds.goStmt || f.Kind != kinds.identExpr || f.Sym == nil ||
		f.Sym.Index >= 0 || f.Sym.Node == nil {
		return false
	}
	d, ok := f.Sym.Node.meta.(*function)
	if !ok || d.variadic || d.params != len(n.Child)-1 {
		return false
	}
	c.leaves, c.guarded = nil, 0
	args := make([]func(from, to *Frame), d.params)
	for i := range args {
		if args[i] = c.argument(n.Child[i+1], d, d.results+i); args[i] == nil {
			return false
		}
	}
	to, level, ok := c.resultPlaces(n, d.results, func(i int) reflect.Type { return d.def.Types[i] })
	if !ok {
		return false
	}
	pass := passing{to, frameUp(level), args}
	cell := -1
	if d.reusable {
		cell = c.cell(d.def)
	}
	do := func(f *Frame) *frame {
		f.Debug = unsafe.Pointer(n)
		d := d.now()
		var p *frame
		if cell >= 0 {
			if q := at[*frame](f, cell); *q != nil {
				p = *q
				*q = nil
				if !sameCase(&p.Done, &f.Done) {
					p.Done = f.Done
				}
			}
		}
		if p == nil {
			p = d.frame(f)
		}
		pass.into(f, p)
		d.run(&p.Frame)
		f.Debug = unsafe.Pointer(c.fn)
		return p
	}
	c.install(n, func(n *Node) {
		next, other := exec(n.Tnext), exec(n.Fnext)
		if n.Fnext != nil {
			n.Exec = func(f *Frame) Step {
				p := do(f)
				v := *at[bool](&p.Frame, 0)
				done(f, p, cell)
				if v {
					return next
				}
				return other
			}
			return
		}
		n.Exec = func(f *Frame) Step {
			done(f, do(f), cell)
			return next
		}
	})
	return true
}

// done gives a frame back.
func done(f *Frame, p *frame, cell int) {
	if cell >= 0 && p.of.reusable {
		p.reset()
		*at[*frame](f, cell) = p
	}
}

// cell is where in the frame the next frame of a function is.
func (c *code) cell(def *Node) int {
	i, ok := c.cells[def]
	if !ok {
		i = len(c.fn.Types)
		c.fn.Types = append(c.fn.Types[:i:i], cellType)
		c.cells[def] = i
	}
	return i
}

// argument compiles the storing of an argument in the callee's frame.
func (c *code) argument(n *Node, d *function, index int) func(from, to *Frame) {
	if index >= len(d.def.Types) {
		return nil
	}
	want, t := d.def.Types[index], c.typeOf(n)
	if s, ok := shapes[kindIn(want)]; ok && (isConstant(n) || t != nil && t.Kind() == want.Kind()) {
		return s.argument(c, n, index)
	}
	if t != want || want.Kind() == reflect.Func || n.Kind == kinds.funcLit {
		return nil
	}
	read := valueRead(n)
	if read == nil || isConstant(n) {
		return nil
	}
	if n.Kind != kinds.identExpr { // it runs by itself
		if n.Fnext != nil || n.Gen == nil || gen(n) == "nop" {
			return nil
		}
		c.leaves = append(c.leaves, n)
	}
	return func(from, to *Frame) { to.Data[index].Set(read(from)) }
}

// sameCase compares what says which channel it is, without the cost of comparing values.
func sameCase(a, b *reflect.SelectCase) bool {
	type words = [unsafe.Sizeof(reflect.SelectCase{}) / unsafe.Sizeof(uintptr(0)) / 2]uintptr
	return *(*words)(unsafe.Pointer(a)) == *(*words)(unsafe.Pointer(b))
}

// passing is what a call does with the callee's frame before the callee runs: the results get their places in the
// caller's frame, the arguments are put in.
type passing struct {
	results []int // places in the frame that up finds, -1 for nowhere
	up      func(*Frame) *Frame
	args    []func(from, to *Frame)
}

func (p *passing) into(f *Frame, to *frame) {
	for i, j := range p.results {
		if j >= 0 {
			to.Data[i] = p.up(f).Data[j]
		}
	}
	for _, a := range p.args {
		a(f, &to.Frame)
	}
}
