package repl

import (
	"context"
	"strings"
	"testing"
)

// TestNumberedValues: who looks for the value of a cell by its number learns what there is instead.
func TestNumberedValues(t *testing.T) {
	s, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, c := range []struct {
		cell string
		told bool
	}{{"6 * 7", false}, {"_1 + 1", true}, {"Out[1]", true}, {"__", true}, {"_x", false}, {"outer", false}, {"_ + 1", false}} {
		r := s.Eval(context.Background(), Request{Code: c.cell}, func(Event) {})
		told := r.Err != nil && strings.Contains(strings.Join(r.Err.Notes, ""), "_ is the last value")
		if told != c.told {
			t.Errorf("%s: %+v", c.cell, r.Err)
		}
	}
}
