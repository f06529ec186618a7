package tensor

import (
	"fmt"

	"github.com/gorocm/gorocm/tensor/internal/show"
)

// String returns the elements in nested brackets, aligned, with four decimals, and a last line with shape, dtype and
// device. Beyond 1000 elements only the first and last three of every dim are shown, and only those are brought to the
// host. display.Set changes these numbers. A scalar is its number alone, with all digits.
func (t *Tensor) String() string {
	c := show.CornerOf(t.layout)
	raw, err := t.view(c.View).read("string")
	switch {
	case err != nil:
		return show.Unread(err) + "\n" + t.label() // printing must not end a program
	case t.Rank() == 0:
		return show.Number(t.dtype, raw)
	}
	return c.Text(t.dtype, raw) + "\n" + t.label()
}

// Format writes a tensor in a format of package fmt. %v is String and %#v GoString. Other verbs are those of the
// elements, in nested brackets: %.3f has three decimals, %8.2e a width of 8, %x the digits of integers.
//
//	fmt.Printf("%.2f\n", tensor.Of(1, 2.5)) // [1.00, 2.50]
func (t *Tensor) Format(f fmt.State, verb rune) {
	switch {
	case verb == 'v' && f.Flag('#'):
		fmt.Fprint(f, t.GoString())
	case verb == 'v' || verb == 's' || t == nil:
		fmt.Fprint(f, t.String())
	default:
		c := show.CornerOf(t.layout)
		raw, err := t.view(c.View).read("format")
		if err != nil {
			fmt.Fprint(f, show.Unread(err))
			return
		}
		fmt.Fprint(f, c.Formatted(t.dtype, raw, fmt.FormatString(f, verb)))
	}
}

// GoString returns shape, dtype and device without the elements.
func (t *Tensor) GoString() string { return "tensor." + t.label() }

// HTML returns a table of the elements with shape, dtype and device above it; a tensor of rank above 2 as one table
// for each matrix. As with String, only the first and last three elements of every dim are shown beyond 1000
// elements. A click on the line above opens further facts: size, strides, minimum, mean and maximum, how many
// elements are NaN or infinite, and a small histogram. For a large tensor they are computed on its device; on the
// emulated GPU they are those of a sample of evenly spaced elements, and the text says of how many.
func (t *Tensor) HTML() string {
	f := show.Facts{DType: t.dtype, Layout: t.layout, Location: t.dev.Location(), Variable: t.IsVariable()}
	c := show.CornerOf(t.layout)
	raw, err := t.view(c.View).read("html")
	if err != nil {
		return f.Failed(err)
	}
	x := t
	if t.dtype.IsComplex() {
		x = t.plain().Abs()
	}
	f.Statistics, f.Err = x.statistics()
	return f.HTML(c, raw)
}

// MIMEBundle returns the forms in which a session shows the device, text/plain and text/html: a description, and a
// bar of its memory use.
func (d *Device) MIMEBundle() map[string]string {
	what, m := d.Info(), d.Memory()
	use := show.Usage{InUse: m.InUse, Reserved: m.Reserved, Peak: m.Peak, Free: m.Free, Total: m.Total,
		Pinned: m.Pinned}
	return map[string]string{"text/plain": use.Text(what), "text/html": use.HTML(what)}
}

// String returns how many gradients there are and their bytes in all, with the shape and the dtype of the first.
func (g *GradStore) String() string {
	facts := func(x *Tensor) (s, d any, n int) { return x.Shape(), x.DType(), x.ElemCount() * x.DType().Size() }
	return g.found.Text(facts, show.ByteText)
}
