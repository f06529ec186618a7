package machine

import (
	"math"
	"reflect"
	"runtime"
	"strings"
	"unsafe"
)

// A compiled function is called as compiled code calls it: with its arguments in registers. Package reflect does the
// same, and needs memory for every argument and result. The compiler assigns registers to the words of the arguments
// one after the other, those of integers and pointers and those of floats each for itself; so a function with more
// parameters, all of them words, passes what any function takes that needs no memory for its arguments. tryNative
// checks that at the start.

// argRegisters are the arguments of a call. What is a pointer stands apart, for the garbage collector. Neither they nor
// the results are passed on by address: that would put them on the heap.
type argRegisters struct {
	p [maxWords]unsafe.Pointer
	n [maxWords]uintptr
	x [maxFloats]float64
}

// How many words a call can have: as many as amd64 has registers for.
const maxWords, maxFloats = 9, 4

// operandRegisters is one argument, of up to three words or a float.
type operandRegisters struct {
	p, q, r unsafe.Pointer
	a, b, c uintptr
	x       float64
}

// resultRegisters are the results of a call; floats are bits.
type resultRegisters struct {
	p [maxResults]unsafe.Pointer
	n [maxResults]uintptr
}

// maxResults is how many words results can have.
const maxResults = 5

// part is a word of a value: where it is in the value, and what it is.
type part struct {
	kind   byte // 'p' a pointer, 'n' an integer, 'x' a float
	size   uintptr
	offset uintptr
}

// parts are the words of a type. ok is false for what the compiler passes in memory, and for functions, which yaegi has
// its own for.
func parts(t reflect.Type, offset uintptr) (r []part, ok bool) {
	const word = unsafe.Sizeof(uintptr(0))
	switch k := t.Kind(); k {
	case reflect.Pointer, reflect.Map, reflect.Chan, reflect.UnsafePointer:
		return []part{{'p', word, offset}}, true
	case reflect.String:
		return []part{{'p', word, offset}, {'n', word, offset + word}}, true
	case reflect.Slice:
		return []part{{'p', word, offset}, {'n', word, offset + word}, {'n', word, offset + 2*word}}, true
	case reflect.Interface:
		return []part{{'p', word, offset}, {'p', word, offset + word}}, true
	case reflect.Float32, reflect.Float64:
		return []part{{'x', t.Size(), offset}}, true
	case reflect.Struct:
		for f := range t.Fields() {
			more, ok := parts(f.Type, offset+f.Offset)
			if !ok || f.Name == "_" {
				return nil, false
			}
			r = append(r, more...)
		}
		return r, true
	default:
		if k >= reflect.Bool && k <= reflect.Uintptr {
			return []part{{'n', t.Size(), offset}}, true
		}
	}
	return nil, false
}

// pattern spells the words of results.
func pattern(ps []part) string {
	var b strings.Builder
	for _, p := range ps {
		b.WriteByte(p.kind)
	}
	return b.String()
}

// invoke calls fn. is tells the kinds of its results' words.
type invoke func(fn unsafe.Pointer, in argRegisters, is [maxResults]byte) resultRegisters

// invokes has a function for each pattern of results.
var invokes = map[string]invoke{
	"":   with[struct{}],
	"n":  with[struct{ a uintptr }],
	"p":  with[struct{ a unsafe.Pointer }],
	"x":  with[struct{ a float64 }],
	"nn": with[struct{ a, b uintptr }],
	"pp": with[struct{ a, b unsafe.Pointer }],
	"pn": with[struct {
		a unsafe.Pointer
		b uintptr
	}],
	"xn": with[struct {
		a float64
		b uintptr
	}],
	"pnn": with[struct {
		a    unsafe.Pointer
		b, c uintptr
	}],
	"npp": with[struct {
		a    uintptr
		b, c unsafe.Pointer
	}],
	"xpp": with[struct {
		a    float64
		b, c unsafe.Pointer
	}],
	"ppp": with[struct{ a, b, c unsafe.Pointer }],
	"nnp": with[struct {
		a, b uintptr
		c    unsafe.Pointer
	}],
	"nnpp": with[struct {
		a, b uintptr
		c, d unsafe.Pointer
	}],
	"pnpp": with[struct {
		a    unsafe.Pointer
		b    uintptr
		c, d unsafe.Pointer
	}],
	"pnpn": with[struct {
		a unsafe.Pointer
		b uintptr
		c unsafe.Pointer
		d uintptr
	}],
	"pnpnn": with[struct {
		a    unsafe.Pointer
		b    uintptr
		c    unsafe.Pointer
		d, e uintptr
	}],
	"pnnpp": with[struct {
		a    unsafe.Pointer
		b, c uintptr
		d, e unsafe.Pointer
	}],
	"nnppp": with[struct {
		a, b    uintptr
		c, d, e unsafe.Pointer
	}],
}

func with[R any](fn unsafe.Pointer, in argRegisters, is [maxResults]byte) (out resultRegisters) {
	call := *(*func(_, _, _, _, _, _, _, _, _ uintptr, _, _, _, _ float64) R)(unsafe.Pointer(&fn))
	p, n, x := &in.p, &in.n, &in.x
	r := call(uintptr(p[0])+n[0], uintptr(p[1])+n[1], uintptr(p[2])+n[2], uintptr(p[3])+n[3], uintptr(p[4])+n[4],
		uintptr(p[5])+n[5],
		uintptr(p[6])+n[6], uintptr(p[7])+n[7], uintptr(p[8])+n[8], x[0], x[1], x[2], x[3])
	runtime.KeepAlive(&in)
	for i := range unsafe.Sizeof(r) / unsafe.Sizeof(uintptr(0)) {
		from := unsafe.Add(unsafe.Pointer(&r), i*unsafe.Sizeof(uintptr(0)))
		if is[i] == 'p' {
			out.p[i] = *(*unsafe.Pointer)(from)
		} else {
			out.n[i] = *(*uintptr)(from)
		}
	}
	return out
}

// argument is how a call gets one: words from one on, or, of none, a float.
type argument struct {
	get       func(*Frame) operandRegisters
	words, at int
}

// native gives a call of a compiled function, or of a method of a compiled type, a closure without reflection.
func (c *code) native(n *Node) bool {
	if !nativeWorks || n.Anc.Kind == kinds.deferStmt || n.Anc.Kind == kinds.goStmt {
		return false
	}
	c.leaves, c.guarded = nil, 0
	fn, t, find := c.compiled(n.Child[0])
	if fn == nil && find == nil || t.IsVariadic() {
		return false
	}
	params := len(n.Child) - 1
	if fn != nil && find != nil { // the receiver is the first parameter
		params++
	}
	if t.NumIn() != params {
		return false
	}
	pass, ok := c.arguments(n, t, find != nil)
	if !ok {
		return false
	}
	call, is, store, ok := c.resultsOf(n, t)
	if !ok {
		return false
	}
	blamed := n
	// a chain of calls begins where each of them does
	if x := n.Child[0]; x.Kind == kinds.selectorExpr && len(x.Child) == 2 {
		blamed = x.Child[1]
	}
	do := func(f *Frame) {
		var in argRegisters
		fn := fn
		if find != nil {
			fn, in.p[0] = find(f)
		}
		for i := range pass {
			a := &pass[i]
			w := a.get(f)
			switch a.words {
			case 0:
				in.x[a.at] = w.x
				continue
			case 3:
				in.p[a.at+2], in.n[a.at+2] = w.r, w.c
				fallthrough
			case 2:
				in.p[a.at+1], in.n[a.at+1] = w.q, w.b
			}
			in.p[a.at], in.n[a.at] = w.p, w.a
		}
		f.Debug = unsafe.Pointer(blamed)
		out := call(fn, in, is)
		for _, s := range store {
			s(f, out)
		}
		f.Debug = unsafe.Pointer(c.fn)
	}
	index, up := n.Findex, frameUp(n.Level)
	c.install(n, func(n *Node) {
		next, other := exec(n.Tnext), exec(n.Fnext)
		if n.Fnext != nil {
			n.Exec = func(f *Frame) Step {
				do(f)
				if *at[bool](up(f), index) {
					return next
				}
				return other
			}
			return
		}
		n.Exec = func(f *Frame) Step {
			do(f)
			return next
		}
	})
	return true
}

// arguments tells in which registers the arguments of a call go; a receiver takes the first one. ok is false where they
// do not fit.
func (c *code) arguments(n *Node, t reflect.Type, receiver bool) (pass []argument, ok bool) {
	ints, floats := 0, 0
	if receiver {
		ints = 1
	}
	for i, x := range n.Child[1:] {
		t := t.In(t.NumIn() - len(n.Child) + 1 + i)
		ps, ok := parts(t, 0)
		if !ok {
			return nil, false
		}
		arg := argument{words: len(ps), at: ints}
		if len(ps) == 1 && ps[0].kind == 'x' {
			arg.words, arg.at = 0, floats
			floats++
		}
		ints += arg.words
		if arg.get = c.operandRegisters(x, t, ps); arg.get == nil || ints > maxWords || floats > maxFloats {
			return nil, false
		}
		pass = append(pass, arg)
	}
	return pass, true
}

// compiled finds the function that a call calls: its closure and its type. Of a method there is a function that finds
// the closure and the word that stands for the receiver; only that of an interface's method is not known before, and
// its type has no receiver. There is neither for what is not known to be compiled.
func (c *code) compiled(n *Node) (fn unsafe.Pointer, t reflect.Type, find func(*Frame) (fn, receiver unsafe.Pointer)) {
	if isSymbol(n) {
		if n.Rval.Kind() != reflect.Func || n.Rval.IsNil() || n.Rval.CanAddr() {
			return nil, nil, nil
		}
		h := asHeader(reflect.ValueOf(n.Rval.Interface())) // a method value gets a closure by this
		return *word(&h), n.Rval.Type(), nil
	}
	g := gen(n)
	if g != "getIndexBinMethod" && g != "getIndexBinPtrMethod" && g != "getIndexBinElemMethod" {
		return nil, nil, nil
	}
	x := n.Child[0]
	recv, index := c.typeOf(x), n.Val.(int)
	if recv == nil {
		return nil, nil, nil
	}
	isPointer := recv.Kind() == reflect.Pointer
	pointer := recv
	if !isPointer {
		pointer = reflect.PointerTo(recv)
	}
	var name string
	switch {
	case recv.Kind() == reflect.Interface:
		if g != "getIndexBinMethod" || index >= recv.NumMethod() {
			return nil, nil, nil
		}
		return nil, recv.Method(index).Type, c.dynamic(n, x, index)
	case g == "getIndexBinMethod" && index < recv.NumMethod():
		name = recv.Method(index).Name
	case g == "getIndexBinPtrMethod" && !isPointer && index < pointer.NumMethod():
		name = pointer.Method(index).Name
	case g == "getIndexBinElemMethod" && isPointer && index < recv.Elem().NumMethod():
		name = recv.Elem().Method(index).Name
	}
	m, ok := pointer.MethodByName(name)
	if !ok {
		return nil, nil, nil
	}
	var receiver func(*Frame) unsafe.Pointer
	if isPointer {
		if p := value[unsafe.Pointer](c, x, nil); p != nil {
			receiver = p.get
		}
	} else {
		receiver = c.address(x)
	}
	if receiver == nil {
		return nil, nil, nil
	}
	h := asHeader(m.Func)
	fn = *word(&h)
	return fn, m.Type, func(f *Frame) (_, _ unsafe.Pointer) { return fn, receiver(f) }
}

// operandRegisters compiles an argument. Its type has the given parts.
func (c *code) operandRegisters(n *Node, t reflect.Type, ps []part) func(*Frame) operandRegisters {
	have := c.typeOf(n)
	if !isConstant(n) && (have == nil || have.Kind() != t.Kind() || have != t && !t.AssignableTo(have)) {
		return nil
	}
	switch kindIn(t) {
	case reflect.Bool:
		if x := value(c, n, boolOperators); x != nil {
			get := x.get
			return func(f *Frame) (w operandRegisters) {
				if get(f) {
					w.a = 1
				}
				return w
			}
		}
	case reflect.Pointer:
		if x := value[unsafe.Pointer](c, n, nil); x != nil {
			get := x.get
			return func(f *Frame) (w operandRegisters) { w.p = get(f); return w }
		}
	case reflect.String:
		if x := value(c, n, stringOperators); x != nil {
			get := x.get
			return func(f *Frame) (w operandRegisters) {
				s := get(f)
				w.p, w.b = unsafe.Pointer(unsafe.StringData(s)), uintptr(len(s))
				return w
			}
		}
	case reflect.Slice:
		if x := value(c, n, sliceOperators); x != nil {
			get := x.get
			return func(f *Frame) (w operandRegisters) {
				s := get(f)
				w.p, w.b, w.c = s.data, uintptr(s.len), uintptr(s.cap)
				return w
			}
		}
	case reflect.Float64:
		if x := value(c, n, floatOperators[float64]); x != nil {
			get := x.get
			return func(f *Frame) (w operandRegisters) { w.x = get(f); return w }
		}
	case reflect.Float32:
		if x := value(c, n, floatOperators[float32]); x != nil {
			get := x.get
			return func(f *Frame) (w operandRegisters) {
				w.x = math.Float64frombits(uint64(math.Float32bits(get(f)))) // a register's lower half
				return w
			}
		}
	case reflect.Interface, reflect.Struct:
		if !isConstant(n) && indirect(t) && len(ps) > 0 && len(ps) <= 3 && !strings.Contains(pattern(ps), "x") {
			return c.operandRegistersAt(n, ps)
		}
	default:
		if s, ok := shapes[t.Kind()]; ok {
			if x := s.asInt(c, n); x != nil {
				get := x.get
				return func(f *Frame) (w operandRegisters) { w.a = uintptr(get(f)); return w }
			}
		}
	}
	return nil
}

// operandRegistersAt compiles an argument that is in memory.
func (c *code) operandRegistersAt(n *Node, ps []part) func(*Frame) operandRegisters {
	from := c.address(n)
	if from == nil {
		if leaf[struct{}](c, n) == nil {
			return nil
		}
		i := n.Findex
		from = func(f *Frame) unsafe.Pointer { return headerAt(f, i).ptr }
	}
	return func(f *Frame) (w operandRegisters) {
		at := from(f)
		w.p, w.a = ps[0].load(at)
		if len(ps) > 1 {
			w.q, w.b = ps[1].load(at)
		}
		if len(ps) > 2 {
			w.r, w.c = ps[2].load(at)
		}
		return w
	}
}

// load reads a word of a value.
func (p part) load(at unsafe.Pointer) (unsafe.Pointer, uintptr) {
	at = unsafe.Add(at, p.offset)
	if p.kind == 'p' {
		return *(*unsafe.Pointer)(at), 0
	}
	switch p.size {
	case 1:
		return nil, uintptr(*(*uint8)(at))
	case 2:
		return nil, uintptr(*(*uint16)(at))
	case 4:
		return nil, uintptr(*(*uint32)(at))
	}
	return nil, *(*uintptr)(at)
}

// store writes one.
func (p part) store(at, v unsafe.Pointer, n uintptr) {
	at = unsafe.Add(at, p.offset)
	switch {
	case p.kind == 'p':
		*(*unsafe.Pointer)(at) = v
	case p.size == 1:
		*(*uint8)(at) = uint8(n)
	case p.size == 2:
		*(*uint16)(at) = uint16(n)
	case p.size == 4:
		*(*uint32)(at) = uint32(n)
	default:
		*(*uintptr)(at) = n
	}
}
