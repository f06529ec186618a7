package host

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/shapes"
)

// TestTransposedConvolutions compares them with sums over all taps: phases of different lengths and without taps,
// channels that do not fill panels, planes of several units of work.
func TestTransposedConvolutions(t *testing.T) {
	thorough.Slow(t)
	if !hasTiles() {
		t.Skip("needs AVX2")
	}
	r := rand.New(rand.NewPCG(1, 2))
	draws := 10
	if thorough.On() {
		draws = 60
	}
	for i := range draws {
		axis := func(size int) (shapes.Conv, int, int) {
			taps := 1 + r.IntN(5)
			c := shapes.Conv{Stride: 1 + r.IntN(3), Dilation: 1 + r.IntN(2), Transposed: true}
			c.Padding, c.Extra = r.IntN(3), r.IntN(c.Stride)
			return c, 1 + r.IntN(size), taps
		}
		cy, h, ty := axis(12)
		cx, w, tx := axis(40)
		y, errY := cy.Window(h, ty)
		x, errX := cx.Window(w, tx)
		if errY != nil || errX != nil || y.Out < 1 || x.Out < 1 {
			continue
		}
		n, groups, channels, outs := 1+r.IntN(3), 1+r.IntN(2), 1+r.IntN(20), 1+r.IntN(20)
		if i == 7 {
			channels, outs = 70, 70 // several blocks of products, several panels
		}
		p := kernels.Conv{Planes: int64(n * groups * channels), Channels: int64(groups * channels),
			Multiplier: int64(outs), Y: y, X: x}
		in, weights := randomRow(r, n*groups*channels*h*w), randomRow(r, groups*outs*channels*ty*tx)
		if b := (Backend{}); !b.Convolves(p, kernels.F32) {
			t.Fatalf("%+v is not computed by tiles", p)
		}
		operand := func(x []float32) backend.Operand {
			return backend.Operand{Store: &Storage{Data: BytesOf(x)}, DType: kernels.F32,
				Layout: backend.Dense([]int{len(x)})}
		}
		got := View[float32](Backend{}.ConvolveTiles(operand(in), operand(weights), n, groups, outs, channels*ty*tx,
			p).(*Storage).Data)
		want := transposedSums(in, weights, n, groups, outs, channels, p)
		for j := range want {
			if d := math.Abs(float64(got[j]) - want[j]); !(d <= 1e-5*float64(channels*ty*tx)) {
				t.Fatalf("element %d is %v, want %v: %s", j, got[j], want[j], fmt.Sprintf("%+v, %d images, %d groups, "+
					"%d outputs", p, n, groups, outs))
			}
		}
	}
}

func randomRow(r *rand.Rand, n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = r.Float32() - 0.5
	}
	return x
}

func transposedSums(in, weights []float32, n, groups, outs, channels int, p kernels.Conv) []float64 {
	h, w, oh, ow := int(p.Y.In), int(p.X.In), int(p.Y.Out), int(p.X.Out)
	ty, tx := int(p.Y.Taps), int(p.X.Taps)
	sums := make([]float64, n*groups*outs*oh*ow)
	for i := range sums {
		x, y, o, image := i%ow, i/ow%oh, i/ow/oh%(groups*outs), i/ow/oh/groups/outs
		for k := range channels * ty * tx {
			row, column := inputIndex(p.Y, y, k/tx%ty), inputIndex(p.X, x, k%tx)
			if row >= 0 && column >= 0 {
				channel := o/outs*channels + k/tx/ty
				sums[i] += float64(in[((image*groups*channels+channel)*h+row)*w+column]) *
					float64(weights[o*channels*ty*tx+k])
			}
		}
	}
	return sums
}
