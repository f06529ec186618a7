package nn

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/gorocm/gorocm/tensor"
)

// Sampling says how the next token is chosen from the logits of a language model. The zero value takes the most likely one.
type Sampling struct {
	Temperature   float64 // what logits are divided by before the softmax; 0 takes the greatest
	TopK          int     // only so many of the most likely; 0 is all
	TopP          float64 // only the most likely that together have this probability; 0 and 1 are all
	RepeatPenalty float64 // divides positive and multiplies negative logits of recent tokens; 0 and 1 are none
	RepeatLast    int     // how many tokens are recent; 0 is 64
	Seed          uint64  // the same seed chooses the same tokens
}

// Sampler chooses tokens one after the other.
type Sampler struct {
	config Sampling
	random *rand.Rand
	recent []int
	order  []int     // the ids, as they are sorted
	p      []float64 // their probabilities
}

// NewSampler returns a sampler. It panics with ErrShape when a number of the config makes no sense.
func NewSampler(config Sampling) *Sampler {
	if !(config.Temperature >= 0 && config.TopP >= 0 && config.TopP <= 1 && config.RepeatPenalty >= 0) || config.TopK < 0 || config.RepeatLast < 0 {
		shapes("sampler", nil, "want numbers of at least 0, and a TopP of at most 1, not %+v", config)
	}
	return &Sampler{config: config, random: rand.New(rand.NewPCG(config.Seed, 0))}
}

// Observe notes a token that was not chosen here, such as one of the prompt, for the repeat penalty.
func (s *Sampler) Observe(id int) {
	if s.config.RepeatPenalty == 0 || s.config.RepeatPenalty == 1 {
		return
	}
	last := s.config.RepeatLast
	if last == 0 {
		last = 64
	}
	s.recent = append(s.recent, id)
	if n := len(s.recent); n > last {
		s.recent = slices.Delete(s.recent, 0, n-last)
	}
}

// Forget forgets the recent tokens, for a new text.
func (s *Sampler) Forget() { s.recent = s.recent[:0] }

// Sample chooses a token from its logits, one for each token, of shape [tokens] or with dims of size 1 before. Greedy choice without penalties
// happens on the device; otherwise the logits are brought to the host. It panics with ErrShape for other shapes, and for logits of which nothing can be
// drawn: with a NaN among them, an infinity, or no finite one.
func (s *Sampler) Sample(logits *tensor.Tensor) int {
	n := logits.ElemCount()
	if logits.Rank() == 0 || n != logits.Dim(-1) || n == 0 {
		shapes("sampler", []*tensor.Tensor{logits}, "want the logits of one position, not shape %v", logits.Dims())
	}
	penalty := s.config.RepeatPenalty
	if s.config.Temperature == 0 && (penalty == 0 || penalty == 1) {
		return int(logits.FlattenAll().ArgMax(0).ToScalarU32())
	}
	values := logits.FlattenAll().ToDType(tensor.F32).ToVec1F32()
	s.punish(values)
	id := s.choose(values)
	s.Observe(id)
	return id
}

// punish lowers the logits of recent tokens.
func (s *Sampler) punish(values []float32) {
	done := map[int]bool{}
	for _, id := range s.recent {
		if id < 0 || id >= len(values) || done[id] {
			continue
		}
		done[id] = true
		if values[id] > 0 {
			values[id] /= float32(s.config.RepeatPenalty)
		} else {
			values[id] *= float32(s.config.RepeatPenalty)
		}
	}
}

// choose takes the greatest, or draws from those that TopK and TopP leave.
func (s *Sampler) choose(values []float32) int {
	best := 0
	for i, v := range values {
		if v > values[best] {
			best = i
		}
	}
	if s.config.Temperature == 0 {
		return best
	}
	if i := slices.IndexFunc(values, func(v float32) bool { return v != v || math.IsInf(float64(v), 1) }); i >= 0 {
		shapes("sampler", nil, "logit %d is %v: the model has overflowed", i, values[i])
	}
	if math.IsInf(float64(values[best]), -1) {
		shapes("sampler", nil, "all %d logits are %v: no token is possible", len(values), values[best])
	}
	s.p = slices.Grow(s.p[:0], len(values))[:len(values)]
	s.order = slices.Grow(s.order[:0], len(values))[:len(values)]
	sum := 0.0
	for i, v := range values {
		s.p[i] = math.Exp((float64(v) - float64(values[best])) / s.config.Temperature)
		s.order[i] = i
		sum += s.p[i]
	}
	if c := s.config; c.TopK > 0 && c.TopK < len(values) || c.TopP > 0 && c.TopP < 1 {
		sum = s.cut(sum)
	}
	at := s.random.Float64() * sum
	last := s.order[0]
	for _, i := range s.order {
		if at -= s.p[i]; at < 0 {
			return i
		}
		if s.p[i] > 0 { // the sum of all was rounded otherwise
			last = i
		}
	}
	return last
}

// cut leaves in order the tokens that TopK and TopP allow, the likeliest first, and returns the sum of theirs.
func (s *Sampler) cut(sum float64) float64 {
	slices.SortFunc(s.order, func(a, b int) int { return cmp.Or(cmp.Compare(s.p[b], s.p[a]), cmp.Compare(a, b)) })
	if k := s.config.TopK; k > 0 && k < len(s.order) {
		s.order, sum = s.order[:k], 0
		for _, i := range s.order {
			sum += s.p[i]
		}
	}
	if top := s.config.TopP; top > 0 && top < 1 {
		limit, kept := top*sum, 0.0
		for n, i := range s.order {
			if kept += s.p[i]; kept >= limit {
				s.order = s.order[:n+1]
				break
			}
		}
		sum = kept
	}
	return sum
}

// String names what is not zero.
func (s *Sampler) String() string { return fmt.Sprintf("Sampler%+v", s.config) }

// GumbelSoftmax draws one of the places along dim with the probabilities of Softmax(logits/temperature), for every row: it adds noise to
// the logits and returns the places of the greatest, U32. A temperature of 0 takes the greatest without noise.
func GumbelSoftmax(logits *tensor.Tensor, temperature float64, dim int) *tensor.Tensor {
	if temperature <= 0 {
		return logits.ArgMax(dim)
	}
	x := wide(logits)
	noise := tensor.Rand(1e-7, 0.999, x.Dims(), x.DType(), x.Device()).Log().Neg().Log().Neg()
	return x.Mul(1 / temperature).Add(noise).ArgMax(dim)
}
