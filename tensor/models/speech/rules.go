package speech

import (
	"math"
)

var nothing = math.Inf(-1)

// allow sets the logits of tokens that cannot follow to minus infinity. text is what the model has written so far,
// without the tokens that it begins with. These are the rules of the original, as transformers has them.
func (c *Config) allow(logits []float64, text []int) {
	if len(text) == 0 {
		forbid(logits, c.SuppressedAtStart)
	}
	forbid(logits, c.Suppressed)
	logits[c.NoTimestamps] = nothing
	times := c.NoTimestamps + 1
	fill(logits[times:c.firstTime(text)])
	if n := len(text); n > 0 && text[n-1] >= times {
		if n < 2 || text[n-2] >= times { // the second of a pair, or the first of all: text follows
			fill(logits[times:])
		} else { // another time follows, or the end
			fill(logits[:c.End])
		}
	}
	if len(text) == 0 {
		fill(logits[:times])
		if last := times + c.FirstTimestamp; c.FirstTimestamp >= 0 && last+1 < len(logits) {
			fill(logits[last+1:])
		}
	}
	// Where a time, whichever it is, is likelier than each other token, it is a time.
	if sumExp(logits[times:]) > maximum(logits[:times]) {
		fill(logits[:times])
	}
}

// firstTime is the first token of a time that may follow: times never go back, and those of a pair may be the same.
func (c *Config) firstTime(text []int) int {
	times, n := c.NoTimestamps+1, len(text)
	for i := n - 1; i >= 0; i-- {
		if text[i] < times {
			continue
		}
		if i == n-1 && n >= 2 && text[n-2] < times {
			return min(text[i], c.Vocab)
		}
		return min(text[i]+1, c.Vocab)
	}
	return times
}

func forbid(logits []float64, tokens []int) {
	for _, id := range tokens {
		logits[id] = nothing
	}
}

func fill(logits []float64) {
	for i := range logits {
		logits[i] = nothing
	}
}

// sumExp is the logarithm of the sum of the exponentials.
func sumExp(x []float64) float64 {
	most := maximum(x)
	if math.IsInf(most, -1) {
		return most
	}
	sum := 0.0
	for _, v := range x {
		sum += math.Exp(v - most)
	}
	return most + math.Log(sum)
}

// maximum is minus infinity for no numbers.
func maximum(x []float64) float64 {
	most := nothing
	for _, v := range x {
		most = max(most, v)
	}
	return most
}
