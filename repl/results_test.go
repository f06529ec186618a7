package repl

import (
	"context"
	"runtime"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
)

// TestResultsOfTensors: small tensors that cells have shown stay; a view of a large one, and one with a past, only as
// long as a variable holds them.
func TestResultsOfTensors(t *testing.T) {
	thorough.Slow(t)
	s, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	eval := func(code string) (text string, failure *Error) {
		t.Helper()
		r := s.Eval(context.Background(), Request{Code: code}, func(e Event) { text += e.Text + e.Data.Text() })
		return text, r.Err
	}
	for i, c := range []struct{ code, want, fails string }{
		{`dev := Device("cpu")`, "", ""},
		{"tensor.Of(1, 2, 3)", "[1., 2., 3.]", ""},
		{"large := dev.Ones(tensor.F32, 1024, 1024)\nlarge", "[1024, 1024]", ""},
		{"large.Narrow(0, 0, 1).Narrow(1, 0, 2)", "[[1., 1.]]", ""},
		{"w := tensor.NewVar(dev.Ones(tensor.F32, 2))\nw", "[1., 1.]", ""},
		{"w.Sqr().Sum()", "2", ""},
		{"_2.Add(_2)", "[2., 4., 6.]", ""},
		{"_3 == large", "true", ""},
		{"runtime.GC(); _4", "", "the result of cell 4 is gone: it takes 4 MiB"},
		{"_6", "", "the result of cell 6 is gone: it refers to all that its gradients need"},
		{"_5.TrackOp()", "true", ""},
		{"dev", "cpu", ""},
		{"large = nil; runtime.GC()", "", ""},
		{"_3", "", "the result of cell 3 is gone: it takes 4 MiB"},
		{"%tensors", "results of cells, such as _3, hold 2 tensors, 24 B; %reset Out forgets them", ""},
		{"%reset _2", "_2: forgotten", ""},
		{"_2", "", "the result of cell 2 was forgotten"},
		{"In[2] == \"tensor.Of(1, 2, 3)\"", "true", ""},
		{"%reset Out", "Out: forgotten", ""},
		{"%reset Out", "", "nothing is called Out"},
	} {
		runtime.GC()
		text, failure := eval(c.code)
		switch {
		case c.fails != "" && (failure == nil || !strings.Contains(failure.Text(false), c.fails)):
			t.Errorf("cell %d, %s: %s %+v, want %q", i+1, c.code, text, failure, c.fails)
		case c.fails == "" && (failure != nil || !strings.Contains(text, c.want)):
			t.Errorf("cell %d, %s: %s %+v, want %q", i+1, c.code, text, failure, c.want)
		}
	}
	if text, _ := eval("%tensors"); strings.Contains(text, "results of cells") {
		t.Errorf("after %%reset Out: %s", text)
	}
}
