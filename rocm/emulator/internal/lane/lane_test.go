package lane

import (
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"
)

func random(r *rand.Rand) *Vector {
	t := new(Vector)
	for i := range t {
		t[i] = []uint32{r.Uint32(), 0, 1, 0x7fffffff, 0x80000000, 0xffffffff}[r.IntN(6)]
	}
	return t
}

// TestAssemblyAgreesWithGo compares the operations that assembly may have replaced with those in Go.
func TestAssemblyAgreesWithGo(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for range 500 {
		a, b, m := random(r), random(r), r.Uint32()
		var got, want Vector
		Choose(&got, a, b, m)
		choose(&want, a, b, m)
		if got != want {
			t.Fatalf("Choose(%x, %x, %#x) = %x, want %x", *a, *b, m, got, want)
		}
		c, w := AddCarry(&got, a, b, m), addCarry(&want, a, b, m)
		if got != want || c != w {
			t.Fatalf("AddCarry(%x, %x, %#x) = %x, %#x, want %x, %#x", *a, *b, m, got, c, want, w)
		}
		if c, w = OffsetMax(&got, a, m), offsetMax(&want, a, m); got != want || c != w {
			t.Fatalf("OffsetMax(%x, %#x) = %x, %#x, want %x, %#x", *a, m, got, c, want, w)
		}
		var q, p Wide
		Join(&q, a, b)
		join(&p, a, b)
		var hi, lo Vector
		Split(&lo, &hi, &q)
		if q != p || lo != *a || hi != *b {
			t.Fatalf("Join(%x, %x) = %x, split to %x, %x", *a, *b, q, lo, hi)
		}
		Fill(&got, m)
		fill(&want, m)
		if got != want {
			t.Fatalf("Fill(%#x) = %x", m, got)
		}
		off := new(Vector)
		for i := range off {
			off[i] = a[i] % 125
		}
		Gather(&got, unsafe.Pointer(b), off)
		gather(&want, unsafe.Pointer(b), off)
		if got != want {
			t.Fatalf("Gather(%x, %d) = %x, want %x", *b, *off, got, want)
		}
		for i := range off {
			off[i] = a[0] + uint32(i)*(m&15)
		}
		if !Steps(off, m&15) {
			t.Fatalf("Steps(%d, %d) = false", *off, m&15)
		}
		off[r.IntN(31)+1]++
		if Steps(off, m&15) {
			t.Fatalf("Steps(%d, %d) = true", *off, m&15)
		}
		memory := make([]uint32, 160)
		for i := range memory {
			memory[i] = r.Uint32()
		}
		for i := range off {
			off[i] = r.Uint32N(620)
		}
		var two, two2 [2]Vector
		var four, four2 [4]Vector
		base := unsafe.Pointer(&memory[0])
		Gather2(&two, base, off)
		gather2(&two2, base, off)
		Gather4(&four, base, off)
		gather4(&four2, base, off)
		if two != two2 || four != four2 {
			t.Fatalf("words at %d: %x and %x, want %x and %x", *off, two, four, two2, four2)
		}
		var stored, stored2 [128]uint32
		Store4(unsafe.Pointer(&stored), &four)
		store4(unsafe.Pointer(&stored2), &four)
		if stored != stored2 {
			t.Fatalf("stored %x, want %x", stored, stored2)
		}
	}
}

// TestFloats compares conversions between f32 and float64.
func TestFloats(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 500 {
		v := random(r)
		var got, want Floats
		Widen(&got, v)
		widen(&want, v)
		for i := range got {
			if math.Float64bits(got[i]) != math.Float64bits(want[i]) {
				t.Fatalf("%#x is %v, want %v", v[i], got[i], want[i])
			}
			got[i] *= 1 + 1e-7*r.Float64()
		}
		var a, b Vector
		Narrow(&a, &got)
		narrow(&b, &got)
		if a != b {
			t.Fatalf("%v are %x, want %x", got, a, b)
		}
	}
}

// TestMatrices compares products of matrices of 16 bits.
func TestMatrices(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, brain := range []bool{false, true} {
		for range 200 {
			var regs [2][8]Vector
			var want, got [3]Matrix
			for k := range regs {
				for i := range regs[k] {
					for l := range regs[k][i] {
						regs[k][i][l] = r.Uint32() &^ 0x40004000 // finite
					}
				}
				flip := []uint32{0, 1 << 15, 1 << 31}[r.IntN(3)]
				Halves(&got[k], &regs[k], flip, brain)
				halves(&want[k], &regs[k], flip, brain)
			}
			for i := range 256 {
				got[2][i/16][i%16] = r.NormFloat64()
			}
			want[2] = got[2]
			Multiply(&got[2], &got[0], &got[1])
			multiply(&want[2], &want[0], &want[1])
			if got != want {
				t.Fatalf("brain %v: %v, want %v", brain, got, want)
			}
		}
	}
}
