// Package adapter reads LoRA adapters from the files that others write, and adds them to the weights of a model: those
// of PEFT for language models (peft.go), llama.cpp's in GGUF (gguf.go), and those of diffusers and kohya for pipelines
// of pictures (pictures.go).
//
// A Set has, by the name of a parameter, what is done to it. Apply makes parameters of it that are read as if the model
// had been trained so.
package adapter

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
)

// Adapter is an adapter in files.
type Adapter struct {
	Path  string  // a folder, or a file
	Scale float64 // what its part is multiplied by; 0 is 1
}

// part is what an adapter does to a parameter: it adds the product of two matrices, or takes the place of it.
type part struct {
	from       string         // the adapter, for errors
	number     int            // of it
	a, b       *tensor.Tensor // [rank inputs…], [outputs rank…]
	scale      float64
	magnitude  *tensor.Tensor // [outputs], in DoRA: the length of the rows of the sum; or nil
	transposed bool           // the parameter is [inputs outputs]
	whole      *tensor.Tensor // takes the place of the parameter
}

// Set is what adapters do to parameters, by the names that those have in the adapters.
type Set struct {
	parts map[string][]*part
	names []string // in the order of the files

	from   string // the adapter that is being read
	number int
}

// Empty reports whether there are none.
func (s *Set) Empty() bool { return s == nil || len(s.names) == 0 }

func (s *Set) add(name string, p *part) {
	if s.parts == nil {
		s.parts = map[string][]*part{}
	}
	if s.parts[name] == nil {
		s.names = append(s.names, name)
	}
	s.parts[name] = append(s.parts[name], p)
}

// at returns what an adapter multiplies in a parameter, which it begins if it is not there.
func (s *Set) at(name string, scale float64) *part {
	for _, p := range s.parts[name] {
		if p.number == s.number && p.whole == nil {
			return p
		}
	}
	p := &part{from: s.from, number: s.number, scale: scale}
	s.add(name, p)
	return p
}

// check returns an error for matrices that are not in pairs.
func (s *Set) check() error {
	for _, name := range s.names {
		for _, p := range s.parts[name] {
			if p.whole != nil {
				continue
			}
			if p.a == nil || p.b == nil {
				return fmt.Errorf("%s: for %s there is one matrix of a pair alone", p.from, name)
			}
			if p.a.Rank() < 2 || p.b.Rank() < 2 || p.a.Dim(0) != p.b.Dim(1) || p.a.ElemCount() == 0 ||
				p.b.ElemCount() == 0 || p.b.ElemCount() != p.b.Dim(0)*p.b.Dim(1) {
				return fmt.Errorf("%s: for %s there are matrices of shapes %v and %v: want [rank inputs] and [outputs rank]",
					p.from, name, p.a.Dims(), p.b.Dims())
			}
		}
	}
	return nil
}

// Model is what Apply has to know of a model.
type Model struct {
	// Find lists the names that a parameter of an adapter may have in the files of the model.
	Find func(name string) []string
	// Transposed reports whether a parameter is [inputs outputs].
	Transposed func(name string) bool
	// Embedding is the table of a model whose Output has the same weights, else "".
	Embedding, Output string
}

// Apply returns the parameters of p with what adapters do to them. With untied, the output has weights of its own,
// since adapters have changed it or the table alone. The error names parameters of adapters that the model lacks.
func (s *Set) Apply(p *nn.Params, m Model) (q *nn.Params, untied bool, err error) {
	found, lost := map[string][]*part{}, []string(nil)
	for _, name := range s.names {
		candidates := append([]string{name}, m.Find(name)...)
		i := slices.IndexFunc(candidates, func(c string) bool { return p.Has(c) || m.Embedding != "" && c == m.Output })
		if i < 0 {
			lost = append(lost, fmt.Sprintf("%s (%s)", name, s.parts[name][0]))
			continue
		}
		found[candidates[i]] = append(found[candidates[i]], s.parts[name]...)
	}
	if len(lost) > 0 {
		return nil, false, fmt.Errorf("%d parameters of %s are not in this model: %s; the model has %s", len(lost),
			s.parts[s.names[0]][0].from, listed(lost), listed(p.Names()))
	}
	changes := map[string]nn.Change{}
	for name, parts := range found {
		if err := together(name, parts); err != nil {
			return nil, false, err
		}
		for _, part := range parts {
			part.transposed = m.Transposed != nil && m.Transposed(name)
		}
		c := changeOf(parts, p)
		if m.Embedding != "" && (name == m.Embedding || name == m.Output) {
			c.Of, untied = m.Embedding, true
		}
		changes[name] = c
	}
	if _, ok := changes[m.Output]; untied && !ok {
		changes[m.Output] = nn.Change{Of: m.Embedding, Apply: func(w *tensor.Tensor) *tensor.Tensor { return w }}
	}
	return p.Changed(changes), untied, nil
}

// together returns an error for parts of adapters that cannot change a parameter together.
func together(name string, parts []*part) error {
	seen := map[[2]any]bool{}
	for _, part := range parts {
		key := [2]any{part.number, part.whole != nil}
		if seen[key] {
			return fmt.Errorf("%s has %s twice, under two names", part.from, name)
		}
		if seen[key] = true; part.magnitude != nil && len(parts) > 1 {
			return fmt.Errorf("several adapters change %s, one of them with use_dora: what they give together depends on their order, "+
				"and is not supported", name)
		}
	}
	return nil
}

// listed is the first few of some names.
func listed(names []string) string {
	const few = 6
	if len(names) <= few {
		return strings.Join(names, ", ")
	}
	return strings.Join(names[:few], ", ") + fmt.Sprintf(", … (%d)", len(names))
}

// String says what shapes there are.
func (p *part) String() string {
	if p.whole != nil {
		return fmt.Sprint(p.whole.Dims())
	}
	return fmt.Sprintf("%v × %v", p.b.Dims(), p.a.Dims())
}

// changeOf is what the parts of adapters do to a parameter, together: each adds to the parameter as it was, or as one
// that takes its place.
func changeOf(parts []*part, p *nn.Params) (c nn.Change) {
	c.Apply = func(w *tensor.Tensor) *tensor.Tensor {
		w = w.Detach()
		for _, part := range parts {
			if part.whole != nil {
				part.fits(part.whole.Dims(), w.Dims())
				w = part.whole.ToDType(w.DType()).ToDevice(w.Device())
			}
		}
		sum := w
		for _, part := range parts {
			if part.whole == nil {
				sum = sum.Add(part.addedTo(w))
			}
		}
		return sum
	}
	var all, scaled []*tensor.Tensor
	for _, part := range parts {
		if part.whole != nil || part.magnitude != nil || part.transposed || part.a.Rank() != 2 || part.b.Rank() != 2 ||
			part.a.Dim(1) != parts[0].a.Dim(1) || part.b.Dim(0) != parts[0].b.Dim(0) {
			return c
		}
		all = append(all, part.a.ToDType(tensor.F32))
		scaled = append(scaled, part.b.ToDType(tensor.F32).Mul(part.scale))
	}
	c.A = tensor.Cat(all, 0).ToDType(p.DType()).ToDevice(p.Device())
	c.B = tensor.Cat(scaled, 1).ToDType(p.DType()).ToDevice(p.Device())
	return c
}

// fits panics with ErrShape where a parameter has another shape than what is added to it.
func (p *part) fits(dims, of []int) {
	if !slices.Equal(dims, of) {
		panic(&tensor.Error{Op: "adapter", Kind: tensor.ErrShape, Shapes: [][]int{dims, of},
			Message: fmt.Sprintf("%s has %v for a parameter of shape %v", p.from, p, of)})
	}
}

// addedTo is what is added to a parameter.
func (p *part) addedTo(w *tensor.Tensor) *tensor.Tensor {
	return tensor.Scoped(func() *tensor.Tensor {
		a, b := p.a.ToDevice(w.Device()).ToDType(w.DType()), p.b.ToDevice(w.Device()).ToDType(w.DType())
		rank, outputs := a.Dim(0), b.Dim(0)
		dims := append([]int{outputs}, a.Dims()[1:]...)
		var matrix *tensor.Tensor
		if p.transposed {
			p.fits([]int{dims[len(dims)-1], outputs}, w.Dims())
			matrix = w.T()
		} else {
			of := w.Dims()
			// a convolution of one tap may be a matrix here or there
			for len(dims) > 2 && dims[len(dims)-1] == 1 {
				dims = dims[:len(dims)-1]
			}
			for len(of) > len(dims) && of[len(of)-1] == 1 {
				of = of[:len(of)-1]
			}
			p.fits(dims, of)
			matrix = w.Reshape(outputs, -1)
		}
		added := b.Reshape(outputs, rank).MatMul(a.Reshape(rank, -1)).Mul(p.scale)
		if p.magnitude != nil {
			sum := matrix.Add(added)
			length := p.magnitude.ToDevice(w.Device()).ToDType(w.DType())
			p.fits([]int{length.ElemCount()}, []int{outputs})
			added = sum.Mul(length.Reshape(outputs, 1).Div(sum.Sqr().SumKeepDim(1).Sqrt())).Sub(matrix)
		}
		if p.transposed {
			added = added.T()
		}
		return added.Contiguous().Reshape(w.Dims()...)
	})
}

// begin begins to read an adapter, and returns its scale, whose zero value is 1.
func (s *Set) begin(a *Adapter) (float64, error) {
	s.from = filepath.Base(a.Path)
	s.number++
	switch by := a.Scale; {
	case math.IsNaN(by) || math.IsInf(by, 0):
		return 0, fmt.Errorf("a scale of %v makes no sense", by)
	case by == 0:
		return 1, nil
	default:
		return by, nil
	}
}
