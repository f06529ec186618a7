package speech

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"github.com/gorocm/gorocm/tensor"
)

// attempt is what the model writes of a window.
type attempt struct {
	tokens      []int   // without those it begins with, and the one that ends it
	meanLog     float64 // the mean logarithm of the probabilities of its tokens
	noSpeech    float64 // the probability that nothing is said
	temperature float64
	skip        bool // nothing is said
	stopped     bool // by an interruption
}

// write writes the tokens of a window, again with a higher temperature while they seem wrong.
func (t *transcription) write(mel *tensor.Tensor) (a attempt) {
	o := &t.m.Options
	rows := t.m.Encode(mel).Kept()
	if t.begin == nil {
		t.begin = t.first(rows)
	}
	defer func() { t.sure = a.temperature < 0.5 }()
	for _, temperature := range o.temperatures() {
		a = t.try(rows, temperature)
		likely := o.LeastLogProb == 0 || a.meanLog >= o.LeastLogProb
		if a.skip = o.NoSpeech > 0 && !likely && a.noSpeech > o.NoSpeech; a.stopped || a.skip {
			break
		}
		if likely && (o.MostCompression == 0 || t.m.compression(a) <= o.MostCompression) {
			break
		}
	}
	return a
}

// try writes the tokens of a window at a temperature.
func (t *transcription) try(rows *tensor.Tensor, temperature float64) attempt {
	c := &t.m.Config
	d, begin := t.m.Decoder(rows), t.begin
	if before := t.before; len(before) > 0 && (t.sure || !t.m.Options.ConditionOnPrevious) {
		before = before[max(0, len(before)-c.Context/2+1):]
		begin = slices.Concat([]int{c.Previous}, before, begin)
	}
	logits := d.Read(begin)
	start := logits.Get(len(begin) - len(t.begin)).ToVec1() // what follows c.Start
	a := attempt{temperature: temperature, noSpeech: probability(start, c.NoTimestamps-1)}
	row, sum, n := logits.Get(len(begin)-1).ToVec1(), 0.0, 0
	for {
		if t.stopped.Load() {
			a.stopped = true
			return a
		}
		c.allow(row, a.tokens)
		id := t.choose(row, temperature)
		if sum, n = sum+row[id]-sumExp(row), n+1; math.IsNaN(sum) {
			panic(&tensor.Error{Op: "whisper", Kind: tensor.ErrValue,
				Message: fmt.Sprintf("the logits after %d tokens are not numbers: the sound has samples that are not, or %v "+
					"does not reach that far", d.Len(), t.m.dtype)})
		}
		a.meanLog = sum / float64(n)
		if id == c.End {
			return a
		}
		a.tokens = append(a.tokens, id)
		if d.Len() == c.Context || len(begin)+len(a.tokens) >= c.Context {
			return a
		}
		row = d.Read([]int{id}).Get(0).ToVec1()
	}
}

// choose takes the likeliest token, or draws one.
func (t *transcription) choose(logits []float64, temperature float64) int {
	best := 0
	for i, v := range logits {
		if v > logits[best] {
			best = i
		}
	}
	if temperature == 0 {
		return best
	}
	sum := 0.0
	for _, v := range logits {
		sum += math.Exp((v - logits[best]) / temperature)
	}
	at := t.random.Float64() * sum
	for i, v := range logits {
		if at -= math.Exp((v - logits[best]) / temperature); at < 0 && !math.IsInf(v, -1) {
			return i
		}
	}
	return best
}

func probability(logits []float64, id int) float64 { return math.Exp(logits[id] - sumExp(logits)) }

// compression is how many times longer the tokens are as bytes than compressed: repetitions compress well. It differs a
// little from that of transformers, whose zlib finds others.
func (m *Whisper) compression(a attempt) float64 {
	size := (bits.Len(uint(m.Config.Vocab))-1)/8 + 1
	var raw []byte
	for _, id := range append(a.tokens[:len(a.tokens):len(a.tokens)], m.Config.End) {
		for k := range size {
			raw = append(raw, byte(id>>(8*k)))
		}
	}
	var packed bytes.Buffer
	w := zlib.NewWriter(&packed)
	w.Write(raw) // to memory: it cannot fail
	w.Close()
	return float64(len(raw)) / float64(packed.Len())
}

// first are the tokens that every text begins with: of the language, which is detected unless Options says it, and of
// the task.
func (t *transcription) first(rows *tensor.Tensor) []int {
	c, o := &t.m.Config, &t.m.Options
	if len(c.Languages) == 0 {
		return []int{c.Start}
	}
	language := c.Languages[o.Language]
	if o.Language == "" {
		row := t.m.Decoder(rows).Read([]int{c.Start}).Get(0).ToVec1()
		best := nothing
		for code, id := range c.Languages {
			if row[id] > best || row[id] == best && id < language {
				best, language, t.language = row[id], id, code
			}
		}
	}
	return []int{c.Start, language, c.Tasks[o.task()]}
}

func newRandom(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }
