package quick

import (
	"math"
	"math/rand"
	randv2 "math/rand/v2"
	"slices"
	"unsafe"

	"github.com/gorocm/gorocm/repl/golang/native/enter"
)

// randomNames are the functions of math/rand/v2, and the methods of a Rand of both packages, that are called while the
// goroutine is pinned. The functions of math/rand may wait for a lock.
var randomNames = []string{"ExpFloat64", "Float32", "Float64", "Int", "Int31", "Int31n", "Int32", "Int32N", "Int63",
	"Int63n", "Int64", "Int64N", "IntN", "Intn", "NormFloat64", "Uint32", "Uint64", "UintN"}

// random is how such a function or method is called, by its type, nil for any other.
func random(name string, fn any) Func {
	if !slices.Contains(randomNames, name) {
		return nil
	}
	do := randomOf(fn)
	if do == nil {
		return nil
	}
	return func(c *enter.Context) bool { return c.Spend(step) && do(c) }
}

func randomOf(fn any) Func {
	switch f := fn.(type) {
	case func() float64:
		return func(c *enter.Context) bool { c.SetFloat(0, f()); return true }
	case func() float32:
		return func(c *enter.Context) bool { return c.SetInt(0, int(math.Float32bits(f()))) }
	case func() int:
		return func(c *enter.Context) bool { return c.SetInt(0, f()) }
	case func() int64:
		return func(c *enter.Context) bool { return c.SetInt(0, int(f())) }
	case func() uint64:
		return func(c *enter.Context) bool { return c.SetInt(0, int(f())) }
	case func(int) int:
		return func(c *enter.Context) bool { return c.Arg(0) > 0 && c.SetInt(0, f(c.Arg(0))) }
	case func(*randv2.Rand) float64:
		return func(c *enter.Context) bool {
			r := source2(c)
			if r == nil {
				return false
			}
			c.SetFloat(0, f(r))
			return true
		}
	case func(*randv2.Rand) float32:
		return func(c *enter.Context) bool {
			r := source2(c)
			return r != nil && c.SetInt(0, int(math.Float32bits(f(r))))
		}
	case func(*randv2.Rand) int:
		return func(c *enter.Context) bool { r := source2(c); return r != nil && c.SetInt(0, f(r)) }
	case func(*randv2.Rand) uint64:
		return func(c *enter.Context) bool { r := source2(c); return r != nil && c.SetInt(0, int(f(r))) }
	case func(*randv2.Rand, int) int:
		return func(c *enter.Context) bool {
			r := source2(c)
			return r != nil && c.Arg(1) > 0 && c.SetInt(0, f(r, c.Arg(1)))
		}
	case func(*rand.Rand) float64:
		return func(c *enter.Context) bool {
			r := source1(c)
			if r == nil {
				return false
			}
			c.SetFloat(0, f(r))
			return true
		}
	case func(*rand.Rand) int:
		return func(c *enter.Context) bool { r := source1(c); return r != nil && c.SetInt(0, f(r)) }
	case func(*rand.Rand, int) int:
		return func(c *enter.Context) bool {
			r := source1(c)
			return r != nil && c.Arg(1) > 0 && c.SetInt(0, f(r, c.Arg(1)))
		}
	}
	return nil
}

// kindOfSource is what tells the type of the source that a Rand begins with.
func kindOfSource(r unsafe.Pointer) uintptr { return *(*uintptr)(r) }

// The sources of the packages: they wait for nothing, and call nothing of a user.
var (
	pcgSource    = kindOfSource(unsafe.Pointer(randv2.New(randv2.NewPCG(1, 2))))
	chachaSource = kindOfSource(unsafe.Pointer(randv2.New(randv2.NewChaCha8([32]byte{}))))
	rngSource    = kindOfSource(unsafe.Pointer(rand.New(rand.NewSource(1))))
)

// source2 is the receiver, nil where its source is not one of the package.
func source2(c *enter.Context) *randv2.Rand {
	r := c.Address(0)
	if r == nil {
		return nil
	}
	if k := kindOfSource(r); k != pcgSource && k != chachaSource {
		return nil
	}
	return (*randv2.Rand)(r)
}

// source1 is source2 for math/rand.
func source1(c *enter.Context) *rand.Rand {
	r := c.Address(0)
	if r == nil || kindOfSource(r) != rngSource {
		return nil
	}
	return (*rand.Rand)(r)
}
