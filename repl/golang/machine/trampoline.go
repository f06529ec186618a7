package machine

//lint:file-ignore U1000 the fields of arguments and results are the words that the compiler passes

import (
	"reflect"
	"unsafe"
)

// A function literal that compiled code calls, as sort.Slice calls its comparison, is a closure of a compiled function
// that takes its arguments from the registers and puts them into a frame. Package reflect's way takes memory for each
// of them. There is one such function for each pattern of words that arguments and results often have.

// trampoline moves the arguments of a call from registers into a frame, and the results back.
type trampoline struct {
	enter  func(*literal, *trampoline) unsafe.Pointer // makes the closure
	in     [maxResults]byte
	out    [maxResults]byte
	params []func(*Frame, resultRegisters)
	result []resultSlot
}

// resultSlot is where a frame has a result.
type resultSlot struct {
	indirect bool
	parts    []part
	first    int // of its words
}

// trampolines has the function that makes closures by the patterns of arguments and results.
var trampolines = map[[2]string]func(*literal, *trampoline) unsafe.Pointer{}

// trampolineCode tells the closures by their code: where the literal is in them. It is a table of open addresses.
var trampolineCode [1024]struct{ code, at uintptr }

func init() {
	type (
		n  = uintptr
		p  = unsafe.Pointer
		x  = float64
		pn struct {
			a p
			b n
		}
		pp struct{ a, b p }
	)
	addTrampolines[struct{}]("")
	addTrampolines[struct{ a n }]("n")
	addTrampolines[struct{ a, b n }]("nn")
	addTrampolines[struct{ a, b, c n }]("nnn")
	addTrampolines[struct{ a p }]("p")
	addTrampolines[pp]("pp")
	addTrampolines[struct{ a, b, c p }]("ppp")
	addTrampolines[struct{ a, b pp }]("pppp")
	addTrampolines[pn]("pn")
	addTrampolines[struct{ a, b pn }]("pnpn")
	addTrampolines[struct {
		a pn
		b n
	}]("pnn")
	addTrampolines[struct {
		a p
		b pn
	}]("ppn")
	addTrampolines[struct {
		a n
		b p
	}]("np")
	addTrampolines[struct {
		a n
		b pp
	}]("npp")
	addTrampolines[struct {
		a n
		b pn
	}]("npn")
	addTrampolines[struct{ a x }]("x")
	addTrampolines[struct{ a, b x }]("xx")
	addTrampolines[struct {
		a n
		b x
	}]("nx")
}

// addTrampolines adds the functions for arguments A.
func addTrampolines[A any](in string) {
	addTrampoline[A, struct{}](in, "")
	addTrampoline[A, struct{ a uintptr }](in, "n")
	addTrampoline[A, struct{ a float64 }](in, "x")
	addTrampoline[A, struct{ a unsafe.Pointer }](in, "p")
	addTrampoline[A, struct{ a, b unsafe.Pointer }](in, "pp")
	addTrampoline[A, struct {
		a unsafe.Pointer
		b uintptr
	}](in, "pn")
	addTrampoline[A, struct {
		a    unsafe.Pointer
		b, c uintptr
	}](in, "pnn")
	addTrampoline[A, struct {
		a    uintptr
		b, c unsafe.Pointer
	}](in, "npp")
}

func addTrampoline[A, R any](in, out string) {
	// What the closure refers to is in it, in an order that only the compiler knows.
	l, e := new(literal), new(trampoline)
	closure := makeTrampoline[A, R](l, e)
	methods[[2]string{in, out}] = makeMethodTrampoline[A, R]
	for at := unsafe.Sizeof(closure); at <= 2*unsafe.Sizeof(closure); at += unsafe.Sizeof(closure) {
		if *(*unsafe.Pointer)(unsafe.Add(closure, at)) == unsafe.Pointer(l) {
			code := *(*uintptr)(closure)
			i := slotOf(code)
			for trampolineCode[i].code != 0 && trampolineCode[i].code != code {
				i = (i + 1) % len(trampolineCode)
			}
			trampolineCode[i].code, trampolineCode[i].at = code, at
			trampolines[[2]string{in, out}] = makeTrampoline[A, R]
			return
		}
	}
}

func slotOf(code uintptr) int { return int(code>>5) % len(trampolineCode) }

// literalIn is the literal that a closure calls, or nil.
func literalIn(closure unsafe.Pointer) *literal {
	code := *(*uintptr)(closure)
	for i := slotOf(code); trampolineCode[i].code != 0; i = (i + 1) % len(trampolineCode) {
		if trampolineCode[i].code == code {
			return *(**literal)(unsafe.Add(closure, trampolineCode[i].at))
		}
	}
	return nil
}

// makeTrampoline makes a closure that calls a literal. It has an argument for all, which the compiler passes as it does
// its words.
//
//go:noinline
func makeTrampoline[A, R any](l *literal, e *trampoline) unsafe.Pointer {
	fn := func(a A) (r R) {
		if fast := l.d.now().directly(true); fast != nil {
			return (*(*func(A) R)(unsafe.Pointer(&fast)))(a)
		}
		out := l.callWith(e, taken(unsafe.Pointer(&a), unsafe.Sizeof(a), &e.in))
		given(unsafe.Pointer(&r), unsafe.Sizeof(r), &e.out, &out)
		return r
	}
	return *(*unsafe.Pointer)(unsafe.Pointer(&fn))
}

// taken reads words of the given kinds.
func taken(from unsafe.Pointer, size uintptr, is *[maxResults]byte) (in resultRegisters) {
	const word = unsafe.Sizeof(uintptr(0))
	for i := range size / word {
		at := unsafe.Add(from, i*word)
		if is[i] == 'p' {
			in.p[i] = *(*unsafe.Pointer)(at)
		} else {
			in.n[i] = *(*uintptr)(at)
		}
	}
	return in
}

// given writes them.
func given(to unsafe.Pointer, size uintptr, is *[maxResults]byte, out *resultRegisters) {
	const word = unsafe.Sizeof(uintptr(0))
	for i := range size / word {
		at := unsafe.Add(to, i*word)
		if is[i] == 'p' {
			*(*unsafe.Pointer)(at) = out.p[i]
		} else {
			*(*uintptr)(at) = out.n[i]
		}
	}
}

// callWith calls the function with arguments in registers.
func (l *literal) callWith(e *trampoline, in resultRegisters) (out resultRegisters) {
	d := l.d.now()
	f := l.spare.Swap(nil)
	if f == nil {
		f = d.frame(l.from)
	}
	for _, put := range e.params {
		put(&f.Frame, in)
	}
	d.run(&f.Frame)
	for i := range e.result {
		r := &e.result[i]
		h := headerAt(&f.Frame, i)
		if !r.indirect {
			out.p[r.first] = *word(h)
			continue
		}
		for j, p := range r.parts {
			out.p[r.first+j], out.n[r.first+j] = p.load(h.ptr)
		}
	}
	if d.reusable {
		f.reset()
		l.spare.Store(f)
	}
	return out
}

// trampoline is how compiled code enters the function, nil where only package reflect can.
func (d *function) trampoline() *trampoline {
	d.entered.Do(func() { d.way = d.newTrampoline(false) })
	return d.way
}

// newTrampoline is how a function is entered. The first parameter may be given by its address.
func (d *function) newTrampoline(byAddress bool) *trampoline {
	if !nativeWorks {
		return nil
	}
	e := &trampoline{}
	var in, out []part
	for i, t := range d.def.Types[:d.results+d.params] {
		if byAddress && i == d.results {
			e.params = append(e.params, receive(i, t))
			in = append(in, part{kind: 'p'})
			continue
		}
		ps, ok := parts(t, 0)
		if !ok {
			return nil
		}
		if i < d.results {
			e.result = append(e.result, resultSlot{indirect(t), ps, len(out)})
			out = append(out, ps...)
		} else {
			e.params = append(e.params, storeRegisters(0, i, t, ps, len(in)))
			in = append(in, ps...)
		}
	}
	copy(e.in[:], pattern(in))
	copy(e.out[:], pattern(out))
	if e.enter = trampolines[[2]string{pattern(in), pattern(out)}]; e.enter == nil {
		return nil
	}
	return e
}

// trampolineValue makes what a variable of a function's type holds, not valid where only package reflect can.
func (l *literal) trampolineValue(t reflect.Type) reflect.Value {
	e := l.d.trampoline()
	if e == nil {
		return reflect.Value{}
	}
	h := asHeader(reflect.Zero(t))
	h.ptr = e.enter(l, e)
	return *(*reflect.Value)(unsafe.Pointer(&h))
}
