package train

import "strings"

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
	w.errors += distance(split(text), want)
	w.words += len(want)
}

// Value returns the rate.
func (w *WordErrors) Value() float64 { return float64(w.errors) / float64(w.words) }

// distance is Levenshtein's between two lists.
func distance(a, b []string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i, x := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j, y := range b {
			cost := diagonal
			if x != y {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
