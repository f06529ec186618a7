package native

import (
	"go/token"
	"go/types"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/gorocm/gorocm/repl/golang/native/amd64"
	"github.com/gorocm/gorocm/repl/golang/native/enter"
	"github.com/gorocm/gorocm/repl/golang/native/ir"
	"github.com/gorocm/gorocm/repl/golang/native/layouts"
)

// A function value of generated code is what any function value of Go is: the address of a closure, which begins with
// the address of code. For each list of words that parameters and results are, there is code of package amd64 that Go
// code calls: it takes a context that waits, moves the arguments, and calls what the closure says. Where that leaves,
// a closure of Go code takes the place of the call: see resume.

// closure begins what a function value points to. What it captures follows.
type closure struct {
	code   uintptr
	entry  unsafe.Pointer // where the address of the code is, in proc
	stops  *atomic.Int32  // of the session
	called *signature
	proc   *Proc
}

const (
	closureEntry = unsafe.Offsetof(closure{}.entry)
	closureStops = unsafe.Offsetof(closure{}.stops)
	closureSize  = unsafe.Sizeof(closure{})
)

// signature is how functions with certain words of parameters and results are called as function values.
type signature struct {
	code uintptr // with which their closures begin
	// wrapped is set for functions without any: the runtime must know the code of one that a go statement calls. Their
	// function values are closures of Go code, whose one variable is the closure of generated code.
	wrapped           bool
	ret, slow, done   uintptr // see amd64.FunctionCode
	params, resultsOf []ir.Kind
}

var signatures struct {
	sync.Mutex
	by map[string]*signature
}

// signatureOf is how a function is called as a function value; nil where that is not supported.
func signatureOf(sig *types.Signature) *signature {
	if sig.TypeParams() != nil {
		return nil
	}
	params, _, bad := tupleWords(sig.Params())
	if bad != nil {
		return nil
	}
	results, _, bad := tupleWords(sig.Results())
	if bad != nil || layouts.HasArrays(sig.Params()) || layouts.HasArrays(sig.Results()) {
		return nil
	}
	for _, list := range []*types.Tuple{sig.Params(), sig.Results()} {
		for v := range list.Variables() {
			if isEmpty(v.Type()) {
				return nil
			}
		}
	}
	return signatureFor(params, results)
}

// signatureFor is how functions with words of the given kinds are called, which Go code passes in registers if they are
// not too many.
func signatureFor(params, results []ir.Kind) *signature {
	knowForms()
	form, ok := resultForms.index[resultForm(results)]
	if !ok || !inRegisters(params) || !inRegisters(results) || enter.Locks() == 0 {
		return nil
	}
	var b strings.Builder
	for _, k := range params {
		b.WriteByte(byte('a' + k))
	}
	b.WriteByte('|')
	for _, k := range results {
		b.WriteByte(byte('a' + k))
	}
	signatures.Lock()
	defer signatures.Unlock()
	if s := signatures.by[b.String()]; s != nil {
		return s
	}
	s := &signature{params: params, resultsOf: results, wrapped: len(params)+len(results) == 0}
	if s.wrapped {
		wrapper := wrap(nil)
		s.code = *(*uintptr)(wrapper)
	} else if s.make(form) != nil {
		return nil
	}
	if signatures.by == nil {
		signatures.by = map[string]*signature{}
	}
	signatures.by[b.String()] = s
	return s
}

// inRegisters reports whether Go code, and code here, passes so many words in registers.
func inRegisters(kinds []ir.Kind) bool { return fitIn(kinds, amd64.MaxGoInts, enter.NumFloats) }

// make makes the code.
func (s *signature) make(form int) error {
	if err := openGate(); err != nil {
		return err
	}
	contexts.Do(openContexts)
	const deep = 256 << 10
	f := amd64.Function{Params: s.params, Results: s.resultsOf, Form: form, Deep: deep, Slots: contexts.address(0),
		Mask: contexts.shared - 1, Threads: contexts.address(contexts.shared), ThreadMask: threads - 1,
		Entry: int(closureEntry), Stops: int(closureStops)}
	c := f.Code()
	at, err := enter.Map(c.Bytes)
	if err != nil {
		return err
	}
	s.code, s.ret, s.slow, s.done = at, at+uintptr(c.Return), at+uintptr(c.Slow), at+uintptr(c.Done)
	addStops(map[uintptr]*stop{
		at + uintptr(c.Ask): {code: leaveAsk, bottom: true, pointers: c.Pointers},
		s.ret:               {code: leaveCall, bottom: true},
		s.slow:              {code: leaveCall, bottom: true},
		s.done:              {code: leaveDone, bottom: true},
	})
	return nil
}

// wrap makes the function value of a function without parameters and results.
//
//go:noinline
func wrap(c *closure) unsafe.Pointer {
	f := func() { c.proc.callWrapped(c) }
	return *(*unsafe.Pointer)(unsafe.Pointer(&f))
}

// wrappedAt is where the closure of generated code is in what wrap makes.
const wrappedAt = 8

// callWrapped runs generated code for Go code that has called it.
func (p *Proc) callWrapped(c *closure) {
	var params []unsafe.Pointer
	if p.literal {
		params = []unsafe.Pointer{unsafe.Pointer(&c)}
	}
	if code := p.code.Load(); code != nil {
		h := p.of.host
		used := stackUsed()
		if used > h.StackLimit() && h.TooDeep() || h.Stops.Load() != 0 && h.Stopped() {
			return
		}
		p.call(code, h, used, params, nil)
		return
	}
	p.callInterpreted()
}

// callInterpreted calls the newest version of a declared function without parameters and results.
func (p *Proc) callInterpreted() { (&callOut{p: p}).call(p.of.host) }

// closureOf is the closure of a function without variables around it. entry is where the address of its code is.
func (p *Proc) closureOf(s *signature, entry *uint64) *closure {
	return &closure{code: s.code, entry: unsafe.Pointer(entry), stops: p.of.host.Stops, called: s, proc: p}
}

// Direct is the function as a function value, and the same of a method whose receiver is a value with the address of
// one in its place; nil where there is none. Go code calls them at compiled speed.
func (p *Proc) Direct() (value, byAddress unsafe.Pointer) {
	if p.of.host == nil || p.literal || layouts.HasArrays(p.sig.Params()) || layouts.HasArrays(p.sig.Results()) {
		return nil, nil
	}
	var params, results []ir.Kind
	receiver := 0
	for _, w := range p.in {
		params = append(params, w.kind)
		if w.value == 0 {
			receiver++
		}
	}
	for _, w := range p.out {
		results = append(results, w.kind)
	}
	if s := signatureFor(params, results); s != nil && !s.wrapped {
		value = unsafe.Pointer(p.closureOf(s, &p.entry))
	}
	if atomic.LoadUint64(&p.byAddress) != 0 {
		if s := signatureFor(append([]ir.Kind{ir.Ptr}, params[receiver:]...), results); s != nil {
			byAddress = unsafe.Pointer(p.closureOf(s, &p.byAddress))
		}
	}
	return value, byAddress
}

// Captured lists what a function value of generated code keeps alive: the variables that it captures. The id tells it
// from others; it is 0 for functions of other kinds.
func Captured(fn reflect.Value) (id uintptr, list []reflect.Value) {
	if fn.Kind() != reflect.Func || fn.IsNil() {
		return 0, nil
	}
	at := reflect.New(fn.Type())
	at.Elem().Set(fn)
	p := *(*unsafe.Pointer)(at.UnsafePointer())
	s := signatureAt(*(*uintptr)(p))
	if s == nil {
		return 0, nil
	}
	if s.wrapped {
		p = *(*unsafe.Pointer)(unsafe.Add(p, wrappedAt))
	}
	if object := (*closure)(p).proc.object; object != nil {
		v := reflect.NewAt(object, p).Elem()
		for i := 1; i < v.NumField(); i++ {
			list = append(list, v.Field(i))
		}
	}
	return uintptr(p), list
}

// FuncOf is what traces call the function of a function value of generated code, and where it begins. It reports false
// for values of other kinds.
func FuncOf(fn unsafe.Pointer) (name string, at token.Pos, ok bool) {
	s := signatureAt(*(*uintptr)(fn))
	if s == nil {
		return "", token.NoPos, false
	}
	if s.wrapped {
		fn = *(*unsafe.Pointer)(unsafe.Add(fn, wrappedAt))
	}
	b := (*closure)(fn).proc.begins.Load()
	if b == nil {
		return "", token.NoPos, false
	}
	return b.name, b.at, true
}

// beginning is a function as function values have it.
type beginning struct {
	name string // as traces have it; of a method value, as package runtime has it
	at   token.Pos
}

// signatureAt is the one whose function values begin with an address, nil for none.
func signatureAt(code uintptr) *signature {
	signatures.Lock()
	defer signatures.Unlock()
	for _, s := range signatures.by {
		if s.code == code {
			return s
		}
	}
	return nil
}
