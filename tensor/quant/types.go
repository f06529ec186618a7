package quant

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"unsafe"

	"github.com/x448/float16"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/simd"
)

// Type is a block format. Its value is ggml's number for it, which GGUF files have.
type Type uint32

// The formats. The number after Q is how many bits an element takes; _1 have a minimum beside the scale, and K have
// blocks of 256 elements with scales of their own for each 16 or 32.
const (
	F32  Type = 0
	F16  Type = 1
	Q4_0 Type = 2
	Q4_1 Type = 3
	Q5_0 Type = 6
	Q5_1 Type = 7
	Q8_0 Type = 8
	Q8_1 Type = 9
	Q2K  Type = 10
	Q3K  Type = 11
	Q4K  Type = 12
	Q5K  Type = 13
	Q6K  Type = 14
	Q8K  Type = 15
	BF16 Type = 30

	// These are read, not written.
	IQ4_NL Type = 20
	IQ4_XS Type = 23
	MXFP4  Type = 39

	// So are these, which GPUs have unpacked only.
	IQ2_XXS Type = 16
	IQ2_XS  Type = 17
	IQ3_XXS Type = 18
	IQ1_S   Type = 19
	IQ3_S   Type = 21
	IQ2_S   Type = 22
	IQ1_M   Type = 29
	TQ1_0   Type = 34
	TQ2_0   Type = 35
	NVFP4   Type = 40
)

// format is a row of the table of formats.
type format struct {
	name   string
	block  int                          // elements
	bytes  int                          // that they take
	encode func(to []byte, x []float32) // one block; nil for what is only read
	decode func(to []float32, x []byte) // one block
	with   Type                         // how a product packs its other operand
}

// formats is the table of all formats.
var formats map[Type]format

func init() {
	formats = map[Type]format{
		F32:  {"F32", 1, 4, encodeF32, decodeF32, F32},
		F16:  {"F16", 1, 2, encodeF16, decodeF16, F16},
		BF16: {"BF16", 1, 2, encodeBF16, decodeBF16, BF16},
		Q4_0: {"Q4_0", 32, 18, encodeQ4_0, decodeQ4_0, Q8_0},
		Q4_1: {"Q4_1", 32, 20, encodeQ4_1, decodeQ4_1, Q8_1},
		Q5_0: {"Q5_0", 32, 22, encodeQ5_0, decodeQ5_0, Q8_0},
		Q5_1: {"Q5_1", 32, 24, encodeQ5_1, decodeQ5_1, Q8_1},
		Q8_0: {"Q8_0", 32, 34, encodeQ8_0, decodeQ8_0, Q8_0},
		Q8_1: {"Q8_1", 32, 36, encodeQ8_1, decodeQ8_1, Q8_1},
		Q2K:  {"Q2K", 256, 84, encodeQ2K, decodeQ2K, Q8K},
		Q3K:  {"Q3K", 256, 110, encodeQ3K, decodeQ3K, Q8K},
		Q4K:  {"Q4K", 256, 144, encodeQ4K, decodeQ4K, Q8K},
		Q5K:  {"Q5K", 256, 176, encodeQ5K, decodeQ5K, Q8K},
		Q6K:  {"Q6K", 256, 210, encodeQ6K, decodeQ6K, Q8K},
		Q8K:  {"Q8K", 256, 292, encodeQ8K, decodeQ8K, Q8K},

		IQ4_NL: {"IQ4_NL", 32, 18, nil, decodeIQ4_NL, Q8_0},
		IQ4_XS: {"IQ4_XS", 256, 136, nil, decodeIQ4_XS, Q8K},
		MXFP4:  {"MXFP4", 32, 17, nil, decodeMXFP4, Q8_0},

		IQ2_XXS: {"IQ2_XXS", 256, 66, nil, decodeIQ2_XXS, Q8K},
		IQ2_XS:  {"IQ2_XS", 256, 74, nil, decodeIQ2_XS, Q8K},
		IQ2_S:   {"IQ2_S", 256, 82, nil, decodeIQ2_S, Q8K},
		IQ3_XXS: {"IQ3_XXS", 256, 98, nil, decodeIQ3_XXS, Q8K},
		IQ3_S:   {"IQ3_S", 256, 110, nil, decodeIQ3_S, Q8K},
		IQ1_S:   {"IQ1_S", 256, 50, nil, decodeIQ1_S, Q8K},
		IQ1_M:   {"IQ1_M", 256, 56, nil, decodeIQ1_M, Q8K},
		TQ1_0:   {"TQ1_0", 256, 54, nil, decodeTQ1_0, Q8K},
		TQ2_0:   {"TQ2_0", 256, 66, nil, decodeTQ2_0, Q8K},
		NVFP4:   {"NVFP4", 64, 36, nil, decodeNVFP4, Q8_0},
	}
}

// Types lists the formats in the order of their numbers.
func Types() []Type {
	var list []Type
	for t := range formats {
		list = append(list, t)
	}
	slices.Sort(list)
	return list
}

// ParseType returns the format of that name, such as Q4_0 or Q4K; ggml's spellings q4_0 and Q4_K are understood too.
// The error lists the names.
func ParseType(name string) (Type, error) {
	plain := func(s string) string { return strings.ToUpper(strings.ReplaceAll(s, "_", "")) }
	for t, f := range formats {
		if plain(f.name) == plain(name) {
			return t, nil
		}
	}
	return 0, fmt.Errorf("quant: unknown format %q: want one of %v", name, Types())
}

// String returns the name of the format.
func (t Type) String() string {
	if f, ok := formats[t]; ok {
		return f.name
	}
	return fmt.Sprintf("Type(%d)", uint32(t))
}

// Known reports whether there is such a format.
func (t Type) Known() bool {
	_, ok := formats[t]
	return ok
}

// CanEncode reports whether elements can be packed in the format. Those that cannot are read only.
func (t Type) CanEncode() bool { return formats[t].encode != nil }

// OnGPU reports whether GPUs compute with packed elements of the format. Others are unpacked on the host.
func (t Type) OnGPU() bool {
	return !t.isBlocks() || slices.Contains(kernels.BlockFormats, kernelName(t))
}

// isBlocks reports whether elements share scales: the others are plain floats.
func (t Type) isBlocks() bool { return formats[t].block > 1 }

// plain are the element types that formats without blocks have.
var plain = map[Type]tensor.DType{F32: tensor.F32, F16: tensor.F16, BF16: tensor.BF16}

// BlockSize returns how many elements a block has.
func (t Type) BlockSize() int { return formats[t].block }

// BlockBytes returns how many bytes a block takes.
func (t Type) BlockBytes() int { return formats[t].bytes }

// Encode packs elements. The error says so when they do not fill whole blocks.
func (t Type) Encode(x []float32) ([]byte, error) {
	f, ok := formats[t]
	if !ok {
		return nil, fmt.Errorf("quant: there is no format %d: there are %v", uint32(t), Types())
	}
	if f.encode == nil {
		return nil, fmt.Errorf("quant: %v is read, not written: pack the elements as Q4_0 or Q4K instead", t)
	}
	if len(x)%f.block != 0 {
		return nil, fmt.Errorf("quant: %d elements are not whole blocks of %v, which have %d", len(x), t, f.block)
	}
	out := make([]byte, len(x)/f.block*f.bytes)
	parallel(len(x)/f.block, 64*f.block, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			f.encode(out[i*f.bytes:(i+1)*f.bytes], x[i*f.block:(i+1)*f.block])
		}
	})
	return out, nil
}

// Decode unpacks elements. The error says so when the bytes are not whole blocks.
func (t Type) Decode(data []byte) ([]float32, error) {
	f, ok := formats[t]
	if !ok {
		return nil, fmt.Errorf("quant: there is no format %d: there are %v", uint32(t), Types())
	}
	if len(data)%f.bytes != 0 {
		return nil, fmt.Errorf("quant: %d bytes are not whole blocks of %v, which take %d", len(data), t, f.bytes)
	}
	out := make([]float32, len(data)/f.bytes*f.block)
	parallel(len(data)/f.bytes, f.block, func(lo, hi int) { f.unpack(out[lo*f.block:hi*f.block], data[lo*f.bytes:]) })
	return out, nil
}

// unpack decodes the blocks that fill out.
func (f format) unpack(out []float32, data []byte) {
	if f.block == 1 && f.bytes == 2 {
		n := widened(f.with, out, data)
		out, data = out[n:], data[2*n:]
	}
	for i := range len(out) / f.block {
		f.decode(out[i*f.block:(i+1)*f.block], data[i*f.bytes:(i+1)*f.bytes])
	}
}

// widened converts the first elements of 16 bits in vectors, where there are some for it, and returns how many.
func widened(t Type, out []float32, data []byte) int {
	f := simd.Fast.Casts.HalfToFloat
	if t == BF16 {
		f = simd.Fast.Casts.BfloatToFloat
	}
	n := len(out) &^ (simd.Whole - 1)
	if f == nil || n == 0 {
		return 0
	}
	// processors that have such vectors read words of any address
	f(out[:n], unsafe.Slice((*uint16)(unsafe.Pointer(&data[0])), n))
	return n
}

var le = binary.LittleEndian

func putHalf(to []byte, x float32) { le.PutUint16(to, uint16(float16.Fromfloat32(x))) }

func half(x []byte) float32 { return float16.Float16(le.Uint16(x)).Float32() }

func encodeF32(to []byte, x []float32) { le.PutUint32(to, math.Float32bits(x[0])) }
func decodeF32(to []float32, x []byte) { to[0] = math.Float32frombits(le.Uint32(x)) }
func encodeF16(to []byte, x []float32) { putHalf(to, x[0]) }
func decodeF16(to []float32, x []byte) { to[0] = half(x) }

func encodeBF16(to []byte, x []float32) {
	u := math.Float32bits(x[0])
	if x[0] != x[0] {
		le.PutUint16(to, uint16(u>>16)|0x40)
		return
	}
	le.PutUint16(to, uint16((u+0x7fff+u>>16&1)>>16))
}
func decodeBF16(to []float32, x []byte) { to[0] = math.Float32frombits(uint32(le.Uint16(x)) << 16) }
