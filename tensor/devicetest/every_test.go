package devicetest_test

import (
	"math"
	"reflect"
	"runtime"
	"sync"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor"
)

// TestEveryFloat32 computes the operations of one operand of all float32 values on an NVIDIA GPU, and holds them
// against the references. With 16 cores it takes about ten seconds for each operation.
func TestEveryFloat32(t *testing.T) {
	dev, err := tensor.NewDevice("cuda")
	if err != nil {
		t.Skip(err)
	}
	if !thorough.On() {
		t.Skip("it takes minutes: set GOROCM_TEST=thorough")
	}
	for _, op := range kernels.Unary {
		if op.Ref != nil {
			t.Run(op.Name, func(t *testing.T) {
				var worst stray
				for at := uint64(0); at < 1<<32; at += everyChunk {
					worst = worst.or(everyFloat(dev, &op, uint32(at)))
				}
				t.Logf("%v is %v, %.2f ULP from the reference", worst.x, worst.got, worst.ulps)
				if worst.ulps > op.ULP+0.5 {
					t.Errorf("of %v: got %v, want %v, %.2f ULP away, allowed %v", worst.x, worst.got,
						op.Ref(float64(worst.x)), worst.ulps, op.ULP)
				}
			})
		}
	}
}

const everyChunk = 1 << 26

// stray is a result and how far it is from the reference, before that is rounded.
type stray struct {
	x, got float32
	ulps   float64
}

func (s stray) or(other stray) stray {
	if other.ulps > s.ulps {
		return other
	}
	return s
}

// everyFloat returns the result that strays most among those of everyChunk values from the one with the bits first on.
func everyFloat(dev *tensor.Device, op *kernels.UnaryOp, first uint32) (worst stray) {
	x := make([]float32, everyChunk)
	for i := range x {
		x[i] = math.Float32frombits(first + uint32(i))
	}
	on := reflect.ValueOf(dev.FromSlice(x, everyChunk))
	y := tensor.ToVec1[float32](on.MethodByName(op.Method).Call(nil)[0].Interface().(*tensor.Tensor))
	var wait sync.WaitGroup
	var lock sync.Mutex
	parts := runtime.GOMAXPROCS(0)
	for p := range parts {
		wait.Go(func() {
			var mine stray
			for i := p * everyChunk / parts; i < (p+1)*everyChunk/parts; i++ {
				mine = mine.or(stray{x[i], y[i], ulps(y[i], op.Ref(float64(x[i])), op.Unit)})
			}
			lock.Lock()
			defer lock.Unlock()
			worst = worst.or(mine)
		})
	}
	wait.Wait()
	return worst
}

// ulps is the distance of got from want, in units in the last place of want, or of unit if that is more.
func ulps(got float32, want, unit float64) float64 {
	switch near := float32(want); {
	case got == near || got != got && want != want:
		return 0
	case math.IsInf(float64(near), 0) && math.Abs(float64(got)) == math.MaxFloat32:
		return 1
	}
	size := float32(math.Min(max(math.Abs(want), unit), 0x1.fffffcp127))
	return math.Abs(float64(got)-want) / (float64(math.Nextafter32(size, math.MaxFloat32)) - float64(size))
}
