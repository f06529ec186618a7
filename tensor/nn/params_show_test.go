package nn

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/tensor"
)

func TestParamsString(t *testing.T) {
	p := NewParams(tensor.F32, tensor.CPU())
	NewLinear(3, 2, p.At("first"))
	const want = "nn.Params on cpu, f32: 2 tensors, 8 elements, 32 bytes\n  first.weight  [2 3] f32\n  first.bias    [2] f32"
	if got := fmt.Sprint(p); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for i := range 30 {
		NewLinear(3, 2, p.At("more", i))
	}
	text := p.String()
	if n := strings.Count(text, "\n"); n != shownParams+1 || !strings.Contains(text, "… 22 more") ||
		!strings.HasSuffix(text, "more.29.bias    [2] f32") {
		t.Errorf("%d lines\n%s", n, text)
	}
}
