package linalg

import (
	"slices"
	"strings"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// Einsum returns the sum of products that an equation describes, in the notation of NumPy and PyTorch: a letter for
// each dim of each operand, and after -> those of the result. Dims with the same letter run together; letters that the
// result lacks are summed over. A letter twice in one operand is its diagonal, "..." stands for dims that are
// broadcast. Without an arrow the result has the letters that occur once, in alphabetical order.
//
// Pairs of operands are multiplied as matrices, in the order that takes the fewest multiplications (of more than ten
// operands: in an order that begins with the smallest results). The result has the type that Promote gives; integers
// wrap.
//
//	linalg.Einsum("ij,jk->ik", a, b)               // a.MatMul(b)
//	linalg.Einsum("bhqd,bhkd->bhqk", q, k)         // scores of attention
//	linalg.Einsum("ii", a)                         // the trace
//	linalg.Einsum("i,j,ijk->k", x, y, t)           // contracts a tensor with two vectors
func Einsum(equation string, operands ...*tensor.Tensor) *tensor.Tensor {
	const op = "einsum"
	if len(operands) == 0 {
		extend.Shape(op, nil, "%q: there are no operands", equation)
	}
	extend.SameDevice(op, operands...)
	e := parse(op, equation, operands)
	return e.contract()
}

// label names a dim of a product: a letter, or below 0 one of the dims of "...", counted from the end.
type label = int

// product is a sum of products of tensors whose dims are labelled.
type product struct {
	op    string
	given []*tensor.Tensor
	terms []term
	out   []label
	size  map[label]int
	dt    tensor.DType
}

// term is an operand, or a product of some.
type term struct {
	x      *tensor.Tensor
	labels []label
}

// parse reads an equation. The terms are the operands in one type.
func parse(op, equation string, operands []*tensor.Tensor) *product {
	p := &product{op: op, given: operands, size: map[label]int{}}
	left, right, arrow := strings.Cut(strings.ReplaceAll(equation, " ", ""), "->")
	inputs := strings.Split(left, ",")
	if len(inputs) != len(operands) {
		extend.Shape(op, operands, "%q has %d operands, and there are %d", equation, len(inputs), len(operands))
	}
	p.dt = operands[0].DType()
	for _, x := range operands[1:] {
		dt, err := tensor.Promote(p.dt, x.DType())
		if err != nil {
			extend.DType(op, operands, "%v and %v have no common type", p.dt, x.DType())
		}
		p.dt = dt
	}
	counts, dots := map[label]int{}, 0
	for i, x := range operands {
		labels, n := p.labels(equation, inputs[i], x.Rank())
		dots = max(dots, n)
		if len(labels) != x.Rank() {
			extend.Shape(op, operands, "%q has %d dims for operand %d of shape %v", equation, len(labels), i+1,
				x.Dims())
		}
		for d, l := range labels {
			counts[l]++
			n := x.Dim(d)
			if old, ok := p.size[l]; ok && old != n && old != 1 && n != 1 {
				extend.Shape(op, operands, "%q: %s has the sizes %d and %d", equation, labelName(l), old, n)
			} else if !ok || old == 1 {
				p.size[l] = n
			}
		}
		p.terms = append(p.terms, term{x.ToDType(p.dt), labels})
	}
	if arrow {
		p.out, _ = p.labels(equation, right, dots+len(strings.Replace(right, "...", "", 1)))
	} else {
		p.out = implied(counts, dots)
	}
	for i, l := range p.out {
		if counts[l] == 0 {
			extend.Shape(op, operands, "%q: no operand has %s", equation, labelName(l))
		}
		if slices.Contains(p.out[:i], l) {
			extend.Shape(op, operands, "%q: the result has %s twice", equation, labelName(l))
		}
	}
	return p
}

// labels reads the letters of a tensor of that rank. n is the number of dims that "..." stands for.
func (p *product) labels(equation, text string, rank int) (list []label, n int) {
	before, after, dots := strings.Cut(text, "...")
	for i, part := range []string{before, after} {
		if i == 1 && dots {
			n = rank - len(before) - len(after)
			for d := range max(n, 0) {
				list = append(list, d-n)
			}
		}
		for _, c := range part {
			if c < 'A' || c > 'z' || c > 'Z' && c < 'a' {
				extend.Shape(p.op, p.given, "%q: %q is not a letter", equation, c)
			}
			list = append(list, label(c))
		}
	}
	return list, max(n, 0)
}

// implied are the labels of a result without an arrow.
func implied(counts map[label]int, dots int) []label {
	var out []label
	for d := range dots {
		out = append(out, d-dots)
	}
	var once []label
	for l, n := range counts {
		if l > 0 && n == 1 {
			once = append(once, l)
		}
	}
	slices.Sort(once)
	return append(out, once...)
}

func labelName(l label) string {
	if l < 0 {
		return "a dim of ..."
	}
	return string(rune(l))
}

// contract computes the product.
func (p *product) contract() *tensor.Tensor {
	for i, t := range p.terms {
		p.terms[i] = p.diagonals(t)
	}
	for i, t := range p.terms {
		p.terms[i] = p.summed(t, func(l label) bool { return p.elsewhere(l, i) })
	}
	for _, step := range p.order() {
		a, b := p.terms[step[0]], p.terms[step[1]]
		p.terms = slices.Delete(p.terms, step[1], step[1]+1)
		p.terms[step[0]] = p.multiply(a, b, func(l label) bool { return p.elsewhere(l, step[0]) })
	}
	t := p.terms[0]
	var shape []int
	for _, l := range p.out { // dims that were dropped for others of size 1 are in no term only if all sizes are 1
		shape = append(shape, p.size[l])
	}
	var dims []int
	for _, l := range p.out {
		if i := slices.Index(t.labels, l); i >= 0 {
			dims = append(dims, i)
		}
	}
	x := t.x
	if len(dims) > 0 {
		x = x.Permute(dims...)
	}
	return extend.Own(x.Reshape(shape...).ToDType(p.dt), p.given...)
}

// elsewhere reports whether the result or another term than number i has a label.
func (p *product) elsewhere(l label, i int) bool {
	if slices.Contains(p.out, l) {
		return true
	}
	for j, t := range p.terms {
		if j != i && slices.Contains(t.labels, l) {
			return true
		}
	}
	return false
}

// diagonals replaces dims with the same label by their diagonal, and drops dims of size 1 that are broadcast.
func (p *product) diagonals(t term) term {
	for i := 0; i < len(t.labels); i++ {
		l := t.labels[i]
		j := i + 1 + slices.Index(t.labels[i+1:], l)
		switch {
		case t.x.Dim(i) == 1 && (p.size[l] != 1 || j > i):
			t = term{t.x.Squeeze(i), slices.Delete(slices.Clone(t.labels), i, i+1)}
			i--
		case j > i && t.x.Dim(j) == 1:
			t = term{t.x.Squeeze(j), slices.Delete(slices.Clone(t.labels), j, j+1)}
			i--
		case j > i:
			var dims []int
			var labels []label
			for d, other := range t.labels {
				if d != i && d != j {
					dims, labels = append(dims, d), append(labels, other)
				}
			}
			t = term{Diagonal(t.x.Permute(append(dims, i, j)...), 0), append(labels, l)}
			i = -1
		}
	}
	return t
}

// summed adds along the dims whose labels are not kept.
func (p *product) summed(t term, keep func(l label) bool) term {
	var dims []int
	var labels []label
	for d, l := range t.labels {
		if keep(l) {
			labels = append(labels, l)
		} else {
			dims = append(dims, d)
		}
	}
	if len(dims) == 0 {
		return t
	}
	return term{t.x.Sum(dims...).ToDType(p.dt), labels}
}

// multiply returns the product of two terms, summed over the labels that are not kept: as a product of matrices
// [batch rows sum] and [batch sum cols].
func (p *product) multiply(a, b term, keep func(l label) bool) term {
	var batch, rows, sum, cols []label
	for _, l := range a.labels {
		switch {
		case !slices.Contains(b.labels, l):
			rows = append(rows, l)
		case keep(l):
			batch = append(batch, l)
		default:
			sum = append(sum, l)
		}
	}
	for _, l := range b.labels {
		if !slices.Contains(a.labels, l) {
			cols = append(cols, l)
		}
	}
	labels := slices.Concat(batch, rows, cols)
	n := func(list []label) int { return p.count(list) }
	if len(sum) == 0 {
		x := a.inOrder(slices.Concat(batch, rows)).Reshape(n(batch), n(rows), 1)
		y := b.inOrder(slices.Concat(batch, cols)).Reshape(n(batch), 1, n(cols))
		return term{x.Mul(y).Reshape(p.shape(labels)...), labels}
	}
	x := a.inOrder(slices.Concat(batch, rows, sum)).Reshape(n(batch), n(rows), n(sum))
	y := b.inOrder(slices.Concat(batch, sum, cols)).Reshape(n(batch), n(sum), n(cols))
	return term{x.MatMul(y).Reshape(p.shape(labels)...), labels}
}

// inOrder returns the tensor with its dims in the order of all its labels.
func (t term) inOrder(labels []label) *tensor.Tensor {
	if len(labels) == 0 {
		return t.x
	}
	dims := make([]int, len(labels))
	for i, l := range labels {
		dims[i] = slices.Index(t.labels, l)
	}
	return t.x.Permute(dims...)
}

// count is the number of elements along labels, and shape their sizes.
func (p *product) count(labels []label) int {
	n := 1
	for _, l := range labels {
		n *= p.size[l]
	}
	return n
}

func (p *product) shape(labels []label) []int {
	shape := make([]int, len(labels))
	for i, l := range labels {
		shape[i] = p.size[l]
	}
	return shape
}
