package tensor

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/gorocm/gorocm/internal/printing"
	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/host"
)

// maxShown bounds how many elements are shown, approximately, whatever the options say.
const maxShown = 1 << 15

// String returns the elements in nested brackets, aligned, with four decimals, and a last line with shape, dtype and
// device. Beyond 1000 elements only the first and last three of every dim are shown, and only those are brought to the
// host. display.Set changes these numbers.
func (t *Tensor) String() string {
	s, err := t.sample("string")
	if err != nil {
		return fmt.Sprintf("[%v]\n%s", err, t.label()) // printing must not end a program
	}
	var b strings.Builder
	if len(s.dims) == 0 {
		b.WriteString("[" + s.text[0] + "]")
	} else {
		s.write(&b, 0, 0, 1)
	}
	return b.String() + "\n" + t.label()
}

// GoString returns shape, dtype and device without the elements.
func (t *Tensor) GoString() string { return "tensor." + t.label() }

// sample holds the text of the elements that are shown, in one width.
type sample struct {
	dims  []int  // how many are shown of each dim
	cut   []bool // whether a dim has more than its shown elements
	edge  int    // how many elements of an elided dim are shown at each end
	text  []string
	width int
}

// sample copies the elements that are shown to the host, in one transfer. The first and last elements of a dim are
// two equal runs at one distance, so the whole corner is one strided view.
func (t *Tensor) sample(op string) (sample, error) {
	o := printing.Get()
	s := sample{dims: t.Dims(), cut: make([]bool, t.Rank()), edge: o.EdgeItems}
	corner := t
	if t.ElemCount() > o.Threshold {
		for s.edge > 1 && shownOf(t.layout.Shape, s.edge) > maxShown {
			s.edge--
		}
		edge := s.edge
		l := backend.Layout{Offset: t.layout.Offset}
		for d, n := range t.layout.Shape {
			step := t.layout.Strides[d]
			if n > 2*edge {
				l.Shape = append(l.Shape, 2, edge)
				l.Strides = append(l.Strides, (n-edge)*step, step)
				s.dims[d], s.cut[d] = 2*edge, true
			} else {
				l.Shape = append(l.Shape, n)
				l.Strides = append(l.Strides, step)
			}
		}
		corner = t.view(l)
	}
	raw, err := corner.read(op)
	if err != nil {
		return s, err
	}
	s.text = texts(t.dtype, raw, o.Precision)
	for _, v := range s.text {
		s.width = max(s.width, len(v))
	}
	for i, v := range s.text {
		s.text[i] = strings.Repeat(" ", s.width-len(v)) + v
	}
	return s, nil
}

// shownOf is how many elements of a shape are shown when up to 2·edge of each dim are.
func shownOf(shape []int, edge int) int {
	n := 1
	for _, d := range shape {
		n *= min(d, 2*edge)
	}
	return n
}

// write writes the part of the sample that begins at element first of dim d, indented by the brackets before it.
func (s sample) write(b *strings.Builder, d, first, indent int) {
	b.WriteByte('[')
	last := d == len(s.dims)-1
	step := 1
	for _, n := range s.dims[d+1:] {
		step *= n
	}
	perLine := max(1, printing.Get().LineWidth/(s.width+2))
	for i := range s.dims[d] {
		gap := s.cut[d] && i == s.edge
		switch {
		case i == 0:
		case last && gap:
			b.WriteString(", ..., ")
		case last && (s.cut[d] || i%perLine != 0):
			b.WriteString(", ")
		default:
			b.WriteString(",\n" + strings.Repeat(" ", indent))
			if gap {
				b.WriteString("...\n" + strings.Repeat(" ", indent))
			}
		}
		if last {
			b.WriteString(s.text[first+i])
		} else {
			s.write(b, d+1, first+i*step, indent+1)
		}
	}
	b.WriteByte(']')
}

// texts formats elements: integers as they are, floats all in the same way, and so the parts of complex numbers.
func texts(dt DType, raw []byte, precision int) []string {
	if dt.IsComplex() {
		return complexTexts(dt.Real(), raw, precision)
	}
	out := make([]string, len(raw)/dt.Size())
	switch dt {
	case Bool:
		for i, v := range raw {
			out[i] = strconv.FormatBool(v != 0)
		}
		return out
	case I64:
		for i, v := range host.View[int64](raw) {
			out[i] = strconv.FormatInt(v, 10)
		}
		return out
	case U64:
		for i, v := range host.View[uint64](raw) {
			out[i] = strconv.FormatUint(v, 10)
		}
		return out
	}
	values := host.ToFloat64(dt, raw)
	if dt.IsInt() {
		for i, v := range values {
			out[i] = strconv.FormatInt(int64(v), 10)
		}
		return out
	}
	format := floatFormat(values, precision)
	for i, v := range values {
		out[i] = format(v)
	}
	return out
}

// complexTexts formats pairs of floats as 1.5000-2.0000i.
func complexTexts(dt DType, raw []byte, precision int) []string {
	values := host.ToFloat64(dt, raw)
	re, im := make([]float64, len(values)/2), make([]float64, len(values)/2)
	for i := range re {
		re[i], im[i] = values[2*i], values[2*i+1]
	}
	formatRe, formatIm := floatFormat(re, precision), floatFormat(im, precision)
	out := make([]string, len(re))
	for i, v := range im {
		text := formatIm(v)
		if text[0] != '-' {
			text = "+" + text
		}
		out[i] = formatRe(re[i]) + text + "i"
	}
	return out
}

// floatFormat chooses how floats are written, by the rule of Candle and PyTorch: whole numbers as 42., numbers of
// very different or extreme size with an exponent, others with that many decimals.
func floatFormat(values []float64, precision int) func(float64) string {
	whole, low, high := true, math.Inf(1), 0.0
	for _, v := range values {
		a := math.Abs(v)
		if a == 0 || math.IsInf(a, 0) || a != a {
			continue
		}
		whole = whole && a == math.Ceil(a)
		low, high = min(low, a), max(high, a)
	}
	exponent := high > 0 && (high/low > 1000 || high > 1e8 || low < 1e-4)
	return func(v float64) string {
		switch {
		case v != v:
			return "NaN"
		case math.IsInf(v, 1):
			return "inf"
		case math.IsInf(v, -1):
			return "-inf"
		case exponent:
			return shortExponent(strconv.FormatFloat(v, 'e', precision, 64))
		case whole:
			return strconv.FormatFloat(v, 'f', 0, 64) + "."
		}
		return strconv.FormatFloat(v, 'f', precision, 64)
	}
}

// shortExponent turns 1.5e+05 into 1.5e5.
func shortExponent(s string) string {
	mantissa, exp, _ := strings.Cut(s, "e")
	n, _ := strconv.Atoi(exp)
	return mantissa + "e" + strconv.Itoa(n)
}
