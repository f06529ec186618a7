package emulator

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gorocm/gorocm/rocm/emulator/internal/half"
	"github.com/gorocm/gorocm/rocm/emulator/internal/lane"
	"github.com/gorocm/gorocm/rocm/emulator/internal/lanewise"
	"github.com/gorocm/gorocm/rocm/emulator/internal/number"
)

// randomLanes mixes random words with the ones that break things.
func randomLanes(r *rand.Rand) *lanes {
	special := []uint32{0, 1, 31, 32, 0x7fffffff, 0x80000000, 0xffffffff, 0x3f800000, 0x7f800000, 0xff800000, 0x7fc00000, 1 << 22, 0x00800000, 0x80000001}
	t := new(lanes)
	for i := range t {
		t[i] = r.Uint32()
		if r.IntN(3) == 0 {
			t[i] = special[r.IntN(len(special))]
		}
	}
	return t
}

// TestAssemblyAgreesWithGo compares every operation that has a version in assembly with the one in Go.
func TestAssemblyAgreesWithGo(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	found := 0
	for _, table := range [][]vop{vop2, vop3, vopc} {
		for _, row := range table {
			if row.portable == nil {
				continue
			}
			found++
			for range 200 {
				x := [3]operands{randomOperands(r), randomOperands(r), randomOperands(r)}
				if got, want := evaluate(row.fn, x), evaluate(row.portable, x); !sameResults(got, want, kind(row.sig[0])) {
					t.Fatalf("%s(%x)\n is %x\nin Go %x", row.name, x, got, want)
				}
			}
		}
	}
	t.Logf("%d operations compared", found)
}

// operands holds a source in both widths.
type operands struct {
	narrow lanes
	wide   wide
}

func randomOperands(r *rand.Rand) operands {
	o := operands{narrow: *randomLanes(r)}
	lane.Join(&o.wide, randomLanes(r), &o.narrow)
	return o
}

// evaluate runs an operation of any shape; compares give their mask in lane 0.
func evaluate(f any, x [3]operands) (d operands) {
	switch f := f.(type) {
	case lanewise.Op2:
		f(&d.narrow, &x[0].narrow, &x[1].narrow)
	case lanewise.Op3:
		f(&d.narrow, &x[0].narrow, &x[1].narrow, &x[2].narrow)
	case lanewise.WideOp:
		f(&d.wide, &x[0].wide, &x[1].wide, &x[2].wide)
	case cmp32:
		d.narrow[0] = f(&x[0].narrow, &x[1].narrow)
	case cmp64:
		d.narrow[0] = f(&x[0].wide, &x[1].wide)
	}
	return d
}

func sameResults(a, b operands, result kind) bool {
	for i := range a.narrow {
		if x, y := a.narrow[i], b.narrow[i]; x != y && !(result == kindF32 && isNaN(x) && isNaN(y)) {
			return false
		}
		if x, y := a.wide[i], b.wide[i]; x != y && !(dfb(x) != dfb(x) && dfb(y) != dfb(y)) {
			return false
		}
	}
	return true
}

func isNaN(u uint32) bool { f := float64(math.Float32frombits(u)); return f != f }

func TestFMARoundsOnce(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	for range 20000 {
		a, b := math.Float32frombits(r.Uint32()), math.Float32frombits(r.Uint32())
		// An addend half an ulp of the product away is where rounding twice goes wrong.
		c := float32(math.Ldexp(float64(a*b), -24+r.IntN(3)))
		if r.IntN(4) == 0 { // and results near the denormals
			a = float32(math.Ldexp(float64(a), -100))
			c = float32(math.Ldexp(r.Float64(), -130-r.IntN(20)))
		}
		if got, want := number.FMA32(a, b, c), bigFMA(a, b, c); !sameF32(got, want) {
			t.Fatalf("fma(%g, %g, %g) = %g, want %g", a, b, c, got, want)
		}
	}
	for range 20000 {
		a, b, c := uint16(r.Uint32()), uint16(r.Uint32()), uint16(r.Uint32())
		if got, want := number.FMA16(a, b, c), bigFMA16(a, b, c); !sameF16(got, want) {
			t.Fatalf("fma16(%g, %g, %g) = %#x, want %#x", half.FromF16(a), half.FromF16(b), half.FromF16(c), got, want)
		}
	}
}

func TestHalfConversions(t *testing.T) {
	for h := range 1 << 16 {
		f := half.FromF16(uint16(h))
		if got := half.ToF16(f); !sameF16(got, uint16(h)) {
			t.Fatalf("f16 %#x is %g, which becomes %#x", h, f, got)
		}
	}
	r := rand.New(rand.NewPCG(4, 4))
	for range 50000 {
		f := math.Float32frombits(r.Uint32()&0x8fffffff | 0x30000000) // in and around the range
		if got, want := half.ToF16(f), refF16(f); !sameF16(got, want) {
			t.Fatalf("half.ToF16(%g) = %#x, want %#x", f, got, want)
		}
		z := half.ToF16Zero(f)
		if math.Abs(float64(half.FromF16(z))) > math.Abs(float64(f)) || math.Abs(float64(half.FromF16(z+1))) <= math.Abs(float64(f)) && z&0x7fff != 0x7bff {
			t.Fatalf("half.ToF16Zero(%g) = %#x", f, z)
		}
	}
}
