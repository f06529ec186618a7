package tensor_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/tensor"
)

// A GradStore is shown with its bytes, shapes and dtypes, and at most eight of them.
func TestGradStoreShown(t *testing.T) {
	ids := regexp.MustCompile(`ID \d+`)
	show := func(loss *tensor.Tensor) string { return ids.ReplaceAllString(fmt.Sprint(loss.Backward()), "ID n") }
	x := tensor.NewVar(tensor.Ones(2, 3))
	if got, want := show(x.Sqr().Sum()), "tensor.GradStore: gradient of 1 variable, 24 bytes\n  ID n  [2 3] f32"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	loss := x.Sum()
	for range 10 {
		loss = loss.Add(tensor.NewVar(tensor.Ones(4)).Sum())
	}
	got := show(loss)
	if !strings.HasPrefix(got, "tensor.GradStore: gradients of 11 variables, 184 bytes\n") || !strings.HasSuffix(got, "\n  … 3 more") {
		t.Errorf("got %s", got)
	}
}
