package host

import (
	"sync/atomic"
	"unsafe"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// Storage is memory of the host, aligned for every element type.
type Storage struct {
	Data  []byte
	block *uint64 // of heapBlocks, or of PinnedBlocks; nil for small storages
	warm  bool    // the block was written a moment ago when this storage got it
	backend.Marks
	pinned *pinnedMemory // nil unless the memory is locked

	deferred atomic.Pointer[deferred] // the operation that computes the elements; nil once it has
	exposed  atomic.Bool              // the memory may be written to at any time
	dying    bool                     // it was freed, but deferred results read it; under fusing.mu
}

func (h *Storage) Size() int {
	if e := h.deferred.Load(); e != nil {
		return e.bytes
	}
	return len(h.Data)
}

// HostBytes returns the memory.
func (h *Storage) HostBytes() []byte { return h.Data }

// Release keeps Data, so that a goroutine that wrongly still uses it reads memory. Deferred results that are made of it
// keep it, too.
func (h *Storage) Release() {
	if fusing.count.Load() == 0 || fusing.mayRelease(h) {
		h.release()
	}
}

func (h *Storage) release() {
	switch {
	case h.pinned != nil:
		PinnedBlocks.free(h.block, h.pinned.class)
	case h.block != nil:
		heapBlocks.free(h.block, sizeClass(len(h.Data)))
	}
}

// Materialize computes the elements if they are deferred.
func (h *Storage) Materialize() error {
	if h.deferred.Load() != nil {
		fusing.compute(h)
	}
	return nil
}

func (h *Storage) PrepareOverwrite() error { return h.PrepareWrite(false) }

// PrepareWrite computes the elements, and the deferred results that are made of them, and waits until uploads have read
// them. Exposed memory may be in use when its tensor is not.
func (h *Storage) PrepareWrite(exposed bool) error {
	fusing.compute(h)
	if exposed {
		h.MarkKept()
		h.exposed.Store(true)
	}
	fusing.computeDependents(h)
	if h.pinned == nil {
		return nil
	}
	if exposed {
		h.pinned.exposed.Store(true)
	}
	if err := h.pinned.pages.Wait(); err != nil {
		return &backend.OpError{Op: "upload", Location: h.pinned.on, Err: err}
	}
	return nil
}

// Pages is the locked memory of h. It is nil if there is none, or if the memory may be written to at any time.
func (h *Storage) Pages() backend.Pages {
	if h.pinned == nil || h.pinned.exposed.Load() {
		return nil
	}
	return h.pinned.pages
}

// IsPinned reports whether h is in locked memory.
func (h *Storage) IsPinned() bool { return h.pinned != nil }

// free returns the memory to the pool at once. It is for intermediate results, which nobody else refers to.
func (h *Storage) free() {
	if block := h.block; block != nil && h.pinned == nil {
		n := len(h.Data)
		h.Data, h.block = nil, nil
		heapBlocks.free(block, sizeClass(n))
	}
}

// New returns n zeroed bytes. There is always room for an element, so that pointers to elements are never nil.
func New(n int) *Storage {
	h, zeroed := allocate(n)
	if !zeroed {
		clear(h.Data)
	}
	return h
}

// NewUninitialized is New for memory that is overwritten as a whole: the contents are arbitrary.
func NewUninitialized(n int) *Storage {
	h, _ := allocate(n)
	return h
}

func allocate(n int) (h *Storage, zeroed bool) {
	switch {
	case n <= 8*8:
		return smallStorage[[8]uint64](n), true
	case n <= 8*32:
		return smallStorage[[32]uint64](n), true
	case n <= 8*128:
		return smallStorage[[128]uint64](n), true
	case n < minPooled:
		words := make([]uint64, max(1, (n+7)/8))
		return &Storage{Data: BytesAt(unsafe.Pointer(&words[0]), n)}, true
	}
	block, zeroed, warm := heapBlocks.get(n)
	return &Storage{Data: BytesAt(blockStart(block, n), n), block: block, warm: warm}, zeroed
}

// smallStorage allocates a storage and its few bytes as one object: models compute with many short rows.
func smallStorage[A [8]uint64 | [32]uint64 | [128]uint64](n int) *Storage {
	s := new(struct {
		Storage
		words A
	})
	s.Data = BytesAt(unsafe.Pointer(&s.words), n)
	return &s.Storage
}

func BytesAt(p unsafe.Pointer, n int) []byte { return unsafe.Slice((*byte)(p), n) }

// BytesOf returns the memory of numbers.
func BytesOf[T any](x []T) []byte {
	var zero T
	return BytesAt(unsafe.Pointer(unsafe.SliceData(x)), len(x)*int(unsafe.Sizeof(zero)))
}

// View returns memory as elements of T.
func View[T any](b []byte) []T {
	var zero T
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(zero)))
}

// Elements returns memory as elements of the Go type of dt: bits of uint16 and uint8 for floats that Go lacks.
func Elements(dt kernels.DType, raw []byte) any {
	switch dt {
	case kernels.Bool:
		return View[bool](raw)
	case kernels.U32:
		return View[uint32](raw)
	case kernels.I16:
		return View[int16](raw)
	case kernels.I8:
		return View[int8](raw)
	case kernels.U16:
		return View[uint16](raw)
	case kernels.U64:
		return View[uint64](raw)
	case kernels.I32:
		return View[int32](raw)
	case kernels.I64:
		return View[int64](raw)
	case kernels.F16, kernels.BF16:
		return View[uint16](raw)
	case kernels.F32:
		return View[float32](raw)
	case kernels.F64:
		return View[float64](raw)
	case kernels.C64:
		return View[complex64](raw)
	case kernels.C128:
		return View[complex128](raw)
	}
	return View[uint8](raw)
}

// Set writes one element given as bits.
func (h *Storage) Set(dt kernels.DType, i int, bits uint64) {
	switch dt.Size() {
	case 1:
		h.Data[i] = byte(bits)
	case 2:
		View[uint16](h.Data)[i] = uint16(bits)
	case 4:
		View[uint32](h.Data)[i] = uint32(bits)
	case 8:
		View[uint64](h.Data)[i] = bits
	}
}

// Widen converts small floats to float32.
func Widen(out []float32, raw []byte, dt kernels.DType) {
	switch dt {
	case kernels.F16:
		widenAll(out, View[backend.Float16](raw))
	case kernels.BF16:
		widenAll(out, View[backend.BFloat16](raw))
	case kernels.F8E4M3:
		widenAll(out, View[backend.Float8](raw))
	}
}

// Narrow rounds float32 to small floats.
func Narrow(raw []byte, in []float32, dt kernels.DType) {
	switch dt {
	case kernels.F16:
		narrowRow(View[backend.Float16](raw)[:len(in)], in)
	case kernels.BF16:
		narrowRow(View[backend.BFloat16](raw)[:len(in)], in)
	case kernels.F8E4M3:
		narrowRow(View[backend.Float8](raw)[:len(in)], in)
	}
}

func widenAll[T interface{ Float32() float32 }](out []float32, in []T) {
	for i, x := range in[:len(out)] {
		out[i] = x.Float32()
	}
}

// ToFloat64 converts elements of any type.
func ToFloat64(dt kernels.DType, raw []byte) []float64 {
	switch dt.Stored() {
	case kernels.U8:
		return floatsOf[uint8](raw)
	case kernels.U32:
		return floatsOf[uint32](raw)
	case kernels.I16:
		return floatsOf[int16](raw)
	case kernels.I8:
		return floatsOf[int8](raw)
	case kernels.U16:
		return floatsOf[uint16](raw)
	case kernels.U64:
		return floatsOf[uint64](raw)
	case kernels.I32:
		return floatsOf[int32](raw)
	case kernels.I64:
		return floatsOf[int64](raw)
	case kernels.F32:
		return floatsOf[float32](raw)
	case kernels.F64:
		return floatsOf[float64](raw)
	}
	wide := NewUninitialized(4 * (len(raw) / dt.Size()))
	Widen(View[float32](wide.Data), raw, dt)
	return floatsOf[float32](wide.Data)
}

func floatsOf[T element](raw []byte) []float64 {
	in := View[T](raw)
	out := View[float64](NewUninitialized(8 * len(in)).Data)
	for i, x := range in {
		out[i] = float64(x)
	}
	return out
}
