package emulator

import (
	"math/bits"
	"strings"
	"sync/atomic"
	"unsafe"

	"github.com/gorocm/gorocm/rocm/emulator/internal/number"
)

// access is a row of a table of memory instructions: what is moved, and how many bytes a lane touches.
type access struct {
	op   int
	name string
	size uint32
	fn   accessFn
}

// words returns how many whole words a plain load or store moves for a lane, and whether it stores; 0 for others.
func (a *access) words() (n uint8, store bool) {
	cut := strings.LastIndexByte(a.name, '_')
	switch strings.TrimPrefix(a.name[:cut], "ds_") {
	case "load":
	case "store":
		store = true
	default:
		return 0, false
	}
	if a.size%4 != 0 {
		return 0, false
	}
	return uint8(a.size / 4), store
}

// moves lists the loads and stores of GLOBAL, FLAT and SCRATCH by the part of their names behind the prefix.
var moves = []access{
	{16, "load_u8", 1, load(func(p unsafe.Pointer) uint32 { return uint32(*(*uint8)(p)) })},
	{17, "load_i8", 1, load(func(p unsafe.Pointer) uint32 { return uint32(*(*int8)(p)) })},
	{18, "load_u16", 2, load(func(p unsafe.Pointer) uint32 { return uint32(*(*uint16)(p)) })},
	{19, "load_i16", 2, load(func(p unsafe.Pointer) uint32 { return uint32(*(*int16)(p)) })},
	{20, "load_b32", 4, load32},
	{21, "load_b64", 8, load64},
	{22, "load_b96", 12, loadWords(3)},
	{23, "load_b128", 16, loadWords(4)},
	{24, "store_b8", 1, store(func(p unsafe.Pointer, x uint32) { *(*uint8)(p) = uint8(x) })},
	{25, "store_b16", 2, store(func(p unsafe.Pointer, x uint32) { *(*uint16)(p) = uint16(x) })},
	{26, "store_b32", 4, store32},
	{27, "store_b64", 8, store64},
	{28, "store_b96", 12, storeWords(3)},
	{29, "store_b128", 16, storeWords(4)},
	{30, "load_d16_u8", 1, loadHalf(0, func(p unsafe.Pointer) uint16 { return uint16(*(*uint8)(p)) })},
	{31, "load_d16_i8", 1, loadHalf(0, func(p unsafe.Pointer) uint16 { return uint16(*(*int8)(p)) })},
	{32, "load_d16_b16", 2, loadHalf(0, func(p unsafe.Pointer) uint16 { return *(*uint16)(p) })},
	{33, "load_d16_hi_u8", 1, loadHalf(16, func(p unsafe.Pointer) uint16 { return uint16(*(*uint8)(p)) })},
	{34, "load_d16_hi_i8", 1, loadHalf(16, func(p unsafe.Pointer) uint16 { return uint16(*(*int8)(p)) })},
	{35, "load_d16_hi_b16", 2, loadHalf(16, func(p unsafe.Pointer) uint16 { return *(*uint16)(p) })},
	{36, "store_d16_hi_b8", 1, store(func(p unsafe.Pointer, x uint32) { *(*uint8)(p) = uint8(x >> 16) })},
	{37, "store_d16_hi_b16", 2, store(func(p unsafe.Pointer, x uint32) { *(*uint16)(p) = uint16(x >> 16) })},
}

// globalAtomics lists the atomics of GLOBAL and FLAT by the part of their names behind the prefix.
var globalAtomics = []access{
	{51, "atomic_swap_b32", 4, modify32(number.Swap)},
	{52, "atomic_cmpswap_b32", 4, compareSwap32},
	{53, "atomic_add_u32", 4, modify32(number.Add)},
	{54, "atomic_sub_u32", 4, modify32(number.Sub)},
	{55, "atomic_csub_u32", 4, modify32(number.SubClamp)},
	{56, "atomic_min_i32", 4, modify32(number.MinI32)},
	{57, "atomic_min_u32", 4, modify32(number.Min)},
	{58, "atomic_max_i32", 4, modify32(number.MaxI32)},
	{59, "atomic_max_u32", 4, modify32(number.Max)},
	{60, "atomic_and_b32", 4, modify32(number.And)},
	{61, "atomic_or_b32", 4, modify32(number.Or)},
	{62, "atomic_xor_b32", 4, modify32(number.Xor)},
	{63, "atomic_inc_u32", 4, modify32(number.Increment)},
	{64, "atomic_dec_u32", 4, modify32(number.Decrement)},
	{65, "atomic_swap_b64", 8, modify64(number.Swap)},
	{66, "atomic_cmpswap_b64", 8, compareSwap64},
	{67, "atomic_add_u64", 8, modify64(number.Add)},
	{68, "atomic_sub_u64", 8, modify64(number.Sub)},
	{69, "atomic_min_i64", 8, modify64(number.MinI64)},
	{70, "atomic_min_u64", 8, modify64(number.Min)},
	{71, "atomic_max_i64", 8, modify64(number.MaxI64)},
	{72, "atomic_max_u64", 8, modify64(number.Max)},
	{73, "atomic_and_b64", 8, modify64(number.And)},
	{74, "atomic_or_b64", 8, modify64(number.Or)},
	{75, "atomic_xor_b64", 8, modify64(number.Xor)},
	{76, "atomic_inc_u64", 8, modify64(number.Increment)},
	{77, "atomic_dec_u64", 8, modify64(number.Decrement)},
	{80, "atomic_cmpswap_f32", 4, compareSwapF32},
	{81, "atomic_min_f32", 4, modify32(minAtF32)},
	{82, "atomic_max_f32", 4, modify32(maxAtF32)},
	{86, "atomic_add_f32", 4, modify32(addAtF32)},
}

// shared lists the loads and stores of DS with one address.
var shared = []access{
	{13, "ds_store_b32", 4, store32},
	{30, "ds_store_b8", 1, store(func(p unsafe.Pointer, x uint32) { *(*uint8)(p) = uint8(x) })},
	{31, "ds_store_b16", 2, store(func(p unsafe.Pointer, x uint32) { *(*uint16)(p) = uint16(x) })},
	{54, "ds_load_b32", 4, load32},
	{57, "ds_load_i8", 1, load(func(p unsafe.Pointer) uint32 { return uint32(*(*int8)(p)) })},
	{58, "ds_load_u8", 1, load(func(p unsafe.Pointer) uint32 { return uint32(*(*uint8)(p)) })},
	{59, "ds_load_i16", 2, load(func(p unsafe.Pointer) uint32 { return uint32(*(*int16)(p)) })},
	{60, "ds_load_u16", 2, load(func(p unsafe.Pointer) uint32 { return uint32(*(*uint16)(p)) })},
	{77, "ds_store_b64", 8, store64},
	{118, "ds_load_b64", 8, load64},
	{160, "ds_store_b8_d16_hi", 1, store(func(p unsafe.Pointer, x uint32) { *(*uint8)(p) = uint8(x >> 16) })},
	{161, "ds_store_b16_d16_hi", 2, store(func(p unsafe.Pointer, x uint32) { *(*uint16)(p) = uint16(x >> 16) })},
	{162, "ds_load_u8_d16", 1, loadHalf(0, func(p unsafe.Pointer) uint16 { return uint16(*(*uint8)(p)) })},
	{163, "ds_load_u8_d16_hi", 1, loadHalf(16, func(p unsafe.Pointer) uint16 { return uint16(*(*uint8)(p)) })},
	{164, "ds_load_i8_d16", 1, loadHalf(0, func(p unsafe.Pointer) uint16 { return uint16(*(*int8)(p)) })},
	{165, "ds_load_i8_d16_hi", 1, loadHalf(16, func(p unsafe.Pointer) uint16 { return uint16(*(*int8)(p)) })},
	{166, "ds_load_u16_d16", 2, loadHalf(0, func(p unsafe.Pointer) uint16 { return *(*uint16)(p) })},
	{167, "ds_load_u16_d16_hi", 2, loadHalf(16, func(p unsafe.Pointer) uint16 { return *(*uint16)(p) })},
	{222, "ds_store_b96", 12, storeWords(3)},
	{223, "ds_store_b128", 16, storeWords(4)},
	{254, "ds_load_b96", 12, loadWords(3)},
	{255, "ds_load_b128", 16, loadWords(4)},
}

// sharedAtomics lists the DS atomics by their opcode without return; with return it is 32 higher.
var sharedAtomics = []access{
	{0, "add_u32", 4, modify32(number.Add)},
	{1, "sub_u32", 4, modify32(number.Sub)},
	{2, "rsub_u32", 4, modify32(func(old, x uint32) uint32 { return x - old })},
	{3, "inc_u32", 4, modify32(number.Increment)},
	{4, "dec_u32", 4, modify32(number.Decrement)},
	{5, "min_i32", 4, modify32(number.MinI32)},
	{6, "max_i32", 4, modify32(number.MaxI32)},
	{7, "min_u32", 4, modify32(number.Min)},
	{8, "max_u32", 4, modify32(number.Max)},
	{9, "and_b32", 4, modify32(number.And)},
	{10, "or_b32", 4, modify32(number.Or)},
	{11, "xor_b32", 4, modify32(number.Xor)},
	{12, "mskor_b32", 4, modifyTwice32(number.MaskOr[uint32])},
	{13, "storexchg_b32", 4, modify32(number.Swap)}, // only with return
	{16, "cmpstore_b32", 4, compareSwap32},
	{17, "cmpstore_f32", 4, compareSwapF32},
	{18, "min_f32", 4, modify32(minAtF32)},
	{19, "max_f32", 4, modify32(maxAtF32)},
	{64, "add_u64", 8, modify64(number.Add)},
	{65, "sub_u64", 8, modify64(number.Sub)},
	{66, "rsub_u64", 8, modify64(func(old, x uint64) uint64 { return x - old })},
	{67, "inc_u64", 8, modify64(number.Increment)},
	{68, "dec_u64", 8, modify64(number.Decrement)},
	{69, "min_i64", 8, modify64(number.MinI64)},
	{70, "max_i64", 8, modify64(number.MaxI64)},
	{71, "min_u64", 8, modify64(number.Min)},
	{72, "max_u64", 8, modify64(number.Max)},
	{73, "and_b64", 8, modify64(number.And)},
	{74, "or_b64", 8, modify64(number.Or)},
	{75, "xor_b64", 8, modify64(number.Xor)},
	{76, "mskor_b64", 8, modifyTwice64(number.MaskOr[uint64])},
	{77, "storexchg_b64", 8, modify64(number.Swap)}, // only with return
	{80, "cmpstore_b64", 8, compareSwap64},
	{81, "cmpstore_f64", 8, compareSwapF64},
	{82, "min_f64", 8, modify64(func(old, x uint64) uint64 { return dbf(number.MinNum(dfb(old), dfb(x))) })},
	{83, "max_f64", 8, modify64(func(old, x uint64) uint64 { return dbf(number.MaxNum(dfb(old), dfb(x))) })},
}

// sharedPairs lists the DS instructions with two addresses; offsets count elements, or 64 elements in the stride64 forms.
var sharedPairs = []sharedPair{
	{14, "ds_store_2addr_b32", true, 4, access{size: 4, fn: store32}},
	{15, "ds_store_2addr_stride64_b32", true, 256, access{size: 4, fn: store32}},
	{46, "ds_storexchg_2addr_rtn_b32", false, 4, access{size: 4, fn: modify32(number.Swap)}},
	{47, "ds_storexchg_2addr_stride64_rtn_b32", false, 256, access{size: 4, fn: modify32(number.Swap)}},
	{55, "ds_load_2addr_b32", false, 4, access{size: 4, fn: load32}},
	{56, "ds_load_2addr_stride64_b32", false, 256, access{size: 4, fn: load32}},
	{78, "ds_store_2addr_b64", true, 8, access{size: 8, fn: store64}},
	{79, "ds_store_2addr_stride64_b64", true, 512, access{size: 8, fn: store64}},
	{110, "ds_storexchg_2addr_rtn_b64", false, 8, access{size: 8, fn: modify64(number.Swap)}},
	{111, "ds_storexchg_2addr_stride64_rtn_b64", false, 512, access{size: 8, fn: modify64(number.Swap)}},
	{119, "ds_load_2addr_b64", false, 8, access{size: 8, fn: load64}},
	{120, "ds_load_2addr_stride64_b64", false, 512, access{size: 8, fn: load64}},
}

func load(f func(p unsafe.Pointer) uint32) accessFn {
	return func(w *wave, in *inst, v *view, e uint32) {
		d := &w.v[in.d]
		for ; e != 0; e &= e - 1 {
			i := bits.TrailingZeros32(e)
			d[i] = f(v.at(i))
		}
	}
}

// loadHalf replaces one half of the register.
func loadHalf(shift uint, f func(p unsafe.Pointer) uint16) accessFn {
	return func(w *wave, in *inst, v *view, e uint32) {
		d := &w.v[in.d]
		for ; e != 0; e &= e - 1 {
			i := bits.TrailingZeros32(e)
			d[i] = d[i]&^(0xffff<<shift) | uint32(f(v.at(i)))<<shift
		}
	}
}

func load32(w *wave, in *inst, v *view, e uint32) {
	d := &w.v[in.d]
	if e == allLanes {
		base := unsafe.Add(v.base, -v.bias)
		for i, a := range v.off {
			d[i] = *(*uint32)(unsafe.Add(base, a))
		}
		return
	}
	for ; e != 0; e &= e - 1 {
		i := bits.TrailingZeros32(e)
		d[i] = *(*uint32)(v.at(i))
	}
}

func load64(w *wave, in *inst, v *view, e uint32) {
	lo, hi := &w.v[in.d], &w.v[in.d+1]
	for ; e != 0; e &= e - 1 {
		i := bits.TrailingZeros32(e)
		x := *(*uint64)(v.at(i))
		lo[i], hi[i] = uint32(x), uint32(x>>32)
	}
}

func loadWords(n int) accessFn {
	return func(w *wave, in *inst, v *view, e uint32) {
		d := w.v[in.d:][:n]
		for ; e != 0; e &= e - 1 {
			i := bits.TrailingZeros32(e)
			for k, x := range unsafe.Slice((*uint32)(v.at(i)), n) {
				d[k][i] = x
			}
		}
	}
}

func store(f func(p unsafe.Pointer, x uint32)) accessFn {
	return func(w *wave, in *inst, v *view, e uint32) {
		x := &w.v[in.data]
		for ; e != 0; e &= e - 1 {
			i := bits.TrailingZeros32(e)
			f(v.at(i), x[i])
		}
	}
}

func store32(w *wave, in *inst, v *view, e uint32) {
	x := &w.v[in.data]
	for ; e != 0; e &= e - 1 {
		i := bits.TrailingZeros32(e)
		*(*uint32)(v.at(i)) = x[i]
	}
}

// store64 stores 8 bytes at once: another worker sees all of them or none, as load64 does.
func store64(w *wave, in *inst, v *view, e uint32) {
	lo, hi := &w.v[in.data], &w.v[in.data+1]
	for ; e != 0; e &= e - 1 {
		i := bits.TrailingZeros32(e)
		*(*uint64)(v.at(i)) = uint64(lo[i]) | uint64(hi[i])<<32
	}
}

func storeWords(n int) accessFn {
	return func(w *wave, in *inst, v *view, e uint32) {
		for ; e != 0; e &= e - 1 {
			i := bits.TrailingZeros32(e)
			for k, p := 0, unsafe.Slice((*uint32)(v.at(i)), n); k < n; k++ {
				p[k] = w.v[int(in.data)+k][i]
			}
		}
	}
}

// aligned returns the place of lane i, which an atomic needs aligned to its size.
func (w *wave) aligned(v *view, i int, size uint64) unsafe.Pointer {
	if v.off[i]%size != 0 {
		w.fail(CodeIllegalAddress, "work-item %s: atomic access to %#x, which is not a multiple of %d", w.workItem(i), v.off[i], size)
	}
	return v.at(i)
}

// modify32 makes an atomic read-modify-write; it is atomic across all workers.
func modify32(f func(old, x uint32) uint32) accessFn {
	return func(w *wave, in *inst, v *view, e uint32) {
		x, d := w.v[in.data], &w.v[in.d]
		for ; e != 0; e &= e - 1 {
			i := bits.TrailingZeros32(e)
			p := (*uint32)(w.aligned(v, i, 4))
			old := atomic.LoadUint32(p)
			for !atomic.CompareAndSwapUint32(p, old, f(old, x[i])) {
				old = atomic.LoadUint32(p)
			}
			if in.glc {
				d[i] = old
			}
		}
	}
}

func modify64(f func(old, x uint64) uint64) accessFn {
	return func(w *wave, in *inst, v *view, e uint32) {
		lo, hi := w.v[in.data], w.v[in.data+1]
		for ; e != 0; e &= e - 1 {
			i := bits.TrailingZeros32(e)
			p := (*uint64)(w.aligned(v, i, 8))
			x := uint64(lo[i]) | uint64(hi[i])<<32
			old := atomic.LoadUint64(p)
			for !atomic.CompareAndSwapUint64(p, old, f(old, x)) {
				old = atomic.LoadUint64(p)
			}
			if in.glc {
				w.v[in.d][i], w.v[in.d+1][i] = uint32(old), uint32(old>>32)
			}
		}
	}
}

// modifyTwice32 and modifyTwice64 are modify32 and modify64 for functions of two data registers.
func modifyTwice32(f func(old, x, y uint32) uint32) accessFn {
	return func(w *wave, in *inst, v *view, e uint32) {
		x, y := w.v[in.data], w.v[in.data2]
		for ; e != 0; e &= e - 1 {
			i := bits.TrailingZeros32(e)
			p := (*uint32)(w.aligned(v, i, 4))
			old := atomic.LoadUint32(p)
			for !atomic.CompareAndSwapUint32(p, old, f(old, x[i], y[i])) {
				old = atomic.LoadUint32(p)
			}
			if in.glc {
				w.v[in.d][i] = old
			}
		}
	}
}

func modifyTwice64(f func(old, x, y uint64) uint64) accessFn {
	return func(w *wave, in *inst, v *view, e uint32) {
		lo, hi, lo2, hi2 := w.v[in.data], w.v[in.data+1], w.v[in.data2], w.v[in.data2+1]
		for ; e != 0; e &= e - 1 {
			i := bits.TrailingZeros32(e)
			p := (*uint64)(w.aligned(v, i, 8))
			x, y := uint64(lo[i])|uint64(hi[i])<<32, uint64(lo2[i])|uint64(hi2[i])<<32
			old := atomic.LoadUint64(p)
			for !atomic.CompareAndSwapUint64(p, old, f(old, x, y)) {
				old = atomic.LoadUint64(p)
			}
			if in.glc {
				w.v[in.d][i], w.v[in.d+1][i] = uint32(old), uint32(old>>32)
			}
		}
	}
}

// Compare-and-swaps store x where memory equals y.
var (
	compareSwap32  = modifyTwice32(func(old, x, y uint32) uint32 { return choice(old == y, x, old) })
	compareSwap64  = modifyTwice64(func(old, x, y uint64) uint64 { return choice(old == y, x, old) })
	compareSwapF32 = modifyTwice32(func(old, x, y uint32) uint32 { return choice(fb(old) == fb(y), x, old) })
	compareSwapF64 = modifyTwice64(func(old, x, y uint64) uint64 { return choice(dfb(old) == dfb(y), x, old) })
)

func choice[T any](first bool, a, b T) T {
	if first {
		return a
	}
	return b
}

func minAtF32(old, x uint32) uint32 { return bf(number.MinNum(fb(old), fb(x))) }
func maxAtF32(old, x uint32) uint32 { return bf(number.MaxNum(fb(old), fb(x))) }
func addAtF32(old, x uint32) uint32 { return bf(fb(old) + fb(x)) }
