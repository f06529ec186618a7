package show

import (
	"fmt"
	"html"
	"math"
	"strconv"
	"strings"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// Facts are what the HTML form of a tensor tells beside its elements.
type Facts struct {
	DType    kernels.DType
	Layout   backend.Layout
	Location string // of the device
	Variable bool   // whether it is a variable of gradients
	// Statistics are those of the elements, or of the absolute values of complex numbers; nil if Err is not.
	Statistics *Statistics
	Err        error // why there are no statistics
}

// HTML returns tables of the elements, with shape, dtype and device in a line above them that opens the other facts.
// raw are the elements of c.View, in row-major order.
func (f Facts) HTML(c Corner, raw []byte) string {
	tables := ""
	if f.Layout.ElemCount() > 0 {
		tables = c.tables(f.DType, raw)
	}
	return f.under(f.table(), tables)
}

// Unread stands for the elements of a tensor that could not be read. It leaves out the operation, which is how they
// were to be shown, and the transfer below it.
func Unread(err error) string {
	_, why, _ := strings.Cut(err.Error(), ": ")
	return "[its elements cannot be read: " + strings.TrimPrefix(why, "rocm: download: ") + "]"
}

// Failed returns the HTML form of a tensor whose elements could not be read.
func (f Facts) Failed(err error) string {
	return f.under("", "<pre>"+html.EscapeString(Unread(err))+"</pre>")
}

// under returns the line with shape, dtype and device, what it opens, and what is below it.
func (f Facts) under(details, below string) string {
	line := fmt.Sprintf("%s · %v · %s", shapeText(f.Layout.Shape), f.DType, f.Location)
	return fmt.Sprintf(`<div style="overflow-x:auto"><details><summary style="%s;cursor:pointer">%s</summary>`,
		labelStyle, html.EscapeString(line)) + details + "</details>" + below + "</div>"
}

func shapeText(shape []int) string {
	if len(shape) == 0 {
		return "scalar"
	}
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(shape), " ", " × "), "[]")
}

// table returns the facts that the line opens.
func (f Facts) table() string {
	var b strings.Builder
	fmt.Fprintf(&b, `<table style="%s">`, tableStyle)
	row := func(name, value string) { // value is HTML
		fmt.Fprintf(&b, `<tr><th style="%s;opacity:.6">%s</th><td style="%s">%s</td></tr>`, factStyle, name, factStyle,
			value)
	}
	n := f.Layout.ElemCount()
	row("elements", fmt.Sprintf("%s, %s", grouped(n), ByteText(n*f.DType.Size())))
	strides := fmt.Sprintf("%v elements", f.Layout.Strides)
	if f.Layout.IsContiguous() {
		strides += ", contiguous"
	}
	if f.Layout.Rank() > 0 {
		row("strides", strides)
	}
	if f.Variable {
		row("gradient", "variable")
	}
	of := f.DType
	if of.IsComplex() {
		row("statistics", "of absolute values")
		of = of.Real()
	}
	if f.Err != nil {
		row("statistics", html.EscapeString(f.Err.Error()))
	} else if f.Statistics.N > 0 {
		f.Statistics.rows(row, of, n)
	}
	b.WriteString("</table>")
	return b.String()
}

// rows adds the statistics of a tensor that has so many elements, of dt, by calling row.
func (s *Statistics) rows(row func(name, value string), dt kernels.DType, elements int) {
	text := func(v float64) string { return elementText(dt, v) }
	if s.N < elements {
		row("statistics", fmt.Sprintf("of %s elements, evenly spread", grouped(s.N)))
	}
	if s.Finite() > 0 {
		row("min, mean, max", fmt.Sprintf("%s, %s, %s", text(s.Min), float6(s.Mean), text(s.Max)))
	}
	if dt.IsFloat() {
		row("NaN, infinite", fmt.Sprintf("%s, %s", share(s.NaN, s.N), share(s.Inf, s.N)))
	}
	if s.Max > s.Min {
		row("histogram", s.bars(text))
	}
}

// elementText writes a number as an element of dt: integers in full.
func elementText(dt kernels.DType, v float64) string {
	switch {
	case dt == kernels.Bool:
		return strconv.FormatBool(v != 0)
	case dt.IsInt():
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return float6(v)
}

func float6(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }

func share(count, n int) string {
	if count == 0 {
		return "0"
	}
	return fmt.Sprintf("%s (%.3g %%)", grouped(count), 100*float64(count)/float64(n))
}

// grouped writes a count as 1,234,567.
func grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// ByteText writes a number of bytes with a unit: 24 bytes, 1.5 MiB.
func ByteText(n int) string {
	f, units := float64(n), []string{"bytes", "KiB", "MiB", "GiB", "TiB"}
	i := 0
	for f >= 1024 && i < len(units)-1 {
		f, i = f/1024, i+1
	}
	if i == 0 {
		return fmt.Sprintf("%d bytes", n)
	}
	return fmt.Sprintf("%.1f %s", f, units[i])
}

// bars draws the histogram in the colour of the text around it.
func (s *Statistics) bars(text func(float64) string) string {
	const high = 40
	wide, most := 10*bins/max(len(s.Counts), 1), 1
	for _, n := range s.Counts {
		most = max(most, n)
	}
	width := wide * len(s.Counts)
	var b strings.Builder
	fmt.Fprintf(&b, `<svg width="%d" height="%d" viewBox="0 0 %d %d" role="img" aria-label="histogram"><g fill="currentColor" fill-opacity=".55">`, width, high+14, width, high+14)
	for i, n := range s.Counts {
		if n == 0 {
			continue
		}
		h := math.Max(1, math.Round(float64(n)/float64(most)*high*10)/10)
		fmt.Fprintf(&b, `<rect x="%d" y="%s" width="%d" height="%s"><title>%s</title></rect>`, i*wide, trimmed(high-h),
			wide-1, trimmed(h), grouped(n))
	}
	fmt.Fprintf(&b, `</g><g fill="currentColor" font-size="10" font-family="monospace"><text x="0" y="%d">%s</text><text x="%d" y="%d" text-anchor="end">%s</text></g></svg>`,
		high+12, text(s.Min), width-1, high+12, text(s.Max))
	return b.String()
}

func trimmed(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
