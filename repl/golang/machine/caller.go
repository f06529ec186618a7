package machine

import (
	"reflect"
	"unsafe"
)

// Caller returns what calls a compiled function whose parameters and results are in one piece of memory, at the given
// offsets from its start. A variadic function takes a slice. Of a method, fn has the receiver as its first parameter.
func Caller(fn reflect.Value, params, results []uintptr) func(at unsafe.Pointer) {
	if do := callerInRegisters(fn, params, results); do != nil {
		return do
	}
	t := fn.Type()
	call := fn.Call
	if t.IsVariadic() {
		call = fn.CallSlice
	}
	return func(at unsafe.Pointer) {
		in := make([]reflect.Value, len(params))
		for i, offset := range params {
			in[i] = reflect.NewAt(t.In(i), unsafe.Add(at, offset)).Elem()
		}
		for i, v := range call(in) {
			reflect.NewAt(t.Out(i), unsafe.Add(at, results[i])).Elem().Set(v)
		}
	}
}

// callerInRegisters is Caller without reflection, nil where that cannot be.
func callerInRegisters(fn reflect.Value, params, results []uintptr) func(at unsafe.Pointer) {
	if !nativeWorks {
		return nil
	}
	t := fn.Type()
	var in, out []part
	for i, offset := range params {
		ps, ok := parts(t.In(i), offset)
		if !ok {
			return nil
		}
		in = append(in, ps...)
	}
	for i, offset := range results {
		ps, ok := parts(t.Out(i), offset)
		if !ok {
			return nil
		}
		out = append(out, ps...)
	}
	call, known := invokes[pattern(out)]
	floats := 0
	for _, p := range in {
		if p.kind == 'x' {
			floats++
		}
	}
	if !known || len(in)-floats > maxWords || floats > maxFloats {
		return nil
	}
	var is [maxResults]byte
	copy(is[:], pattern(out))
	h := asHeader(reflect.ValueOf(fn.Interface())) // a method value gets a closure by this
	code := *word(&h)
	return func(at unsafe.Pointer) {
		var regs argRegisters
		n, x := 0, 0
		for _, p := range in {
			if p.kind == 'x' {
				_, bits := p.load(at)
				*(*uintptr)(unsafe.Pointer(&regs.x[x])) = bits // of a float32 in the lower half
				x++
				continue
			}
			regs.p[n], regs.n[n] = p.load(at)
			n++
		}
		r := call(code, regs, is)
		for i, p := range out {
			p.store(at, r.p[i], r.n[i])
		}
	}
}
