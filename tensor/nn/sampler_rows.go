package nn

import (
	"math"
	"slices"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/nn/internal/choose"
)

// SampleRows chooses a token from each row of logits [rows tokens] with the sampler of the row, as Sample does. On GPUs
// kernels do it for all rows, and only the tokens come to the host: but for rows whose TopK is above 256, or whose TopP
// needs more than 256 tokens, the tokens are those that Sample chooses, up to the rounding of sums. A batch with a
// sampler of Typical or Mirostat is sampled on the host.
//
// A row of which nothing can be drawn has an error, as Sample panics with, and the token -1. SampleRows panics with
// ErrShape for other shapes.
func SampleRows(logits *tensor.Tensor, samplers []*Sampler) (tokens []int, errs []error) {
	if d := logits.Dims(); len(d) != 2 || d[0] != len(samplers) || d[0] == 0 || d[1] == 0 {
		extend.Shape("sampler", []*tensor.Tensor{logits}, "want logits of %d rows, one for each sampler, not shape %v",
			len(samplers), d)
	}
	errs = make([]error, len(samplers))
	if !slices.ContainsFunc(samplers, func(s *Sampler) bool { return !s.Greedy() }) {
		for _, id := range tensor.ToVec1[uint32](logits.ArgMax(-1)) {
			tokens = append(tokens, int(id))
		}
		return tokens, errs
	}
	if l, ok := choose.On(extend.Backend(logits.Device())); ok && !slices.ContainsFunc(samplers, (*Sampler).onHost) {
		tensor.Scoped(func() *tensor.Tensor {
			tokens = sampleRows(l, logits, samplers, errs)
			return nil
		})
		return tokens, errs
	}
	for i, s := range samplers {
		id := -1
		errs[i] = tensor.Catch(func() error { id = s.Sample(logits.Get(i)); return nil })
		tokens = append(tokens, id)
	}
	return tokens, errs
}

// sampleRows is SampleRows by kernels.
func sampleRows(l backend.Launcher, logits *tensor.Tensor, samplers []*Sampler, errs []error) []int {
	d := drawRows(l, logits, samplers)
	return d.tokens(tensor.ToVec1[uint32](d.out.FlattenAll()), errs)
}

// draws are tokens that kernels choose, one of each row of logits.
type draws struct {
	samplers  []*Sampler
	logits, x *tensor.Tensor // x are the logits after penalties, F32
	rules     []float64      // of the samplers
	out       *tensor.Tensor // U32 [rows 2]: the tokens, and what is wrong with them
}

// drawRows launches the kernels.
func drawRows(l backend.Launcher, logits *tensor.Tensor, samplers []*Sampler) *draws {
	const op = "sampler"
	dev, rows, cols := logits.Device(), logits.Dim(0), logits.Dim(1)
	d := &draws{samplers: samplers, logits: logits, x: penalized(l, logits, samplers),
		out: dev.Empty(tensor.U32, rows, 2)}
	var k int
	d.rules, k = rulesOf(samplers, cols)
	top, ids := d.x, d.x // which are not read
	if k > 0 {
		top, ids = d.x.TopK(k, 1, true)
	}
	in := func(t *tensor.Tensor) backend.Operand { return extend.Dense(op, t) }
	extend.Check(op, dev, choose.Rows(l, in(d.x), in(top), in(ids), in(dev.FromSlice(d.rules, len(d.rules))),
		extend.InMemory(op, d.out), rows, cols, k))
	return d
}

// tokens are those of out, which the kernels have chosen. The host chooses where they could not.
func (d *draws) tokens(out []uint32, errs []error) []int {
	tokens := make([]int, len(d.samplers))
	for i, s := range d.samplers {
		tokens[i] = int(out[2*i])
		errs[i] = tensor.Catch(func() error {
			switch wrong := out[2*i+1]; {
			case wrong == choose.Nothing && s.config.TopK <= choose.Most:
			case s.Greedy():
				tokens[i] = int(tensor.ToScalar[uint32](d.logits.Get(i).ArgMax(0)))
			case s.config.Temperature == 0:
				tokens[i] = s.choose(allTokens(d.x.Get(i)), 0)
			case wrong == choose.NotFinite:
				notFinite(tokens[i], d.x.Get(i).Get(tokens[i]).ToScalar())
			case wrong == choose.NoToken:
				noToken(d.x.Dim(1))
			default: // more tokens than the kernel has looked at
				tokens[i] = s.choose(allTokens(d.x.Get(i)), d.rules[i*choose.RuleSize])
			}
			return nil
		})
		if errs[i] != nil {
			tokens[i] = -1
			continue
		}
		s.record(tokens[i])
	}
	return tokens
}

// rulesOf returns the numbers by which the kernel draws, with a random number of each sampler that draws, and how many
// of the likeliest tokens it needs.
func rulesOf(samplers []*Sampler, cols int) (rules []float64, k int) {
	for _, s := range samplers {
		c, topP := s.config, s.config.TopP
		if topP >= 1 {
			topP = 0
		}
		switch {
		case c.Temperature == 0:
		case c.TopK > 0:
			k = max(k, min(c.TopK, choose.Most))
		case topP > 0:
			k = choose.Most
		}
		rules = append(rules, s.draw(), c.Temperature, c.MinP, float64(c.TopK), topP)
	}
	return rules, min(k, cols)
}

// penalized returns the logits as F32, after the penalties of the samplers.
func penalized(l backend.Launcher, logits *tensor.Tensor, samplers []*Sampler) *tensor.Tensor {
	var which []uint32
	var by []float32
	for i, s := range samplers {
		for id, p := range s.penalties() {
			which, by = append(which, uint32(i), uint32(id)), append(by, p.divide, p.subtract)
		}
	}
	x := logits.ToDType(tensor.F32).Contiguous()
	if len(which) == 0 {
		return x
	}
	if logits.DType() == tensor.F32 {
		x = x.Copy()
	}
	const op = "sampler"
	in := func(t *tensor.Tensor) backend.Operand { return extend.InMemory(op, t) }
	dev := x.Device()
	extend.Check(op, dev, choose.Penalize(l, extend.Written(op, x), in(dev.FromSlice(which, len(which))),
		in(dev.FromSlice(by, len(by))), len(by)/2, x.Dim(1)))
	return x
}

// allTokens are the candidates of a row without a penalty that is still to be applied.
func allTokens(row *tensor.Tensor) []token {
	tokens := make([]token, 0, row.ElemCount())
	for id, logit := range tensor.ToVec1[float32](row) {
		tokens = append(tokens, token{id, logit})
	}
	return tokens
}

// notFinite and noToken panic for logits of which nothing can be drawn.
func notFinite(id int, logit float64) {
	extend.Shape("sampler", nil, "logit %d is %v: the model has overflowed", id, logit)
}

func noToken(n int) {
	extend.Shape("sampler", nil, "all %d logits are %v: no token is possible", n, math.Inf(-1))
}
