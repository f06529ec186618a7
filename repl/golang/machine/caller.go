package machine

import (
	"reflect"
	"runtime"
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
	in, out, call := registersOf(t, params, results)
	if call == nil {
		return nil
	}
	h := asHeader(reflect.ValueOf(fn.Interface())) // a method value gets a closure by this
	code := *word(&h)
	switch pattern(out) {
	case "":
		return callerOf[struct{}](code, in, func(unsafe.Pointer, struct{}) {})
	case "n":
		return callerOf(code, in, func(at unsafe.Pointer, r uintptr) { out[0].store(at, nil, r) })
	case "p":
		return callerOf(code, in, func(at, r unsafe.Pointer) { out[0].store(at, r, 0) })
	}
	var is [maxResults]byte
	copy(is[:], pattern(out))
	return func(at unsafe.Pointer) {
		r := call(code, argumentsAt(at, in, 0), is)
		for i, p := range out {
			p.store(at, r.p[i], r.n[i])
		}
	}
}

// registersOf are the words of the parameters and results of a function, and what calls it: nil where they do not fit.
func registersOf(t reflect.Type, params, results []uintptr) (in, out []part, call invoke) {
	for i, offset := range params {
		ps, ok := parts(t.In(i), offset)
		if !ok {
			return nil, nil, nil
		}
		in = append(in, ps...)
	}
	for i, offset := range results {
		ps, ok := parts(t.Out(i), offset)
		if !ok {
			return nil, nil, nil
		}
		out = append(out, ps...)
	}
	floats := 0
	for _, p := range in {
		if p.kind == 'x' {
			floats++
		}
	}
	if len(in)-floats >= maxWords || floats > maxFloats { // with room for a receiver
		return nil, nil, nil
	}
	return in, out, invokes[pattern(out)]
}

// argumentsAt reads the arguments of a call, from the n-th register on.
func argumentsAt(at unsafe.Pointer, in []part, n int) (regs argRegisters) {
	x := 0
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
	return regs
}

// ValueCaller is Caller for function values of a type: the value is the first parameter, and not nil.
func ValueCaller(t reflect.Type, params, results []uintptr) func(at unsafe.Pointer) {
	if nativeWorks && !t.IsVariadic() {
		if in, out, call := registersOf(t, params[1:], results); call != nil {
			var is [maxResults]byte
			copy(is[:], pattern(out))
			return func(at unsafe.Pointer) {
				r := call(*(*unsafe.Pointer)(unsafe.Add(at, params[0])), argumentsAt(at, in, 0), is)
				for i, p := range out {
					p.store(at, r.p[i], r.n[i])
				}
			}
		}
	}
	return func(at unsafe.Pointer) {
		in := make([]reflect.Value, t.NumIn())
		for i := range in {
			in[i] = reflect.NewAt(t.In(i), unsafe.Add(at, params[1+i])).Elem()
		}
		for i, v := range Call(reflect.NewAt(t, unsafe.Add(at, params[0])).Elem(), in) {
			reflect.NewAt(t.Out(i), unsafe.Add(at, results[i])).Elem().Set(v)
		}
	}
}

// Invoker is Caller for a method of an interface, which is the first parameter and not nil. It returns nil for a method
// that cannot be called so.
func Invoker(t reflect.Type, method string, params, results []uintptr) func(at unsafe.Pointer) {
	m, ok := t.MethodByName(method)
	if !ok {
		return nil
	}
	in, out, call := registersOf(m.Type, params[1:], results)
	if call == nil || !nativeWorks {
		if !m.IsExported() { // reflect does not call it
			return nil
		}
		return invokerByReflection(t, m, params, results)
	}
	var is [maxResults]byte
	copy(is[:], pattern(out))
	return func(at unsafe.Pointer) {
		v := *(*iface)(unsafe.Add(at, params[0]))
		regs := argumentsAt(at, in, 1)
		regs.p[0] = v.data
		r := call(unsafe.Add(unsafe.Pointer(&v.tab.fun), uintptr(m.Index)*unsafe.Sizeof(uintptr(0))), regs, is)
		for i, p := range out {
			p.store(at, r.p[i], r.n[i])
		}
	}
}

func invokerByReflection(t reflect.Type, m reflect.Method, params, results []uintptr) func(at unsafe.Pointer) {
	return func(at unsafe.Pointer) {
		fn := reflect.NewAt(t, unsafe.Add(at, params[0])).Elem().Method(m.Index)
		in := make([]reflect.Value, len(params)-1)
		for i, offset := range params[1:] {
			in[i] = reflect.NewAt(m.Type.In(i), unsafe.Add(at, offset)).Elem()
		}
		call := fn.Call
		if m.Type.IsVariadic() {
			call = fn.CallSlice
		}
		for i, v := range call(in) {
			reflect.NewAt(m.Type.Out(i), unsafe.Add(at, results[i])).Elem().Set(v)
		}
	}
}

// callerOf is callerInRegisters of a function whose results are R. The arguments are read from the memory as numbers:
// the memory keeps alive what they point to, until the function has begun.
func callerOf[R any](code unsafe.Pointer, in []part, put func(unsafe.Pointer, R)) func(at unsafe.Pointer) {
	call := *(*func(_, _, _, _, _, _, _, _, _ uintptr, _, _, _, _ float64) R)(unsafe.Pointer(&code))
	return func(at unsafe.Pointer) {
		var w [maxWords]uintptr
		var x [maxFloats]float64
		n, k := 0, 0
		for i := range in {
			p := &in[i]
			bits := p.bits(at)
			if p.kind == 'x' {
				*(*uintptr)(unsafe.Pointer(&x[k])) = bits // of a float32 in the lower half
				k++
				continue
			}
			w[n] = bits
			n++
		}
		r := call(w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], x[0], x[1], x[2], x[3])
		runtime.KeepAlive(at)
		put(at, r)
	}
}

// bits reads a word of a value as a number.
func (p *part) bits(at unsafe.Pointer) uintptr {
	at = unsafe.Add(at, p.offset)
	switch p.size {
	case 1:
		return uintptr(*(*uint8)(at))
	case 2:
		return uintptr(*(*uint16)(at))
	case 4:
		return uintptr(*(*uint32)(at))
	}
	return *(*uintptr)(at)
}
