package train

import (
	"strings"

	"github.com/gorocm/gorocm/internal/edits"
)

// WordErrors is the word error rate of texts: how many words must be replaced, left out or put in, over the number of
// words that were right to say. It can be more than 1. Words are what is between spaces, as they are written.
type WordErrors struct {
	Characters    bool // counts characters in the place of words: the character error rate
	errors, words int
}

// Update takes a text and the right one.
func (w *WordErrors) Update(text, right string) {
	split := strings.Fields
	if w.Characters {
		split = func(s string) []string { return strings.Split(s, "") }
	}
	want := split(right)
	w.errors += edits.Distance(split(text), want)
	w.words += len(want)
}

// Value returns the rate.
func (w *WordErrors) Value() float64 { return float64(w.errors) / float64(w.words) }
