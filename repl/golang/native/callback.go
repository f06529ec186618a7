package native

import (
	"go/types"
	"strings"
	"sync"
	"unsafe"

	"github.com/gorocm/gorocm/repl/golang/native/amd64"
	"github.com/gorocm/gorocm/repl/golang/native/enter"
	"github.com/gorocm/gorocm/repl/golang/native/ir"
)

// A function value of generated code is what any function value of Go is: the address of a closure, which begins with
// the address of code. For each list of words that parameters and results are, there is code of package amd64 that Go
// code calls: it takes a context that waits, moves the arguments, and calls what the closure says. Where that leaves,
// a closure of Go code takes the place of the call: see resume.

// closure begins what a function value points to. What it captures follows.
type closure struct {
	code  uintptr
	entry unsafe.Pointer // of proc
	proc  *Proc
}

const (
	closureEntry = unsafe.Offsetof(closure{}.entry)
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

// maxGoFloats is how many floats generated code has registers for; Go code has some more.
const maxGoFloats = enter.NumFloats

// signatureOf is how a function is called as a function value; nil where that is not supported.
func signatureOf(sig *types.Signature) *signature {
	if sig.Variadic() || sig.TypeParams() != nil || enter.Locks() == 0 {
		return nil
	}
	params, _, bad := tupleWords(sig.Params())
	if bad != nil {
		return nil
	}
	results, _, bad := tupleWords(sig.Results())
	if bad != nil || !inRegisters(sig.Params(), params) || !inRegisters(sig.Results(), results) {
		return nil
	}
	form, ok := resultForms.index[resultForm(results)]
	if !ok {
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

// inRegisters reports whether Go code passes values in registers. It does not where there are arrays of several
// elements.
func inRegisters(t *types.Tuple, kinds []ir.Kind) bool {
	class := [2]int{}
	for _, k := range kinds {
		if k.IsFloat() {
			class[1]++
		} else {
			class[0]++
		}
	}
	for v := range t.Variables() {
		if hasArray(v.Type()) {
			return false
		}
	}
	return class[0] <= amd64.MaxGoInts && class[1] <= maxGoFloats && len(kinds) <= maxWords
}

// hasArray reports whether a value has an array of several elements, or of none.
func hasArray(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Array:
		return u.Len() != 1 || hasArray(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			if hasArray(f.Type()) {
				return true
			}
		}
	}
	return false
}

// make makes the code.
func (s *signature) make(form int) error {
	if err := openGate(); err != nil {
		return err
	}
	contexts.Do(openContexts)
	const deep = 256 << 10
	f := amd64.Function{Params: s.params, Results: s.resultsOf, Slots: contexts.address(0), Mask: contexts.shared - 1,
		Threads: contexts.address(contexts.shared), ThreadMask: threads - 1,
		Entry: int(closureEntry), Form: form, Deep: deep}
	c := f.Code()
	at, err := enter.Map(c.Bytes)
	if err != nil {
		return err
	}
	s.code, s.ret, s.slow, s.done = at, at+uintptr(c.Return), at+uintptr(c.Slow), at+uintptr(c.Done)
	addStops(map[uintptr]*stop{
		at + uintptr(c.Deep): {code: leaveDeep, bottom: true, pointers: c.Pointers},
		s.ret:                {code: leaveCall, bottom: true},
		s.slow:               {code: leaveCall, bottom: true},
		s.done:               {code: leaveDone, bottom: true},
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
		if used > h.StackLimit() && h.TooDeep() {
			return
		}
		p.call(code, h, used, params, nil)
		return
	}
	p.callInterpreted()
}

// callInterpreted calls the newest version of a declared function without parameters and results.
func (p *Proc) callInterpreted() { (&callOut{p: p}).call(p.of.host) }
