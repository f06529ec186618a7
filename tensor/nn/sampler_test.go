package nn_test

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
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
	thorough.Slow(t)
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
		{"at least half of the maximum", nn.Sampling{Temperature: 1, MinP: 0.45}, []float64{0, 0.4 / 0.9, 0.2 / 0.9, 0.3 / 0.9}},
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

// slowSampler is the definition: all tokens are sorted.
type slowSampler struct {
	nn.Sampling
	random *rand.Rand
	recent []int
	chosen map[int]int
}

func (s *slowSampler) sample(logits []float64) int {
	p, order := slices.Clone(logits), make([]int, len(logits))
	last := cmp.Or(s.RepeatLast, 64)
	recent := slices.Clone(s.recent[max(0, len(s.recent)-last):])
	slices.Sort(recent)
	for _, id := range slices.Compact(recent) {
		if penalty := s.RepeatPenalty; penalty > 0 && p[id] > 0 {
			p[id] = float64(float32(p[id]) / float32(penalty))
		} else if penalty > 0 {
			p[id] = float64(float32(p[id]) * float32(penalty))
		}
	}
	for id := range p {
		if n := s.chosen[id]; n > 0 {
			p[id] = float64(float32(p[id]) - float32(float64(n)*s.FrequencyPenalty+s.PresencePenalty))
		}
	}
	maximum := slices.Max(p)
	for i, v := range p {
		order[i] = i
		if s.Temperature > 0 {
			p[i] = math.Exp((v - maximum) / s.Temperature)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[b], p[a]) })
	id := order[0]
	if s.Temperature > 0 {
		order = slices.DeleteFunc(order, func(i int) bool { return p[i] < s.MinP })
		if s.TopK > 0 {
			order = order[:min(s.TopK, len(order))]
		}
		id = s.draw(p, order)
	}
	s.recent = append(s.recent, id)
	if s.FrequencyPenalty != 0 || s.PresencePenalty != 0 {
		s.chosen[id]++
	}
	return id
}

func (s *slowSampler) draw(p []float64, order []int) int {
	sum := 0.0
	for _, i := range order {
		sum += p[i]
	}
	if s.TopP > 0 {
		kept := 0.0
		for n, i := range order {
			if kept += p[i]; kept >= s.TopP*sum {
				order, sum = order[:n+1], kept
				break
			}
		}
	}
	at := s.random.Float64() * sum
	for _, i := range order {
		if at -= p[i]; at < 0 {
			return i
		}
	}
	return order[len(order)-1]
}

// TestSamplerSortsFew: the tokens are those that a sampler chooses which sorts all of them.
func TestSamplerSortsFew(t *testing.T) {
	thorough.Slow(t)
	for _, dev := range devices(t) {
		for _, c := range []nn.Sampling{
			{Temperature: 1, TopK: 7, Seed: 1},
			{Temperature: 0.7, TopK: 40, TopP: 0.9, RepeatPenalty: 1.5, Seed: 2},
			{Temperature: 2, TopK: 3, RepeatPenalty: 20, RepeatLast: 9, Seed: 3},
			{Temperature: 1, TopK: 5, RepeatPenalty: 0.5, Seed: 4},
			{Temperature: 1, TopP: 0.8, Seed: 5},
			{Temperature: 3, TopP: 0.99, RepeatPenalty: 1.2, Seed: 6},
			{RepeatPenalty: 1.3, RepeatLast: 5},
			{Temperature: 1, TopP: 0.9, MinP: 0.3, FrequencyPenalty: 0.8, PresencePenalty: 0.3, Seed: 7},
			{Temperature: 1, TopK: 9, MinP: 0.5, RepeatPenalty: 1.1, PresencePenalty: 1, Seed: 8},
			{Temperature: 1, TopK: 4, FrequencyPenalty: -0.5, Seed: 9},
			{FrequencyPenalty: 2.5},
		} {
			slow := slowSampler{Sampling: c, random: rand.New(rand.NewPCG(c.Seed, 0)), chosen: map[int]int{}}
			s := nn.NewSampler(c)
			for step := range 60 {
				logits := make([]float64, 600)
				for i := range logits { // many equal ones
					logits[i] = float64((i*i+step/3)%37)/4 - 2
				}
				got := s.Sample(dev.FromSlice(logits, 1, len(logits)))
				if want := slow.sample(logits); got != want {
					t.Fatalf("%v, %v: token %d is %d, want %d", dev, s, step, got, want)
				}
			}
		}
	}
}

// TestSamplerOfBadLogits: what is wrong anywhere is found where only a few tokens are looked at, too.
func TestSamplerOfBadLogits(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1)} {
		logits := make([]float64, 100)
		logits[70] = bad
		_, err := tensor.Try(func() *tensor.Tensor {
			nn.NewSampler(nn.Sampling{Temperature: 1, TopK: 2}).Sample(tensor.Of(logits...))
			return nil
		})
		if want := fmt.Sprintf("logit 70 is %v", bad); !errors.Is(err, tensor.ErrShape) ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%v: got %v", bad, err)
		}
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
		nn.NewSampler(nn.Sampling{}).Sample(tensor.Ones(2, 3))
		return nil
	}); !errors.Is(err, tensor.ErrShape) {
		t.Errorf("logits of two positions: %v", err)
	}
}

func TestGumbelSoftmax(t *testing.T) {
	cpu := tensor.CPU()
	cpu.SetSeed(2)
	logits := tensor.Of(0.1, 0.6, 0.3).Log().BroadcastAs(4000, 3)
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
		x := dev.Ones(tensor.F32, 100, 100)
		y := nn.Dropout(0.25).ForwardT(x, true)
		zeros, sum := y.Eq(0).ToDType(tensor.F32).Mean().ToScalar(), y.Mean().ToScalar()
		if math.Abs(zeros-0.25) > 0.02 || math.Abs(sum-1) > 0.03 {
			t.Errorf("%v: %v are dropped, the mean is %v", dev, zeros, sum)
		}
		if nn.Dropout(0.25).ForwardT(x, false) != x {
			t.Error("elements are dropped without training")
		}
	}
	if _, err := tensor.Try(func() *tensor.Tensor {
		return nn.Dropout(1.5).ForwardT(tensor.Of(1),
			true)
	}); !errors.Is(err, tensor.ErrShape) {
		t.Errorf("more than all dropped: %v", err)
	}
}

// TestSampleRows: kernels choose for all rows the tokens that each sampler chooses alone, with the same random numbers.
func TestSampleRows(t *testing.T) {
	thorough.Slow(t)
	rules := []nn.Sampling{
		{},
		{Temperature: 1, Seed: 1},
		{Temperature: 0.7, TopK: 40, TopP: 0.9, RepeatPenalty: 1.5, Seed: 2},
		{Temperature: 2, TopK: 3, RepeatPenalty: 20, RepeatLast: 9, Seed: 3},
		{Temperature: 1, TopP: 0.8, Seed: 5},
		{Temperature: 1, TopP: 0.999, Seed: 5}, // of more tokens than kernels keep
		{Temperature: 3, MinP: 0.2, FrequencyPenalty: -0.5, PresencePenalty: 0.25, Seed: 6},
		{Temperature: 0.5, MinP: 0.1, TopP: 0.6, RepeatPenalty: 1.2, FrequencyPenalty: 0.5, Seed: 7},
		{RepeatPenalty: 1.3, RepeatLast: 5, PresencePenalty: 1},
		{Temperature: 1, TopK: 400, Seed: 9},
		{Temperature: 1, TopP: 1, TopK: 1, Seed: 10},
	}
	for _, dev := range devices(t) {
		for _, dt := range []tensor.DType{tensor.F32, tensor.BF16} {
			var together, alone []*nn.Sampler
			for _, c := range rules {
				together, alone = append(together, nn.NewSampler(c)), append(alone, nn.NewSampler(c))
				together[len(alone)-1].Observe(3)
				alone[len(alone)-1].Observe(3)
			}
			dev.SetSeed(4)
			for step := range 12 {
				logits := dev.Randn(tensor.F32, len(rules), 700).Mul(2).ToDType(dt)
				if step%2 == 0 {
					logits = logits.Floor() // many equal ones
				}
				got, errs := nn.SampleRows(logits, together)
				for i, s := range alone {
					if want := s.Sample(logits.Get(i)); got[i] != want || errs[i] != nil {
						t.Fatalf("%v, %v, %v: token %d is %d, %v, want %d", dev, dt, s, step, got[i], errs[i], want)
					}
				}
			}
		}
		bad := tensor.Of(1, 2, 3, math.NaN(), 1, math.Inf(1), math.Inf(-1), math.Inf(-1), 5, 6).Reshape(5, 2).To(dev)
		samplers := make([]*nn.Sampler, 5)
		for i := range samplers {
			samplers[i] = nn.NewSampler(nn.Sampling{Temperature: 1, TopK: 1})
		}
		got, errs := nn.SampleRows(bad, samplers)
		if want := "[1 -1 -1 -1 1] [<nil> sampler: logit 1 is NaN: the model has overflowed sampler: logit 1 is +Inf: " +
			"the model has overflowed sampler: all 2 logits are -Inf: no token is possible <nil>]"; fmt.Sprint(got, errs) != want {
			t.Errorf("%v: %v %v", dev, got, errs)
		}
	}
	for _, dev := range devices(t) { // the maximum of such logits is the same beside rows that are drawn
		bad := tensor.Of(1, math.NaN(), 3, math.Inf(1), math.Inf(-1), math.Inf(-1)).Reshape(3, 2).To(dev)
		for _, c := range []nn.Sampling{{}, {PresencePenalty: 1}} {
			for i := range 3 {
				samplers := []*nn.Sampler{nn.NewSampler(nn.Sampling{Temperature: 1}), nn.NewSampler(c)}
				rows := tensor.Stack([]*tensor.Tensor{tensor.Of(1, 2).To(dev), bad.Get(i)}, 0)
				got, errs := nn.SampleRows(rows, samplers)
				if want := nn.NewSampler(c).Sample(bad.Get(i)); got[1] != want || errs[0] != nil || errs[1] != nil {
					t.Errorf("%v, %+v, row %d: %d, %v, want %d", dev, c, i, got[1], errs, want)
				}
			}
		}
	}
	if err := tensor.Catch(func() error { nn.SampleRows(tensor.Ones(2, 3), nil); return nil }); !errors.Is(err, tensor.ErrShape) {
		t.Error(err)
	}
}

// TestBegin: a GPU chooses the tokens that Sample chooses, while the host goes on, and has them in its own memory.
// Where it cannot choose alone, nothing is begun.
func TestBegin(t *testing.T) {
	thorough.Slow(t)
	wide := nn.Sampling{Temperature: 1, TopP: 0.999, Seed: 5} // of more tokens than kernels keep
	for _, dev := range devices(t) {
		for _, c := range []nn.Sampling{{}, {Temperature: 1, Seed: 1}, {Temperature: 0.7, TopK: 40, TopP: 0.9, Seed: 2},
			{Temperature: 3, MinP: 0.2, Seed: 6}, wide} {
			begun, alone := nn.NewSampler(c), nn.NewSampler(c)
			dev.SetSeed(4)
			for step := range 8 {
				logits := dev.Randn(tensor.F32, 1, 700)
				choice := begun.Begin(logits)
				if (choice == nil) != dev.IsCPU() {
					t.Fatalf("%v, %v: begun: %v", dev, c, choice != nil)
				}
				if choice == nil {
					continue
				}
				after := choice.Token().Add(1)
				id, same := choice.Wait()
				if want := alone.Sample(logits); id != want || same == (c == wide) ||
					same && int(after.Get(0).ToScalar()) != id+1 {
					t.Fatalf("%v, %v: token %d is %d, %v, %v behind it; want %d", dev, c, step, id, same, after, want)
				}
			}
		}
		for _, c := range []nn.Sampling{{RepeatPenalty: 2}, {PresencePenalty: 1}, {Temperature: 1, Typical: 0.5},
			{Temperature: 1, Mirostat: 3}, {Temperature: 1, TopK: 300}} {
			if nn.NewSampler(c).Begin(dev.Zeros(tensor.F32, 700)) != nil {
				t.Errorf("%v, %+v: begun", dev, c)
			}
		}
		if dev.IsCPU() {
			continue
		}
		choice := nn.NewSampler(nn.Sampling{Temperature: 1}).Begin(tensor.Of(1, math.NaN()).To(dev))
		err := tensor.Catch(func() error { choice.Wait(); return nil })
		if err == nil || err.Error() != "sampler: logit 1 is NaN: the model has overflowed" {
			t.Errorf("%v: NaN: %v", dev, err)
		}
	}
}
