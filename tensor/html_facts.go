package tensor

import (
	"fmt"
	"html"
	"math"
	"strconv"
	"strings"
)

// facts writes what the expandable part of the HTML form tells.
func (t *Tensor) facts(b *strings.Builder) {
	fmt.Fprintf(b, `<table style="%s">`, tableStyle)
	row := func(name, value string) {
		fmt.Fprintf(b, `<tr><th style="%s;opacity:.6">%s</th><td style="%s">%s</td></tr>`, factStyle, name, factStyle,
			html.EscapeString(value))
	}
	n := t.ElemCount()
	row("elements", fmt.Sprintf("%s, %s", grouped(n), byteText(t.Bytes())))
	strides := fmt.Sprintf("%v elements", t.layout.Strides)
	if t.IsContiguous() {
		strides += ", contiguous"
	}
	if t.Rank() > 0 {
		row("strides", strides)
	}
	if t.IsVariable() {
		row("gradient", "variable")
	}
	if t.dtype.IsComplex() {
		row("statistics", "of absolute values")
		t = t.plain().Abs()
	}
	s, err := t.statistics()
	switch {
	case err != nil:
		row("statistics", err.Error())
	case s.n > 0:
		if s.n < n {
			row("statistics", fmt.Sprintf("of %s elements, evenly spread", grouped(s.n)))
		}
		if s.finite() > 0 {
			row("min, mean, max", fmt.Sprintf("%s, %s, %s", t.element(s.min), float6(s.mean), t.element(s.max)))
		}
		if t.dtype.IsFloat() {
			row("NaN, infinite", fmt.Sprintf("%s, %s", share(s.nan, s.n), share(s.inf, s.n)))
		}
		if s.max > s.min {
			fmt.Fprintf(b, `<tr><th style="%s;opacity:.6">histogram</th><td style="%s">%s</td></tr>`, factStyle,
				factStyle, s.bars(t.element))
		}
	}
	b.WriteString("</table>")
}

// element writes a number as an element of t: integers in full.
func (t *Tensor) element(v float64) string {
	switch {
	case t.dtype == Bool:
		return strconv.FormatBool(v != 0)
	case t.dtype.IsInt():
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

func byteText(n int) string {
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
func (s *statistics) bars(text func(float64) string) string {
	const wide, high = 10, 40
	most := 1
	for _, n := range s.counts {
		most = max(most, n)
	}
	width := wide * len(s.counts)
	var b strings.Builder
	fmt.Fprintf(&b, `<svg width="%d" height="%d" viewBox="0 0 %d %d" role="img" aria-label="histogram"><g fill="currentColor" fill-opacity=".55">`, width, high+14, width, high+14)
	for i, n := range s.counts {
		if n == 0 {
			continue
		}
		h := math.Max(1, math.Round(float64(n)/float64(most)*high*10)/10)
		fmt.Fprintf(&b, `<rect x="%d" y="%s" width="%d" height="%s"><title>%s</title></rect>`, i*wide, trimmed(high-h),
			wide-1, trimmed(h), grouped(n))
	}
	fmt.Fprintf(&b, `</g><g fill="currentColor" font-size="10" font-family="monospace"><text x="0" y="%d">%s</text><text x="%d" y="%d" text-anchor="end">%s</text></g></svg>`,
		high+12, text(s.min), width-1, high+12, text(s.max))
	return b.String()
}

func trimmed(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
