package nn_test

import (
	"errors"
	"math"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
)

// counts draws many times from the logits of probabilities.
func counts(c nn.Sampling, p ...float64) []int {
	logits := tensor.Of(p...).Log()
	s := nn.NewSampler(c)
	n := make([]int, len(p))
	for range 4000 {
		n[s.Sample(logits)]++
	}
	return n
}

func TestSampler(t *testing.T) {
	p := []float64{0.1, 0.4, 0.2, 0.3}
	for _, c := range []struct {
		name string
		s    nn.Sampling
		want []float64 // shares
	}{
		{"greedy", nn.Sampling{}, []float64{0, 1, 0, 0}},
		{"temperature 1", nn.Sampling{Temperature: 1}, p},
		{"temperature ½", nn.Sampling{Temperature: 0.5}, []float64{0.01 / 0.3, 0.16 / 0.3, 0.04 / 0.3, 0.09 / 0.3}},
		{"top 2", nn.Sampling{Temperature: 1, TopK: 2}, []float64{0, 0.4 / 0.7, 0, 0.3 / 0.7}},
		{"top 0.75", nn.Sampling{Temperature: 1, TopP: 0.75}, []float64{0, 0.4 / 0.9, 0.2 / 0.9, 0.3 / 0.9}},
		{"top 3 and then 0.7", nn.Sampling{Temperature: 1, TopK: 3, TopP: 0.7}, []float64{0, 0.4 / 0.7, 0, 0.3 / 0.7}},
		{"top 1", nn.Sampling{Temperature: 1, TopK: 1}, []float64{0, 1, 0, 0}},
	} {
		for i, n := range counts(c.s, p...) {
			if got := float64(n) / 4000; math.Abs(got-c.want[i]) > 0.03 {
				t.Errorf("%s: %d comes %v of the time, want %v", c.name, i, got, c.want[i])
			}
		}
	}
	one, other := counts(nn.Sampling{Temperature: 1, Seed: 5}, p...), counts(nn.Sampling{Temperature: 1, Seed: 6}, p...)
	if again := counts(nn.Sampling{Temperature: 1, Seed: 5}, p...); again[0] != one[0] || again[1] != one[1] {
		t.Errorf("the same seed gives %v and %v", one, again)
	}
	if one[0] == other[0] && one[1] == other[1] && one[2] == other[2] {
		t.Errorf("two seeds give %v", one)
	}
}

func TestRepeatPenalty(t *testing.T) {
	s := nn.NewSampler(nn.Sampling{RepeatPenalty: 2, RepeatLast: 1})
	logits := tensor.Of(3, 2, -1)
	var got []int
	for range 4 {
		got = append(got, s.Sample(logits))
	}
	if want := []int{0, 1, 0, 1}; got[0] != want[0] || got[1] != want[1] || got[2] != want[2] || got[3] != want[3] {
		t.Errorf("chose %v, want %v", got, want)
	}
	s = nn.NewSampler(nn.Sampling{RepeatPenalty: 3})
	s.Observe(0)
	if got := s.Sample(tensor.Of(-1, -2)); got != 1 { // -1·3 is less than -2
		t.Errorf("a negative logit is not punished: %d", got)
	}
}

func TestSamplerMistakes(t *testing.T) {
	if _, err := tensor.Try(func() *tensor.Tensor { nn.NewSampler(nn.Sampling{TopP: 1.5}); return nil }); !errors.Is(err, tensor.ErrShape) {
		t.Errorf("a TopP of 1.5: %v", err)
	}
	if _, err := tensor.Try(func() *tensor.Tensor {
		nn.NewSampler(nn.Sampling{}).Sample(tensor.Ones([]int{2, 3}, tensor.F32, tensor.CPU()))
		return nil
	}); !errors.Is(err, tensor.ErrShape) {
		t.Errorf("logits of two positions: %v", err)
	}
}

func TestGumbelSoftmax(t *testing.T) {
	cpu := tensor.CPU()
	cpu.SetSeed(2)
	logits := tensor.Of(0.1, 0.6, 0.3).Log().BroadcastAs([]int{4000, 3})
	got := nn.OneHot(nn.GumbelSoftmax(logits, 1, 1), 3, 1, 0, tensor.F32).Mean(0).ToVec1()
	for i, want := range []float64{0.1, 0.6, 0.3} {
		if math.Abs(got[i]-want) > 0.03 {
			t.Errorf("%d comes %v of the time, want %v", i, got[i], want)
		}
	}
	if id := nn.GumbelSoftmax(tensor.Of(1, 3, 2), 0, 0).ToScalar(); id != 1 {
		t.Errorf("without noise %v", id)
	}
}

func TestDropout(t *testing.T) {
	for _, dev := range devices(t) {
		dev.SetSeed(1)
		x := tensor.Ones([]int{100, 100}, tensor.F32, dev)
		y := nn.Dropout(0.25).ForwardT(x, true)
		zeros, sum := y.Eq(0).ToDType(tensor.F32).MeanAll().ToScalar(), y.MeanAll().ToScalar()
		if math.Abs(zeros-0.25) > 0.02 || math.Abs(sum-1) > 0.03 {
			t.Errorf("%v: %v are dropped, the mean is %v", dev, zeros, sum)
		}
		if nn.Dropout(0.25).ForwardT(x, false) != x {
			t.Error("elements are dropped without training")
		}
	}
	if _, err := tensor.Try(func() *tensor.Tensor { return nn.Dropout(1).ForwardT(tensor.Of(1), true) }); !errors.Is(err, tensor.ErrShape) {
		t.Errorf("all dropped: %v", err)
	}
}
