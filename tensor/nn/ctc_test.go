package nn_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
)

// ctcDirect adds the probabilities of all sequences of classes that are the labels after repetitions were merged and
// blanks left out.
func ctcDirect(logs [][]float64, labels []int, blank int) float64 {
	total, path := 0.0, make([]int, len(logs))
	for {
		log, written, before := 0.0, []int{}, -1
		for t, c := range path {
			log += logs[t][c]
			if c != blank && c != before {
				written = append(written, c)
			}
			before = c
		}
		if slices.Equal(written, labels) {
			total += math.Exp(log)
		}
		t := 0
		for ; t < len(path); t++ {
			if path[t]++; path[t] < len(logs[t]) {
				break
			}
			path[t] = 0
		}
		if t == len(path) {
			return -math.Log(total)
		}
	}
}

func TestCTC(t *testing.T) {
	for _, dev := range devices(t) {
		const steps, batch, classes = 5, 4, 3
		x := dev.Arange(tensor.F64, steps*batch*classes).Mul(1.7).Sin().Reshape(steps, batch, classes)
		labels := [][]int64{{1, 2}, {2, 2}, {1, 0}, {0, 0}}
		lengths, inputs := []int{2, 2, 1, 0}, []int{5, 4, 3, 2}
		o := nn.CTCOptions{InputLengths: inputs, TargetLengths: lengths, Reduction: nn.ReduceNone}
		loss := func(x *tensor.Tensor) *tensor.Tensor { return nn.CTC(x.LogSoftmax(2), dev.New(labels), o) }
		got, logs := loss(x).Float64s(), x.LogSoftmax(2).ToVec3()
		mean := 0.0
		for b := range batch {
			var rows [][]float64
			for s := range inputs[b] {
				rows = append(rows, logs[s][b])
			}
			var want []int
			for _, l := range labels[b][:lengths[b]] {
				want = append(want, int(l))
			}
			w := ctcDirect(rows, want, 0)
			if math.Abs(got[b]-w) > 1e-12 {
				t.Errorf("%v: sequence %d: got %v, want %v", dev, b, got[b], w)
			}
			mean += w / float64(max(lengths[b], 1)) / batch
		}
		o.Reduction = nn.ReduceMean
		if y := loss(x).ToScalar(); math.Abs(y-mean) > 1e-12 {
			t.Errorf("%v: mean %v, want %v", dev, y, mean)
		}
		v := tensor.NewVar(x)
		grad := loss(v).Backward().Get(v).FlattenAll().Float64s()
		const h = 1e-5
		for i := 0; i < x.ElemCount(); i += 7 {
			at := dev.Arange(tensor.I64, float64(x.ElemCount())).Eq(i).ToDType(tensor.F64).Reshape(x.Dims()...).Mul(h)
			want := (loss(x.Add(at)).ToScalar() - loss(x.Sub(at)).ToScalar()) / (2 * h)
			if math.Abs(grad[i]-want) > 1e-8 {
				t.Errorf("%v: gradient %d is %v, differences give %v", dev, i, grad[i], want)
			}
		}
		ctcImpossible(t, dev)
	}
}

// ctcImpossible has a target that is too long: its loss is infinite, and its gradient 0.
func ctcImpossible(t *testing.T, dev *tensor.Device) {
	v := tensor.NewVar(dev.Zeros(tensor.F32, 2, 1, 3))
	target := dev.New([][]int64{{1, 1}}) // needs a blank in between
	y := nn.CTC(v.LogSoftmax(2), target, nn.CTCOptions{})
	if !math.IsInf(y.ToScalar(), 1) {
		t.Errorf("%v: the loss of an impossible target is %v", dev, y)
	}
	zero := nn.CTC(v.LogSoftmax(2), target, nn.CTCOptions{ZeroInfinity: true})
	g := zero.Backward().Get(v)
	if zero.ToScalar() != 0 || g.Abs().Max().ToScalar() != 0 {
		t.Errorf("%v: with ZeroInfinity %v, gradient %v", dev, zero, g)
	}
	for name, o := range map[string]nn.CTCOptions{"blank": {Blank: 3}, "inputs": {InputLengths: []int{3}},
		"targets": {TargetLengths: []int{2, 2}}} {
		if _, err := tensor.Try(func() *tensor.Tensor { return nn.CTC(v, target, o) }); !errors.Is(err, tensor.ErrShape) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
