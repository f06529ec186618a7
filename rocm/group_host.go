package rocm

import (
	"encoding/binary"
	"math"

	"github.com/x448/float16"
)

// reduceOnHost brings the elements of all members to the host, makes one of each place, and takes the result back. Elements are added in the order of
// the members; f16 and bf16 are added in f32, as in kernels.
func (g *Group) reduceOnHost(how Reduction, elem string, n int, from, to []Place) error {
	size := groupSizes[elem]
	parts, err := g.parts(from, n*size)
	if err != nil {
		return err
	}
	sums := numbersOf(elem, parts[0])
	for _, part := range parts[1:] {
		fold(how, sums, numbersOf(elem, part))
	}
	result := make([]byte, n*size)
	bytesOf(elem, result, sums)
	for _, p := range to {
		if err := p.Buffer.Upload(p.Offset, result); err != nil {
			return err
		}
	}
	return nil
}

// parts brings the bytes of all members to the host.
func (g *Group) parts(from []Place, bytes int) ([][]byte, error) {
	parts := make([][]byte, len(from))
	for i, p := range from {
		parts[i] = make([]byte, bytes)
		if err := p.Buffer.Download(parts[i], p.Offset); err != nil {
			return nil, err
		}
	}
	if g.meeting != nil {
		return g.meeting.exchange(parts[0])
	}
	return parts, nil
}

// fetch brings the bytes of a member of another process here.
func (g *Group) fetch(at Place, root, bytes int) error {
	var own []byte
	if g.rank == root {
		own = make([]byte, bytes)
		if err := at.Buffer.Download(own, at.Offset); err != nil {
			return err
		}
	}
	parts, err := g.meeting.exchange(own)
	if err != nil || g.rank == root {
		return err
	}
	if len(parts[root]) != bytes {
		return invalid("broadcast", "rank %d has %d bytes where rank %d has %d: all processes make the same calls", root, len(parts[root]), g.rank, bytes)
	}
	return at.Buffer.Upload(at.Offset, parts[root])
}

// fold makes one element out of two, for each place of two slices of one type.
func fold(how Reduction, a, b any) {
	switch a := a.(type) {
	case []float32:
		foldNumbers(how, a, b.([]float32))
	case []float64:
		foldNumbers(how, a, b.([]float64))
	case []uint8:
		foldNumbers(how, a, b.([]uint8))
	case []int32:
		foldNumbers(how, a, b.([]int32))
	case []uint32:
		foldNumbers(how, a, b.([]uint32))
	case []int64:
		foldNumbers(how, a, b.([]int64))
	}
}

func foldNumbers[T float32 | float64 | uint8 | int32 | uint32 | int64](how Reduction, a, b []T) {
	for i, v := range b {
		switch how {
		case Sum:
			a[i] += v
		case Product:
			a[i] *= v
		case Greatest:
			a[i] = max(a[i], v)
		case Least:
			a[i] = min(a[i], v)
		}
	}
}

// numbersOf reads elements; f16 and bf16 become float32.
func numbersOf(elem string, b []byte) any {
	le := binary.LittleEndian
	switch elem {
	case "u8":
		return read(b, 1, func(b []byte) uint8 { return b[0] })
	case "i32":
		return read(b, 4, func(b []byte) int32 { return int32(le.Uint32(b)) })
	case "u32":
		return read(b, 4, le.Uint32)
	case "i64":
		return read(b, 8, func(b []byte) int64 { return int64(le.Uint64(b)) })
	case "f16":
		return read(b, 2, func(b []byte) float32 { return float16.Frombits(le.Uint16(b)).Float32() })
	case "bf16":
		return read(b, 2, func(b []byte) float32 { return math.Float32frombits(uint32(le.Uint16(b)) << 16) })
	case "f32":
		return read(b, 4, func(b []byte) float32 { return math.Float32frombits(le.Uint32(b)) })
	}
	return read(b, 8, func(b []byte) float64 { return math.Float64frombits(le.Uint64(b)) })
}

// read makes a copy: what it was made of is read into again.
func read[T any](b []byte, size int, one func([]byte) T) []T {
	list := make([]T, len(b)/size)
	for i := range list {
		list[i] = one(b[i*size:])
	}
	return list
}

// bytesOf stores elements.
func bytesOf(elem string, to []byte, values any) {
	le := binary.LittleEndian
	switch v := values.(type) {
	case []uint8:
		copy(to, v)
	case []int32:
		for i, x := range v {
			le.PutUint32(to[4*i:], uint32(x))
		}
	case []uint32:
		for i, x := range v {
			le.PutUint32(to[4*i:], x)
		}
	case []int64:
		for i, x := range v {
			le.PutUint64(to[8*i:], uint64(x))
		}
	case []float64:
		for i, x := range v {
			le.PutUint64(to[8*i:], math.Float64bits(x))
		}
	case []float32:
		for i, x := range v {
			switch elem {
			case "f16":
				le.PutUint16(to[2*i:], float16.Fromfloat32(x).Bits())
			case "bf16":
				le.PutUint16(to[2*i:], roundBF16(x))
			default:
				le.PutUint32(to[4*i:], math.Float32bits(x))
			}
		}
	}
}

// roundBF16 rounds to the nearest bf16, ties to even; NaN stays NaN.
func roundBF16(x float32) uint16 {
	b := math.Float32bits(x)
	if x != x {
		return uint16(b>>16) | 0x40
	}
	return uint16((b + 0x7fff + b>>16&1) >> 16)
}
