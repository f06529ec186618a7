package speech

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/gorocm/gorocm/tensor"
)

// CTCDecoder reads labels from the output of a network that nn.CTC trains. Its zero value takes the likeliest class of
// each step.
type CTCDecoder struct {
	Blank   int   // the class that stands for no label
	Lengths []int // steps of each sequence; nil is all of them
	// Beams is how many beginnings of label sequences are kept from step to step: their probabilities are sums over all
	// ways of writing them (Hannun et al., "First-Pass Large Vocabulary Continuous Speech Recognition", 2014). 0 takes the
	// likeliest class of each step.
	Beams int
	// Score is added to the logarithm of the probability of labels when next follows them, such as a factor times the
	// logarithm of its probability in a language model; nil adds nothing. Only with Beams.
	Score func(labels []int, next int) float64
}

// Decode returns the labels of each sequence of logProbs [steps batch classes], logarithms of probabilities as
// LogSoftmax gives, without blanks and repetitions. It panics with ErrShape for other shapes and lengths.
func (d CTCDecoder) Decode(logProbs *tensor.Tensor) [][]int {
	misfit := func(format string, args ...any) {
		panic(&tensor.Error{Op: "ctc decoder", Kind: tensor.ErrShape, Shapes: [][]int{logProbs.Dims()},
			Message: fmt.Sprintf(format, args...)})
	}
	if logProbs.Rank() != 3 || d.Blank < 0 || d.Blank >= logProbs.Dim(2) {
		misfit("want log probabilities [steps batch classes] with the blank %d among the classes, not shape %v", d.Blank,
			logProbs.Dims())
	}
	if d.Lengths != nil && len(d.Lengths) != logProbs.Dim(1) {
		misfit("%d Lengths for a batch of %d", len(d.Lengths), logProbs.Dim(1))
	}
	all := logProbs.Detach().ToDType(tensor.F64).Transpose(0, 1).ToVec3()
	labels := make([][]int, len(all))
	for i, steps := range all {
		if d.Lengths != nil {
			if n := d.Lengths[i]; n < 0 || n > len(steps) {
				misfit("Lengths has %d: want 0 to %d", n, len(steps))
			}
			steps = steps[:d.Lengths[i]]
		}
		if d.Beams > 0 {
			labels[i] = d.search(steps)
		} else {
			labels[i] = d.greedy(steps)
		}
	}
	return labels
}

func (d *CTCDecoder) greedy(steps [][]float64) (labels []int) {
	last := d.Blank
	for _, row := range steps {
		best := 0
		for class, p := range row {
			if p > row[best] {
				best = class
			}
		}
		if best != last && best != d.Blank {
			labels = append(labels, best)
		}
		last = best
	}
	return labels
}

// beam is a beginning of the labels, with the logarithms of its probability with a blank at the end, and without one.
type beam struct {
	labels       []int
	id           string // the labels once more, as the key of a map
	blank, label float64
	score        float64 // the sum of those of Score
}

func (b *beam) total() float64 { return logAdd(b.blank, b.label) + b.score }

// logAdd is the logarithm of a sum of two numbers whose logarithms are given.
func logAdd(a, b float64) float64 {
	if a < b {
		a, b = b, a
	}
	if math.IsInf(b, -1) {
		return a
	}
	return a + math.Log1p(math.Exp(b-a))
}

func (d *CTCDecoder) search(steps [][]float64) []int {
	never := math.Inf(-1)
	beams := []*beam{{label: never}}
	for _, row := range steps {
		next := map[string]*beam{}
		at := func(from *beam, class int) *beam {
			labels, score, id := from.labels, from.score, from.id
			if class >= 0 {
				id = fmt.Sprint(id, class, " ")
			}
			b := next[id]
			if b == nil {
				if class >= 0 {
					if d.Score != nil {
						score += d.Score(labels, class)
					}
					labels = append(slices.Clip(labels), class)
				}
				b = &beam{labels: labels, id: id, blank: never, label: never, score: score}
				next[id] = b
			}
			return b
		}
		for _, b := range beams {
			both := logAdd(b.blank, b.label)
			for class, p := range row {
				switch {
				case math.IsInf(p, -1):
				case class == d.Blank:
					same := at(b, -1)
					same.blank = logAdd(same.blank, both+p)
				case len(b.labels) > 0 && class == b.labels[len(b.labels)-1]:
					same := at(b, -1)
					same.label = logAdd(same.label, b.label+p)
					more := at(b, class)
					more.label = logAdd(more.label, b.blank+p)
				default:
					more := at(b, class)
					more.label = logAdd(more.label, both+p)
				}
			}
		}
		beams = beams[:0]
		for _, b := range next {
			beams = append(beams, b)
		}
		slices.SortFunc(beams, func(a, b *beam) int {
			return cmp.Or(cmp.Compare(b.total(), a.total()), cmp.Compare(a.id, b.id))
		})
		beams = beams[:min(len(beams), d.Beams)]
	}
	if len(beams) == 0 {
		return nil
	}
	return beams[0].labels
}
