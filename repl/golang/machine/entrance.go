package machine

//lint:file-ignore U1000 the fields of arguments and results are the words that the compiler passes

import (
	"reflect"
	"unsafe"
)

// A function literal that compiled code calls, as sort.Slice calls its comparison, is a closure of a compiled function that takes its
// arguments from the registers and puts them into a frame. Package reflect's way takes memory for each of them. There is one such
// function for each pattern of words that arguments and results often have.

// entrance is how the arguments of a function come into its frame, and its results out of it.
type entrance struct {
	enter  func(*literal, *entrance) unsafe.Pointer // makes the closure
	in     [maxResults]byte
	out    [maxResults]byte
	params []func(*Frame, outcome)
	result []place
}

// place is a result in a frame.
type place struct {
	indirect bool
	parts    []part
	first    int // of its words
}

// entrances has the function that makes closures by the patterns of arguments and results.
var entrances = map[[2]string]func(*literal, *entrance) unsafe.Pointer{}

// entered tells the closures by their code: where the literal is in them. It is a table of open addresses.
var entered [1024]struct{ code, at uintptr }

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
	entranceOf[struct{}]("")
	entranceOf[struct{ a n }]("n")
	entranceOf[struct{ a, b n }]("nn")
	entranceOf[struct{ a, b, c n }]("nnn")
	entranceOf[struct{ a p }]("p")
	entranceOf[pp]("pp")
	entranceOf[struct{ a, b, c p }]("ppp")
	entranceOf[struct{ a, b pp }]("pppp")
	entranceOf[pn]("pn")
	entranceOf[struct{ a, b pn }]("pnpn")
	entranceOf[struct {
		a pn
		b n
	}]("pnn")
	entranceOf[struct {
		a p
		b pn
	}]("ppn")
	entranceOf[struct {
		a n
		b p
	}]("np")
	entranceOf[struct {
		a n
		b pp
	}]("npp")
	entranceOf[struct {
		a n
		b pn
	}]("npn")
	entranceOf[struct{ a x }]("x")
	entranceOf[struct{ a, b x }]("xx")
	entranceOf[struct {
		a n
		b x
	}]("nx")
}

// entranceOf adds the functions for arguments A.
func entranceOf[A any](in string) {
	addEntrance[A, struct{}](in, "")
	addEntrance[A, struct{ a uintptr }](in, "n")
	addEntrance[A, struct{ a float64 }](in, "x")
	addEntrance[A, struct{ a unsafe.Pointer }](in, "p")
	addEntrance[A, struct{ a, b unsafe.Pointer }](in, "pp")
	addEntrance[A, struct {
		a unsafe.Pointer
		b uintptr
	}](in, "pn")
	addEntrance[A, struct {
		a    unsafe.Pointer
		b, c uintptr
	}](in, "pnn")
	addEntrance[A, struct {
		a    uintptr
		b, c unsafe.Pointer
	}](in, "npp")
}

func addEntrance[A, R any](in, out string) {
	// What the closure refers to is in it, in an order that only the compiler knows.
	l, e := new(literal), new(entrance)
	closure := enter[A, R](l, e)
	methods[[2]string{in, out}] = enterMethod[A, R]
	for at := unsafe.Sizeof(closure); at <= 2*unsafe.Sizeof(closure); at += unsafe.Sizeof(closure) {
		if *(*unsafe.Pointer)(unsafe.Add(closure, at)) == unsafe.Pointer(l) {
			code := *(*uintptr)(closure)
			i := slotOf(code)
			for entered[i].code != 0 && entered[i].code != code {
				i = (i + 1) % len(entered)
			}
			entered[i].code, entered[i].at = code, at
			entrances[[2]string{in, out}] = enter[A, R]
			return
		}
	}
}

func slotOf(code uintptr) int { return int(code>>5) % len(entered) }

// literalIn is the literal that a closure calls, or nil.
func literalIn(closure unsafe.Pointer) *literal {
	code := *(*uintptr)(closure)
	for i := slotOf(code); entered[i].code != 0; i = (i + 1) % len(entered) {
		if entered[i].code == code {
			return *(**literal)(unsafe.Add(closure, entered[i].at))
		}
	}
	return nil
}

// enter makes a closure that calls a literal. It has an argument for all, which the compiler passes as it does its words.
//
//go:noinline
func enter[A, R any](l *literal, e *entrance) unsafe.Pointer {
	fn := func(a A) (r R) {
		out := l.enter(e, taken(unsafe.Pointer(&a), unsafe.Sizeof(a), &e.in))
		given(unsafe.Pointer(&r), unsafe.Sizeof(r), &e.out, &out)
		return r
	}
	return *(*unsafe.Pointer)(unsafe.Pointer(&fn))
}

// taken reads words of the given kinds.
func taken(from unsafe.Pointer, size uintptr, is *[maxResults]byte) (in outcome) {
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
func given(to unsafe.Pointer, size uintptr, is *[maxResults]byte, out *outcome) {
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

// enter calls the function.
func (l *literal) enter(e *entrance, in outcome) (out outcome) {
	d := l.d
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

// entrance is how compiled code enters the function, nil where only package reflect can.
func (d *function) entrance() *entrance {
	d.entered.Do(func() { d.way = d.newEntrance(false) })
	return d.way
}

// newEntrance is how a function is entered. The first parameter may be given by its address.
func (d *function) newEntrance(byAddress bool) *entrance {
	if !nativeWorks {
		return nil
	}
	e := &entrance{}
	c := &code{fn: d.def}
	var in, out []part
	for i, t := range d.def.Types[:d.results+d.params] {
		if byAddress && i == d.results {
			e.params = append(e.params, c.receive(i, t))
			in = append(in, part{kind: 'p'})
			continue
		}
		ps, ok := parts(t, 0)
		if !ok {
			return nil
		}
		if i < d.results {
			e.result = append(e.result, place{indirect(t), ps, len(out)})
			out = append(out, ps...)
		} else {
			e.params = append(e.params, c.storeWords(0, i, t, ps, len(in)))
			in = append(in, ps...)
		}
	}
	copy(e.in[:], pattern(in))
	copy(e.out[:], pattern(out))
	if e.enter = entrances[[2]string{pattern(in), pattern(out)}]; e.enter == nil {
		return nil
	}
	return e
}

// entering makes what a variable of a function's type holds, not valid where only package reflect can.
func (l *literal) entering(t reflect.Type) reflect.Value {
	e := l.d.entrance()
	if e == nil {
		return reflect.Value{}
	}
	h := asHeader(reflect.Zero(t))
	h.ptr = e.enter(l, e)
	return *(*reflect.Value)(unsafe.Pointer(&h))
}
