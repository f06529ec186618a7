package nn

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// Sampling says how the next token is chosen from the logits of a language model. The zero value takes the most
// likely one.
type Sampling struct {
	Temperature float64 // the divisor of the logits before the softmax; 0 takes the maximum
	TopK        int     // only so many of the most likely; 0 is all
	TopP        float64 // only the most likely that together have this probability; 0 and 1 are all
	MinP        float64 // only those with this part of the greatest probability, before TopK and TopP; 0 is all
	// only those whose surprise is nearest to the mean one, until they have this probability together, after the other
	// three (locally typical sampling: Meister et al., 2022); 0 and 1 are all
	Typical float64
	// only those whose surprise, in bits, is below a bound that moves so that texts have this surprise per token
	// (Mirostat 2: Basu et al., 2021); 0 is all. MirostatRate is how fast it moves; 0 is 0.1
	Mirostat, MirostatRate float64
	RepeatPenalty          float64 // divides positive and multiplies negative logits of recent tokens; 0 and 1 are none
	RepeatLast             int     // how many tokens are recent; 0 is 64
	// what is subtracted from the logits of chosen tokens, as OpenAI defines it: FrequencyPenalty each time they were
	// chosen since the last Forget, and PresencePenalty once; those of the prompt do not count
	FrequencyPenalty, PresencePenalty float64
	Seed                              uint64 // the same seed chooses the same tokens
}

// Sampler chooses tokens one after the other.
type Sampler struct {
	config Sampling
	random *rand.Rand
	recent []int
	chosen map[int]int    // how often each token was chosen, for the penalties that count
	order  []int          // positions of candidates, as they are sorted
	p      []float64      // their probabilities
	bound  float64        // of surprises, for Mirostat
	back   *rocm.Readback // of Begin
	backOf *rocm.Device
}

// NewSampler returns a sampler. It panics with ErrShape when a number of the config makes no sense.
func NewSampler(config Sampling) *Sampler {
	c := config
	finite := c.Temperature + c.FrequencyPenalty + c.PresencePenalty + c.RepeatPenalty + c.Mirostat + c.MirostatRate
	if !(c.Typical >= 0 && c.Typical <= 1 && c.Mirostat >= 0 && c.MirostatRate >= 0) ||
		!(c.Temperature >= 0 && c.TopP >= 0 && c.TopP <= 1 && c.MinP >= 0 && c.MinP <= 1 && c.RepeatPenalty >= 0) ||
		c.TopK < 0 || c.RepeatLast < 0 || math.IsInf(finite, 0) || math.IsNaN(finite) {
		extend.Shape("sampler", nil, "want finite numbers of at least 0, but for FrequencyPenalty and PresencePenalty, "+
			"and a TopP, MinP and Typical of at most 1, not %+v", c)
	}
	s := &Sampler{config: c, random: rand.New(rand.NewPCG(c.Seed, 0)), chosen: map[int]int{}}
	s.Forget()
	return s
}

// Observe records a token that was not chosen here, such as one of the prompt, for the repeat penalty.
func (s *Sampler) Observe(id int) {
	if !s.repeats() {
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

// Forget forgets the recent and the chosen tokens, for a new text.
func (s *Sampler) Forget() {
	s.recent = s.recent[:0]
	clear(s.chosen)
	s.bound = 2 * s.config.Mirostat
}

// counts reports whether chosen tokens are counted.
func (s *Sampler) counts() bool {
	return s.config.FrequencyPenalty != 0 || s.config.PresencePenalty != 0
}

// record remembers a token that was chosen.
func (s *Sampler) record(id int) {
	s.Observe(id)
	if s.counts() {
		s.chosen[id]++
	}
}

// Greedy reports whether the next token is the one with the maximum of the logits, whatever was chosen before.
func (s *Sampler) Greedy() bool { return s.config.Temperature == 0 && !s.repeats() && !s.counts() }

// repeats reports whether recent tokens are punished.
func (s *Sampler) repeats() bool { return s.config.RepeatPenalty != 0 && s.config.RepeatPenalty != 1 }

// Sample chooses a token from its logits, one for each token, of shape [tokens] or with dims of size 1 before. Greedy
// choice without penalties happens on the device, which also finds the TopK likeliest; otherwise the logits are brought
// to the host. It panics with ErrShape for other shapes, and for logits of which nothing can be drawn: with a NaN among
// them, an infinity, or no finite one.
func (s *Sampler) Sample(logits *tensor.Tensor) int {
	checkLogits(logits)
	if s.Greedy() {
		return int(tensor.ToScalar[uint32](logits.FlattenAll().ArgMax(0)))
	}
	x := logits.FlattenAll().ToDType(tensor.F32)
	tokens := s.likeliest(x)
	if tokens == nil {
		tokens = allTokens(x)
	}
	s.punish(tokens)
	id := tokens[s.choose(tokens, s.draw())].id
	s.record(id)
	return id
}

// checkLogits panics for what are not the logits of one position, and returns how many there are.
func checkLogits(logits *tensor.Tensor) int {
	n := logits.ElemCount()
	if logits.Rank() == 0 || n != logits.Dim(-1) || n == 0 {
		extend.Shape("sampler", []*tensor.Tensor{logits}, "want the logits of one position, not shape %v",
			logits.Dims())
	}
	return n
}

// token is a candidate. Lists of them are in the order of the ids.
type token struct {
	id    int
	logit float32
}

// likeliest selects the candidates on the device of the logits. It returns nil where all tokens may be candidates,
// and where the maximum is not finite. A penalty only moves a token back: the first k candidates are among those
// with penalties and the first k of the others.
func (s *Sampler) likeliest(logits *tensor.Tensor) []token {
	k := s.config.TopK
	if s.config.Temperature == 0 {
		k = 1
	}
	recent, c := len(s.recent), s.config
	moved := recent + len(s.chosen)
	if k == 0 || k+moved >= logits.ElemCount() || recent > 0 && c.RepeatPenalty < 1 ||
		min(c.FrequencyPenalty, c.PresencePenalty) < 0 {
		return nil
	}
	top, at := logits.TopK(k+moved, 0, true)
	maximum := logits.Max().Reshape(1) // NaN if there is one
	values := tensor.ToVec1[float32](tensor.Cat([]*tensor.Tensor{maximum, top}, 0))
	if g := float64(values[0]); math.IsNaN(g) || math.IsInf(g, 0) {
		return nil
	}
	tokens := make([]token, 0, k+moved)
	for i, id := range tensor.ToVec1[uint32](at) {
		tokens = append(tokens, token{int(id), values[1+i]})
	}
	slices.SortFunc(tokens, func(a, b token) int { return cmp.Compare(a.id, b.id) })
	return tokens
}

// penalty is what happens to the logit of a token: it is divided where it is positive and else multiplied, and then
// reduced.
type penalty struct{ divide, subtract float32 }

// penalties are those of recent and of chosen tokens.
func (s *Sampler) penalties() map[int]penalty {
	all := make(map[int]penalty, len(s.recent)+len(s.chosen))
	for _, id := range s.recent {
		all[id] = penalty{divide: float32(s.config.RepeatPenalty)}
	}
	for id, n := range s.chosen {
		p, recent := all[id]
		if !recent {
			p.divide = 1
		}
		p.subtract = float32(float64(n)*s.config.FrequencyPenalty + s.config.PresencePenalty)
		all[id] = p
	}
	return all
}

// punish applies the penalties to tokens.
func (s *Sampler) punish(tokens []token) {
	for id, p := range s.penalties() {
		i, found := slices.BinarySearchFunc(tokens, id, func(t token, id int) int { return cmp.Compare(t.id, id) })
		if !found {
			continue
		}
		if logit := &tokens[i].logit; *logit > 0 {
			*logit = *logit/p.divide - p.subtract
		} else {
			*logit = *logit*p.divide - p.subtract
		}
	}
}

// draw returns a random number from 0 to 1 where the choice needs one, else 0.
func (s *Sampler) draw() float64 {
	if s.config.Temperature == 0 {
		return 0
	}
	return s.random.Float64()
}

// choose returns the maximum, or a token drawn from those that MinP, TopK and TopP leave.
func (s *Sampler) choose(tokens []token, random float64) int {
	best := 0
	for i, t := range tokens {
		if t.logit > tokens[best].logit {
			best = i
		}
	}
	if s.config.Temperature == 0 {
		return best
	}
	if i := slices.IndexFunc(tokens, func(t token) bool {
		return t.logit != t.logit ||
			math.IsInf(float64(t.logit), 1)
	}); i >= 0 {
		notFinite(tokens[i].id, float64(tokens[i].logit))
	}
	maximum := float64(tokens[best].logit)
	if math.IsInf(maximum, -1) {
		noToken(len(tokens))
	}
	s.p = slices.Grow(s.p[:0], len(tokens))[:len(tokens)]
	s.order = slices.Grow(s.order[:0], len(tokens))[:len(tokens)]
	sum := 0.0
	for i, t := range tokens {
		s.p[i] = math.Exp((float64(t.logit) - maximum) / s.config.Temperature)
		s.order[i] = i
		sum += s.p[i]
	}
	if s.config.MinP > 0 {
		sum = s.cutUnlikely()
	}
	if c := s.config; c.TopK > 0 || c.TopP > 0 && c.TopP < 1 {
		sum = s.cut(sum)
	}
	if c := s.config; c.Typical > 0 && c.Typical < 1 {
		sum = s.cutUntypical(sum)
	}
	if s.config.Mirostat > 0 {
		sum = s.cutSurprising(sum)
	}
	at := s.drawn(random * sum)
	if s.config.Mirostat > 0 {
		s.surprised(-math.Log2(s.p[at] / sum))
	}
	return at
}

// drawn is the candidate at a place among the probabilities of those in order, one after the other.
func (s *Sampler) drawn(at float64) int {
	last := s.order[0]
	for _, i := range s.order {
		if at -= s.p[i]; at < 0 {
			return i
		}
		if s.p[i] > 0 { // rounding: the sum of all candidates was a little larger
			last = i
		}
	}
	return last
}

// cutUnlikely keeps in order the candidates that MinP allows, and returns the sum of their probabilities. The greatest
// is 1.
func (s *Sampler) cutUnlikely() (sum float64) {
	s.order = slices.DeleteFunc(s.order, func(i int) bool { return s.p[i] < s.config.MinP })
	for _, i := range s.order {
		sum += s.p[i]
	}
	return sum
}

// cut keeps in order the candidates that TopK and TopP allow, the likeliest first, and returns the sum of their
// probabilities.
func (s *Sampler) cut(sum float64) float64 {
	top := s.config.TopP
	if n := len(s.order); s.config.TopK == 0 && n > 1 {
		// If the others of n tokens have more than 1 - TopP together, the likeliest of them has more than this. Half
		// of it allows for rounding.
		least := (1 - top) * sum / float64(n-1) / 2
		s.order = slices.DeleteFunc(s.order, func(i int) bool { return s.p[i] < least })
	}
	slices.SortFunc(s.order, func(a, b int) int { return cmp.Or(cmp.Compare(s.p[b], s.p[a]), cmp.Compare(a, b)) })
	if k := s.config.TopK; k > 0 {
		s.order, sum = s.order[:min(k, len(s.order))], 0
		for _, i := range s.order {
			sum += s.p[i]
		}
	}
	if top > 0 && top < 1 {
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

// String lists the settings.
func (s *Sampler) String() string { return fmt.Sprintf("Sampler%+v", s.config) }

// GumbelSoftmax draws a position along dim with the probabilities of Softmax(logits/temperature), for every row: it
// adds noise to the logits and returns the positions of the maxima, U32. A temperature of 0 takes the maximum without
// noise.
func GumbelSoftmax(logits *tensor.Tensor, temperature float64, dim int) *tensor.Tensor {
	if temperature <= 0 {
		return logits.ArgMax(dim)
	}
	x := extend.Wide(logits)
	noise := x.Device().Rand(x.DType(), x.Dims()...).Affine(0.999, 1e-7).Log().Neg().Log().Neg()
	return x.Mul(1 / temperature).Add(noise).ArgMax(dim)
}
