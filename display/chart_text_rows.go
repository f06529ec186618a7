package display

import (
	"fmt"
	"math"
	"strings"
)

// rowLabel is the name of a bar or a box, shown for the first series only, and the label that tells apart the others.
func rowLabel(c *Chart, k, i int) string {
	name := ""
	if k == 0 {
		name = cellText(c.series[0].names[i], 20)
	}
	if len(c.series) > 1 && c.series[k].label != "" {
		name = strings.TrimLeft(name+" "+cellText(c.series[k].label, 12), " ")
	}
	return name
}

// eachRow calls f for the rows of a chart of bars or boxes alone, and gap where some are left out.
func (c *Chart) eachRow(f func(k, i int), gap func()) {
	most := 0
	for _, s := range c.series {
		most = max(most, len(s.x))
	}
	spanOf(most, maxRows, rowsHead, rowsTail).each(func(i int) {
		for k, s := range c.series {
			if i < len(s.x) && i < len(c.series[0].names) {
				f(k, i)
			}
		}
	}, gap)
}

// barText draws bars from left to right, each beside its name. Negative ones run to the left.
func (c *Chart) barText(columns int) string {
	_, y := c.ranges()
	wide := float64(columns) * 3 / 4
	names, numbers := 0, 0
	c.eachRow(func(k, i int) {
		names = max(names, textWidth(rowLabel(c, k, i)))
		numbers = max(numbers, textWidth(c.series[k].number(i)))
	}, func() {})
	low, high := min(0, y[0]), max(0, y[1])
	if c.logY {
		low = 0
	}
	eighths := func(v float64) int {
		if !finite(v, c.logY) {
			return 0
		}
		v = max(low, min(high, v))
		if c.logY { // from the lower end of the axis
			return int(math.Round(max(0, math.Log(v/(y[0]/2))/math.Log(y[1]/(y[0]/2))) * 8 * wide))
		}
		return int(math.Round(math.Abs(v) / max(high-low, math.SmallestNonzeroFloat64) * 8 * wide))
	}
	left := (eighths(low) + 7) / 8 // columns of the negative bars
	var b strings.Builder
	c.eachRow(func(k, i int) {
		n := eighths(c.series[k].y[i])
		bar := ""
		switch {
		case c.series[k].y[i] < 0:
			whole := strings.Repeat("█", n/8)
			if n%8 >= 4 {
				whole = "▐" + whole
			}
			bar = pad(whole, left, true)
		default:
			bar = strings.Repeat(" ", left) + strings.Repeat("█", n/8)
			if n%8 > 0 {
				bar += string([]rune("▏▎▍▌▋▊▉")[n%8-1])
			}
		}
		name, number := pad(rowLabel(c, k, i), names, false), pad(c.series[k].number(i), numbers, true)
		line := fmt.Sprintf("%s  %s  %s", name, number, bar)
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}, func() { b.WriteString("⋮\n") })
	return b.String()
}

// number is the height of a bar with its error.
func (s *series) number(i int) string {
	text := short(s.y[i])
	if s.errors == nil {
		return text
	}
	down, up := s.errors.at(s.errors.down, i), s.errors.at(s.errors.up, i)
	switch {
	case math.IsNaN(down) && math.IsNaN(up):
		return text
	case down == up:
		return text + " ± " + short(up)
	}
	return fmt.Sprintf("%s +%s -%s", text, short(up), short(down))
}

// boxText draws box plots from left to right, each beside its name, above their axis.
func (c *Chart) boxText(columns int) string {
	_, y := c.ranges()
	names := 0
	c.eachRow(func(k, i int) { names = max(names, textWidth(rowLabel(c, k, i))) }, func() {})
	at := scaleOf(y, c.logY, columns-1)
	var b strings.Builder
	c.eachRow(func(k, i int) {
		q := c.series[k].boxes[i]
		row := []rune(strings.Repeat(" ", columns))
		put := func(v float64, r rune) {
			if n := at(v); finite(v, c.logY) && n >= 0 && n < columns {
				row[n] = r
			}
		}
		fill := func(from, to float64, r rune) {
			for n := max(0, at(max(from, y[0]))); n <= min(columns-1, at(to)); n++ {
				row[n] = r
			}
		}
		if q.n > 0 {
			fill(q.low, q.high, '─')
			put(q.low, '├')
			put(q.high, '┤')
			fill(q.q1, q.q3, '▒')
			put(q.mid, '█')
			for _, v := range q.outliers {
				put(v, 'o')
			}
		}
		line := pad(rowLabel(c, k, i), names, false) + "  " + string(row)
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}, func() { b.WriteString("⋮\n") })
	axis, below := acrossAt(columns, y, c.logY, textTicks(y, c.logY))
	indent := strings.Repeat(" ", names)
	fmt.Fprintf(&b, "%s  %s\n%s  %s\n", indent, axis, indent, below)
	if c.ylabel != "" {
		text := cellText(c.ylabel, columns)
		fmt.Fprintf(&b, "%s  %s%s\n", indent, strings.Repeat(" ", (columns-textWidth(text))/2), text)
	}
	return b.String()
}
