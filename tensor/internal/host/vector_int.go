package host

import (
	"encoding/binary"
	"unsafe"

	"github.com/gorocm/gorocm/tensor/internal/simd"
)

// integerBinary returns the vector loop of an op on integers for a result of n elements, or nil. Wrapping does not
// depend on signs, so types of one size share loops.
func integerBinary[T element](name string, n int) func(out, x, y []T) {
	if !isInteger[T]() {
		return nil
	}
	if f := bitwise(name); f != nil {
		return func(out, x, y []T) { f(bytesOf(out), bytesOf(x), bytesOf(y)) }
	}
	switch sizeOf[T]() {
	case 1:
		if f := byteSums(name, n); f != nil {
			return func(out, x, y []T) { f(bytesOf(out), bytesOf(x), bytesOf(y)) }
		}
	case 4:
		return integersAs[T](n, intsOf(&simd.Fast.Ints, name), intsOf(&simd.Stream.Ints, name),
			plainInteger[int32](name))
	case 8:
		return integersAs[T](n, longsOf(&simd.Fast.Ints, name), longsOf(&simd.Stream.Ints, name),
			plainInteger[int64](name))
	}
	return nil
}

// bitwise returns the loop of an op on bits, in which elements are bytes and eight of them a word.
func bitwise(name string) func(out, x, y []byte) {
	switch name {
	case "bitand":
		return func(out, x, y []byte) { eachWord(out, x, y, func(a, b uint64) uint64 { return a & b }) }
	case "bitor":
		return func(out, x, y []byte) { eachWord(out, x, y, func(a, b uint64) uint64 { return a | b }) }
	case "bitxor":
		return func(out, x, y []byte) { eachWord(out, x, y, func(a, b uint64) uint64 { return a ^ b }) }
	}
	return nil
}

// byteSums returns the loop of add or sub for bytes and a result of n elements, or nil.
func byteSums(name string, n int) func(out, x, y []uint8) {
	fast, stream := simd.Fast.Ints.AddBytes, simd.Stream.Ints.AddBytes
	plain := addRow[uint8]
	switch name {
	case "add":
	case "sub":
		fast, stream, plain = simd.Fast.Ints.SubBytes, simd.Stream.Ints.SubBytes, subRow[uint8]
	default:
		return nil
	}
	if fast == nil {
		return nil
	}
	whole := func(f func(out, x, y []uint8)) func(out, x, y []uint8) {
		return func(out, x, y []uint8) {
			n := len(out) &^ (simd.WholeBytes - 1)
			f(out[:n], x[:n], y[:n])
			plain(out[n:], x[n:], y[n:])
		}
	}
	if n/4 < streamed || stream == nil { // streamed counts elements of four bytes
		return whole(fast)
	}
	return streaming2(n, whole(fast), whole(stream))
}

// eachWord is small enough to be compiled into its callers, and f with it.
func eachWord(out, x, y []byte, f func(a, b uint64) uint64) {
	n := len(out) &^ 7
	le := binary.LittleEndian
	for i := 0; i < n; i += 8 {
		le.PutUint64(out[i:], f(le.Uint64(x[i:]), le.Uint64(y[i:])))
	}
	for i := n; i < len(out); i++ {
		out[i] = byte(f(uint64(x[i]), uint64(y[i])))
	}
}

func bytesOf[T any](s []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*sizeOf[T]())
}

func intsOf(f *simd.Ints, name string) func(out, x, y []int32) {
	switch name {
	case "add":
		return f.Add
	case "sub":
		return f.Sub
	case "mul":
		return f.Mul
	}
	return nil
}

func longsOf(f *simd.Ints, name string) func(out, x, y []int64) {
	switch name {
	case "add":
		return f.AddLong
	case "sub":
		return f.SubLong
	}
	return nil
}

func plainInteger[I int32 | int64](name string) func(out, x, y []I) {
	switch name {
	case "add":
		return addRow[I]
	case "sub":
		return subRow[I]
	}
	return mulRow[I]
}

// integersAs converts functions of I to one of T, which has the same size.
func integersAs[T, I any](n int, fast, stream, plain func(out, x, y []I)) func(out, x, y []T) {
	if fast == nil {
		return nil
	}
	f := streaming2(n, exactly2(fast, plain), exactly2(stream, plain))
	return func(out, x, y []T) { f(sameSize[I](out), sameSize[I](x), sameSize[I](y)) }
}

// sameSize returns elements as those of a type of the same size.
func sameSize[I, T any](s []T) []I {
	return unsafe.Slice((*I)(unsafe.Pointer(unsafe.SliceData(s))), len(s))
}

// integerSum adds a row in int64.
func integerSum[T uint8 | int8 | uint16 | int16 | uint32 | int32 | uint64 | int64](row []T) int64 {
	var a, b, c, d int64 // independent sums: one would wait for itself
	for ; len(row) >= 4; row = row[4:] {
		a, b, c, d = a+int64(row[0]), b+int64(row[1]), c+int64(row[2]), d+int64(row[3])
	}
	for _, x := range row {
		a += int64(x)
	}
	return a + b + c + d
}

// byteSum is integerSum of bytes, eight at a time: the even and the odd bytes of a word are four sums of 16 bits
// each.
func byteSum(row []uint8) int64 {
	const even, words = 0x00ff00ff00ff00ff, 128 // sums of 2·128 bytes fit 16 bits
	sum := int64(0)
	for len(row) >= 8 {
		part := row[:min(len(row)&^7, 8*words)]
		row = row[len(part):]
		var four uint64
		for ; len(part) > 0; part = part[8:] {
			x := binary.LittleEndian.Uint64(part)
			four += x&even + x>>8&even
		}
		sum += int64(four&0xffff + four>>16&0xffff + four>>32&0xffff + four>>48)
	}
	return sum + integerSum(row)
}

// longSum is integerSum of I64; sums wrap.
func longSum(row []int64) int64 {
	f := simd.Fast.Ints.SumLong
	if f == nil {
		return integerSum(row)
	}
	n := len(row) &^ (simd.Whole - 1)
	return f(row[:n]) + integerSum(row[n:])
}
