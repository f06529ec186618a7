package tensor

import (
	"unsafe"
)

// hostStorage is memory of the host, aligned for every element type.
type hostStorage struct {
	data  []byte
	block *uint64 // of hostBlocks, or of lockedBlocks; nil for small ones
	warm  bool    // a result had just been written there when this was made
	freed
	locked *lock // nil but for PinMemory's
}

func (h *hostStorage) size() int { return len(h.data) }

// release keeps data, so that a goroutine that wrongly still uses it meets memory.
func (h *hostStorage) release() {
	switch {
	case h.locked != nil:
		lockedBlocks.free(h.block, h.locked.class)
	case h.block != nil:
		hostBlocks.free(h.block, hostClass(len(h.data)))
	}
}

func (h *hostStorage) ready() error { return nil }

func (h *hostStorage) replace() error { return h.claim(false) }

// claim waits for uploads of the elements as they are.
func (h *hostStorage) claim(exposed bool) error {
	if h.locked == nil {
		return nil
	}
	if exposed {
		h.locked.exposed.Store(true)
	}
	if err := h.locked.pages.Wait(); err != nil {
		return &opError{"upload", h.locked.on, err}
	}
	return nil
}

// pages is the locked memory of h, unless somebody may write to it unseen; nil if there is none.
func (h *hostStorage) pages() pages {
	if h.locked == nil || h.locked.exposed.Load() {
		return nil
	}
	return h.locked.pages
}

// isLocked reports whether h is in locked memory.
func (h *hostStorage) isLocked() bool { return h.locked != nil }

// free gives the memory back at once. It is for intermediate results, which nobody else has seen.
func (h *hostStorage) free() {
	if block := h.block; block != nil && h.locked == nil {
		n := len(h.data)
		h.data, h.block = nil, nil
		hostBlocks.free(block, hostClass(n))
	}
}

// newHost returns n zeroed bytes, with room for at least one element so that pointers to them are never nil.
func newHost(n int) *hostStorage {
	h, zeroed := hostBlock(n)
	if !zeroed {
		clear(h.data)
	}
	return h
}

// unclearedHost is newHost for what is overwritten altogether: the contents are arbitrary.
func unclearedHost(n int) *hostStorage {
	h, _ := hostBlock(n)
	return h
}

func hostBlock(n int) (h *hostStorage, zeroed bool) {
	switch {
	case n <= 8*8:
		return smallHost[[8]uint64](n), true
	case n <= 8*32:
		return smallHost[[32]uint64](n), true
	case n <= 8*128:
		return smallHost[[128]uint64](n), true
	case n < minPooled:
		words := make([]uint64, max(1, (n+7)/8))
		return &hostStorage{data: rawBytes(unsafe.Pointer(&words[0]), n)}, true
	}
	block, zeroed, warm := hostBlocks.get(n)
	return &hostStorage{data: rawBytes(blockStart(block, n), n), block: block, warm: warm}, zeroed
}

// smallHost is a storage and the few bytes that it keeps, in one allocation: models compute with many short rows.
func smallHost[A [8]uint64 | [32]uint64 | [128]uint64](n int) *hostStorage {
	s := new(struct {
		hostStorage
		words A
	})
	s.data = rawBytes(unsafe.Pointer(&s.words), n)
	return &s.hostStorage
}

func rawBytes(p unsafe.Pointer, n int) []byte { return unsafe.Slice((*byte)(p), n) }

// rawBytesOf looks at numbers as bytes.
func rawBytesOf[T any](x []T) []byte {
	var zero T
	return rawBytes(unsafe.Pointer(unsafe.SliceData(x)), len(x)*int(unsafe.Sizeof(zero)))
}

// hostView looks at bytes as elements of T.
func hostView[T any](b []byte) []T {
	var zero T
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(zero)))
}

// set writes one element given as bits.
func (h *hostStorage) set(dt DType, i int, bits uint64) {
	switch dt.Size() {
	case 1:
		h.data[i] = byte(bits)
	case 2:
		hostView[uint16](h.data)[i] = uint16(bits)
	case 4:
		hostView[uint32](h.data)[i] = uint32(bits)
	case 8:
		hostView[uint64](h.data)[i] = bits
	}
}

// widen converts small floats to float32.
func widen(out []float32, raw []byte, dt DType) {
	switch dt {
	case F16:
		widenAll(out, hostView[half](raw))
	case BF16:
		widenAll(out, hostView[bfloat](raw))
	case F8E4M3:
		widenAll(out, hostView[float8](raw))
	}
}

func widenAll[T interface{ float32() float32 }](out []float32, in []T) {
	for i, x := range in[:len(out)] {
		out[i] = x.float32()
	}
}

// toFloat64 converts elements of any type.
func toFloat64(dt DType, raw []byte) []float64 {
	switch dt {
	case U8:
		return floatsOf[uint8](raw)
	case U32:
		return floatsOf[uint32](raw)
	case I16:
		return floatsOf[int16](raw)
	case I32:
		return floatsOf[int32](raw)
	case I64:
		return floatsOf[int64](raw)
	case F32:
		return floatsOf[float32](raw)
	case F64:
		return floatsOf[float64](raw)
	}
	wide := unclearedHost(4 * (len(raw) / dt.Size()))
	widen(hostView[float32](wide.data), raw, dt)
	return floatsOf[float32](wide.data)
}

func floatsOf[T element](raw []byte) []float64 {
	in := hostView[T](raw)
	out := hostView[float64](unclearedHost(8 * len(in)).data)
	for i, x := range in {
		out[i] = float64(x)
	}
	return out
}
