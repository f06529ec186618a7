package nn_test

import (
	"math"
	"slices"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
)

// TestTypical: the tokens that are drawn are those that typical sampling leaves, here computed by hand: the likeliest
// one is less typical than others.
func TestTypical(t *testing.T) {
	p := []float64{0.5, 0.2, 0.15, 0.1, 0.05} // entropy 1.333 nats; distances 0.64, 0.28, 0.56, 0.97, 1.66
	for _, c := range []struct {
		typical float64
		want    []int
	}{{0.1, []int{1}}, {0.3, []int{1, 2}}, {0.36, []int{0, 1, 2}}, {0.9, []int{0, 1, 2, 3}}, {1, []int{0, 1, 2, 3, 4}}, {0, []int{0, 1, 2, 3, 4}}} {
		if got := tokensOf(nn.Sampling{Temperature: 1, Typical: c.typical, Seed: 3}, p); !slices.Equal(got, c.want) {
			t.Errorf("%v leaves %v, want %v", c.typical, got, c.want)
		}
	}
	if got := tokensOf(nn.Sampling{Temperature: 1, TopK: 1, Typical: 0.5}, p); !slices.Equal(got, []int{0}) {
		t.Errorf("the likeliest one is %v", got)
	}
}

// tokensOf are the tokens that come in 400 draws.
func tokensOf(c nn.Sampling, p []float64) (ids []int) {
	s, logits := nn.NewSampler(c), logitsOf(p)
	for range 400 {
		if id := s.Sample(logits); !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

func logitsOf(p []float64) *tensor.Tensor {
	x := make([]float64, len(p))
	for i := range p {
		x[i] = math.Log(p[i])
	}
	return tensor.CPU().New(x)
}

// TestMirostat: the mean surprise of the tokens comes near to what is asked for, of a distribution whose own is 2.9
// bits, and the bound is that of the algorithm step by step.
func TestMirostat(t *testing.T) {
	p := make([]float64, 64)
	sum := 0.0
	for i := range p {
		p[i] = 1 / float64(1+i) / float64(1+i)
		sum += p[i]
	}
	for i := range p {
		p[i] /= sum
	}
	logits := logitsOf(p)
	for _, want := range []float64{0.6, 1.2, 1.8} {
		s := nn.NewSampler(nn.Sampling{Temperature: 1, Mirostat: want, MirostatRate: 0.2, Seed: 5})
		bound, mean := 2*want, 0.0
		const n = 4000
		for i := range n {
			id := s.Sample(logits)
			kept := 0.0
			for j := range p {
				if j == 0 || -math.Log2(p[j]) <= bound {
					kept += p[j]
				}
			}
			if id > 0 && -math.Log2(p[id]) > bound+1e-9 {
				t.Fatalf("draw %d: token %d is above the bound %v", i, id, bound)
			}
			surprise := -math.Log2(p[id] / kept)
			bound -= 0.2 * (surprise - want)
			mean += surprise / n
		}
		if math.Abs(mean-want) > 0.02 {
			t.Errorf("a surprise of %v, want %v", mean, want)
		}
		s.Forget()
	}
	for _, c := range []nn.Sampling{{Typical: -1}, {Typical: 2}, {Mirostat: -1}, {MirostatRate: math.NaN()}, {Mirostat: math.Inf(1)}} {
		if err := tensor.Catch(func() error { nn.NewSampler(c); return nil }); err == nil {
			t.Errorf("%+v is possible", c)
		}
	}
}

// TestSampleRowsByOwnRules: rows whose rules kernels do not have are as Sample's on every device.
func TestSampleRowsByOwnRules(t *testing.T) {
	p := []float64{0.5, 0.2, 0.15, 0.1, 0.05}
	for _, dev := range devices(t) {
		logits := tensor.Stack([]*tensor.Tensor{logitsOf(p), logitsOf(p)}, 0).ToDType(tensor.F32).ToDevice(dev)
		rules := []nn.Sampling{{Temperature: 1, Typical: 0.3, Seed: 1}, {Temperature: 1, Mirostat: 1, Seed: 2}}
		var rows, alone []*nn.Sampler
		for _, c := range rules {
			rows, alone = append(rows, nn.NewSampler(c)), append(alone, nn.NewSampler(c))
		}
		for range 30 {
			got, errs := nn.SampleRows(logits, rows)
			for i, s := range alone {
				if want := s.Sample(logits.Get(i)); got[i] != want || errs[i] != nil {
					t.Fatalf("%v: row %d: %d, %v; want %d", dev, i, got[i], errs[i], want)
				}
			}
		}
	}
}
