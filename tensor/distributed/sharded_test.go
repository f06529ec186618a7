package distributed

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
)

func TestShardedOptimizer(t *testing.T) {
	thorough.Slow(t)
	launch(t, "TestShardedOptimizerChild")
}

// TestShardedOptimizerChild: two processes, each with the state of a part of the parameters, take the steps of one that
// has all of it, bit for bit.
func TestShardedOptimizerChild(t *testing.T) {
	g, dev := joined(t)
	bucketBytes = 40
	shapes := [][]int{{3, 5}, {5}, {5, 2}, {2}, {0}, {4}}
	variables := func() (list []*tensor.Tensor) {
		dev.SetSeed(3)
		for i, s := range shapes {
			list = append(list, tensor.NewVar(dev.Randn(tensor.F32, s...).ToDType([]tensor.DType{tensor.F32, tensor.F16}[i%2])))
		}
		return list
	}
	loss := func(p []*tensor.Tensor) *tensor.Tensor {
		sum := dev.Zeros(tensor.F32)
		for i, x := range p[:len(p)-1] { // the last has no gradient
			sum = sum.Add(x.Sub(float64(i)).Sqr().Sum().ToDType(tensor.F32))
		}
		return sum
	}
	whole, shared := variables(), variables()
	var own []*tensor.Tensor
	adam := func(p []*tensor.Tensor) nn.Optimizer { return nn.NewAdamW(p, nn.DefaultAdamW()) }
	one := adam(whole)
	all := NewShardedOptimizer(g, shared, func(p []*tensor.Tensor) nn.Optimizer { own = p; return adam(p) })
	all.SetLearningRate(0.1)
	one.SetLearningRate(all.LearningRate())
	for range 3 {
		one.Step(loss(whole).Backward())
		all.Step(loss(shared).Backward())
	}
	for i, p := range shared {
		if want, got := fmt.Sprint(whole[i].Float64s()), fmt.Sprint(p.Float64s()); got != want {
			t.Errorf("parameter %d: %s, want %s", i, got, want)
		}
	}
	elems := 0
	for _, p := range own {
		elems += p.ElemCount()
	}
	if counts := tensor.ToVec1[int64](g.AllGather(dev.New([]int64{int64(elems)}))[0]); counts[0]+counts[1] != 36 || max(counts[0], counts[1]) > 19 {
		t.Errorf("the processes have %d elements", counts)
	}
}

func TestShardedOptimizerMistakes(t *testing.T) {
	dev, err := tensor.NewDevice("rocm")
	if err != nil {
		t.Skip(err)
	}
	g, err := New(dev)
	if err != nil {
		t.Fatal(err)
	}
	p := []*tensor.Tensor{tensor.NewVar(dev.Ones(tensor.F32, 2))}
	for want, change := range map[string]nn.Gradients{"": {Scale: 2, ClipValue: 1}, "nn.ClipGradNorm": {ClipNorm: 1}, "nn.GradNorm": {SkipNotFinite: true}} {
		sgd := nn.NewSGD(p, 1)
		sgd.Gradients = change
		rms, adam, ada := nn.DefaultRMSprop(), nn.DefaultAdamW(), nn.DefaultAdagrad()
		rms.Gradients, adam.Gradients, ada.Gradients = change, change, change
		for _, o := range []nn.Optimizer{sgd, nn.NewRMSprop(p, rms), nn.NewAdamW(p, adam), nn.NewAdagrad(p, ada)} {
			s := NewShardedOptimizer(g, p, func([]*tensor.Tensor) nn.Optimizer { return o })
			err := tensor.Catch(func() error { s.Step(p[0].Sum().Backward()); return nil })
			if want == "" && err != nil || want != "" && (!errors.Is(err, tensor.ErrGradient) || !strings.Contains(fmt.Sprintf("%+v", err), want)) {
				t.Errorf("%T with %+v: %v, want %q", o, change, err, want)
			}
		}
	}
	if err := tensor.Catch(func() error {
		NewShardedOptimizer(g, []*tensor.Tensor{p[0].Detach()}, nil)
		return nil
	}); !errors.Is(err, tensor.ErrGradient) {
		t.Errorf("no variable: %v", err)
	}
}

// TestShares: no process has more than another by more than a parameter, and the largest are given first.
func TestShares(t *testing.T) {
	var params []*tensor.Tensor
	for _, n := range []int{1, 8, 2, 3, 5} {
		params = append(params, tensor.Of(make([]float64, n)...))
	}
	var got [][]int
	for _, share := range shares(params, 3) {
		var sizes []int
		for _, p := range share {
			sizes = append(sizes, p.ElemCount())
		}
		got = append(got, sizes)
	}
	if want := [][]int{{8}, {5, 1}, {3, 2}}; !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("shares %d, want %d", got, want)
	}
}
