package rocm

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
)

// blasCalls is the table of calls of rocBLAS and of cuBLAS. Handles are uintptr; a status is the int that both return.
type blasCalls struct {
	create  func(handle *uintptr) code              `hip:"rocblas_create_handle" cuda:"cublasCreate_v2"`
	destroy func(handle uintptr) code               `hip:"rocblas_destroy_handle" cuda:"cublasDestroy_v2"`
	stream  func(handle, stream uintptr) code       `hip:"rocblas_set_stream" cuda:"cublasSetStream_v2"`
	math    func(handle uintptr, mode int32) code   `hip:"?rocblas_set_math_mode" cuda:"cublasSetMathMode"`
	atomics func(handle uintptr, mode int32) code   `hip:"?rocblas_set_atomics_mode" cuda:"?cublasSetAtomicsMode"`
	gemm    gemmCall                                `hip:"?rocblas_gemm_ex" cuda:"?cublasGemmEx"`
	batched gemmCall                                `hip:"?rocblas_gemm_strided_batched_ex" cuda:"?cublasGemmStridedBatchedEx"`
	text    func(buffer *byte, size uintptr) code   `hip:"?rocblas_get_version_string"`
	number  func(property int32, value *int32) code `cuda:"?cublasGetProperty"`
}

// gemmCall is a product with the arguments in the library's order, up to 29 of them.
type gemmCall func(args ...uintptr) code

// blasLibrary is rocBLAS or cuBLAS.
type blasLibrary struct {
	blasCalls
	lib     *library
	version string
	kind    *blasKind
}

// blasKind is what differs between the two libraries.
type blasKind struct {
	name     string
	platform Platform
	purpose  string
	statuses map[code]string
	noMemory code
	math     func(reduced bool) int32 // the mode; reduced asks for products of f32 with fewer bits
	find     func() (*library, error) // the file, once
	args     func(g *Gemm, handle uintptr, a, b, c gemmForm) []uintptr
	arch     func(lib *library, arch string) error // of a GPU that the library has no code for; nil if it says so itself
}

// deviceBLAS is a device's use of the library: a handle, made for the first product.
type deviceBLAS struct {
	mu      sync.Mutex // held during calls: handles of rocBLAS are for one thread at a time
	opened  bool
	lib     *blasLibrary
	handle  uintptr
	problem error            // why there is no handle
	refused map[string]error // products that failed, by kind
}

// noBLAS reports whether the user wants gorocm's own code for products, here as on the host.
func noBLAS() bool { return strings.EqualFold(os.Getenv("GOROCM_BLAS"), "go") }

// open returns the device's library with a handle, nil where there is none. It tries once.
func (b *deviceBLAS) open(d *Device) *deviceBLAS {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.opened {
		b.opened, b.refused = true, map[string]error{}
		b.lib, b.problem = d.drv.blas()
		if b.problem == nil {
			b.problem = b.start(d)
		}
	}
	if b.problem != nil {
		return nil
	}
	return b
}

// start makes the handle and sets it up. A handle that cannot be set up is destroyed again.
func (b *deviceBLAS) start(d *Device) error {
	lib := b.lib
	if lib.kind.arch != nil {
		if err := lib.kind.arch(lib.lib, d.info.Arch); err != nil {
			return err
		}
	}
	if err := b.call(d, "create", func() code { return lib.create(&b.handle) }); err != nil {
		return err
	}
	steps := []struct {
		field string
		call  func() code
	}{
		{"stream", func() code { return lib.stream(b.handle, d.stream) }},
		{"math", func() code { return lib.blasCalls.math(b.handle, lib.kind.math(flag("GOROCM_TF32"))) }},
		{"atomics", func() code { return lib.atomics(b.handle, 0) }}, // the same product gives the same bits
	}
	if lib.blasCalls.math == nil {
		steps[1].call = nil
	}
	if lib.atomics == nil {
		steps[2].call = nil
	}
	for _, s := range steps {
		if s.call == nil {
			continue
		}
		if err := b.call(d, s.field, s.call); err != nil {
			_ = b.call(d, "destroy", func() code { return lib.destroy(b.handle) }) // the first error says what is wrong
			b.handle = 0
			return err
		}
	}
	return nil
}

// call makes a call of the library where the device is current. When memory is short it frees what the pool keeps and tries again.
func (b *deviceBLAS) call(d *Device, field string, f func() code) error {
	var status code
	attempt := func() error { return d.do(field, func() code { status = f(); return 0 }) }
	err := attempt()
	if err == nil && status == b.lib.kind.noMemory {
		d.pool.trim()
		err = attempt()
	}
	if err != nil || status == 0 {
		return err
	}
	name := b.lib.kind.statuses[status]
	if name == "" {
		name = "status"
	}
	e := &Error{Op: tagName[blasCalls](field, d.info.Platform.column()), Code: int(status), Name: name, Kind: ErrUnsupported, Detail: b.lib.label()}
	if status == b.lib.kind.noMemory {
		e.Kind = ErrOutOfMemory
	}
	return e
}

func (l *blasLibrary) label() string {
	return fmt.Sprintf("%s %s, %s", l.kind.name, l.version, l.lib.path)
}

// kindOf names the products that succeed or fail alike.
func kindOf(g *Gemm) (field, kind string) {
	if g.Batch > 1 {
		return "batched", g.Elem + " in batches"
	}
	return "gemm", g.Elem
}

func (b *deviceBLAS) refuses(g *Gemm) bool {
	_, kind := kindOf(g)
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.refused[kind] != nil
}

// multiply puts the product on the stream. A product that the library fails to start is false, and so are those of its kind from then on;
// when memory was short, this one only.
func (b *deviceBLAS) multiply(d *Device, g *Gemm, x, y, z gemmForm) (bool, error) {
	field, kind := kindOf(g)
	b.mu.Lock()
	defer b.mu.Unlock()
	call := b.lib.gemm
	if field == "batched" {
		call = b.lib.batched
	}
	name := tagName[blasCalls](field, d.info.Platform.column())
	if call == nil {
		b.refused[kind] = &Error{Op: "load " + b.lib.lib.path, Text: "lacks " + name, Kind: ErrNoLibrary}
		return false, nil
	}
	args := b.lib.kind.args(g, b.handle, x, y, z)
	d.last.Store(&Function{name: name})
	run := func() code { return call(args...) }
	if p := d.profiler.Load(); p != nil {
		untimed := run
		run = func() (status code) {
			started := false
			_ = d.timed(p, timedLaunch{kernel: name + "_" + g.Elem}, func() code { started, status = true, untimed(); return status })
			if !started { // no event could be made
				status = untimed()
			}
			return status
		}
	}
	if d.timer.armed.Load() {
		if err := d.do("eventRecord", d.measured(func() code { return 0 })); err != nil {
			return false, err
		}
	}
	err := b.call(d, field, run)
	if err == nil {
		return true, d.synchronous(name)
	}
	if e, ok := err.(*Error); !ok || e.Kind != ErrOutOfMemory {
		b.refused[kind] = err
	}
	return false, nil
}

// BLASInfo says which library multiplies matrices on a device.
type BLASInfo struct {
	Name, Version, Path string            // rocBLAS or cuBLAS; empty where gorocm's own kernels multiply everything
	Problem             string            // why there is no library
	Refused             map[string]string // products that own kernels compute since the library failed: "bf16 in batches" to its words
}

// BLAS says which library multiplies matrices on the device. It loads it.
func (d *Device) BLAS() BLASInfo {
	b := d.blas.open(d)
	d.blas.mu.Lock()
	defer d.blas.mu.Unlock()
	if b == nil {
		return BLASInfo{Problem: strings.TrimPrefix(d.blas.problem.Error(), "rocm: ")}
	}
	info := BLASInfo{Name: b.lib.kind.name, Version: b.lib.version, Path: b.lib.lib.path, Refused: map[string]string{}}
	for kind, err := range b.refused {
		info.Refused[kind] = strings.TrimPrefix(err.Error(), "rocm: ")
	}
	return info
}

// blas loads the library that belongs to a driver.
func (drv *driver) blas() (*blasLibrary, error) {
	switch {
	case noBLAS():
		return nil, &Error{Op: "load a BLAS library", Text: "GOROCM_BLAS=go is set", Kind: ErrNoLibrary}
	case drv.platform == HIP:
		return rocblas.load()
	case drv.platform == CUDA:
		return cublas.load()
	}
	return nil, &Error{Op: "load a BLAS library", Text: "there is none for the emulated GPU", Kind: ErrUnsupported}
}

// load loads the library and finds its calls.
func (kind *blasKind) load() (*blasLibrary, error) {
	lib, err := kind.find()
	if err != nil {
		return nil, err
	}
	l := &blasLibrary{kind: kind, lib: lib}
	if err := bind(&l.blasCalls, kind.platform.column(), lib); err != nil {
		return nil, err
	}
	if l.gemm == nil && l.batched == nil {
		return nil, &Error{Op: "load " + lib.path, Text: "has no products of matrices that gorocm knows", Kind: ErrNoLibrary}
	}
	switch {
	case l.text != nil:
		buffer := make([]byte, 256)
		if l.text(&buffer[0], uintptr(len(buffer)-1)) == 0 {
			l.version = goString(&buffer[0])
		}
	case l.number != nil:
		var parts []string
		for property := range int32(3) { // major, minor, patch
			var v int32
			if l.number(property, &v) == 0 {
				parts = append(parts, fmt.Sprint(v))
			}
		}
		l.version = strings.Join(parts, ".")
	}
	return l, nil
}

// lacks names the products that the library has no call for.
func (l *blasLibrary) lacks() string {
	var list []string
	for field, call := range map[string]gemmCall{"gemm": l.gemm, "batched": l.batched} {
		if call == nil {
			list = append(list, tagName[blasCalls](field, l.kind.platform.column()))
		}
	}
	slices.Sort(list)
	return strings.Join(list, ", ")
}
