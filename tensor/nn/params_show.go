package nn

import (
	"fmt"
	"strings"

	"github.com/gorocm/gorocm/tensor/formats"
)

// Of a long list of parameters, the first and the last ones are shown.
const (
	shownParams = 40
	lastParams  = 10
)

// String lists the parameters that were taken so far, with shapes and dtypes, and how many elements they have.
func (p *Params) String() string {
	list := p.All()
	width, elements, bytes := 0, 0, 0
	for _, x := range list {
		width = max(width, len(x.Name))
		elements, bytes = elements+x.Tensor.ElemCount(), bytes+x.Tensor.Bytes()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "nn.Params on %v, %v: %d tensors, %d elements, %d bytes", p.dev, p.dtype, len(list), elements, bytes)
	line := func(x formats.Named) {
		fmt.Fprintf(&b, "\n  %-*s  %v %v", width, x.Name, x.Tensor.Shape(), x.Tensor.DType())
	}
	for i, x := range list {
		switch hidden := len(list) - shownParams; {
		case hidden <= 0 || i < shownParams-lastParams || i >= len(list)-lastParams:
			line(x)
		case i == shownParams-lastParams:
			fmt.Fprintf(&b, "\n  … %d more", hidden)
		}
	}
	return b.String()
}
