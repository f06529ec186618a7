package display

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"

	"github.com/gorocm/gorocm/internal/printing"
)

// The size of a chart in characters, inside its axes: where the front end's terminal is narrower or wider than 80
// columns, its columns without those of labels.
const (
	dotColumns    = 64
	dotLines      = 16
	labelColumns  = 16
	fewestColumns = 20
	mostColumns   = 144
)

func chartColumns() int {
	if n := printing.Columns(); n > 0 {
		return max(fewestColumns, min(mostColumns, n-labelColumns))
	}
	return dotColumns
}

// dots is a drawing in braille characters, which have two dots across and four down each.
type dots struct {
	wide, high int // in dots
	set        []bool
}

func newDots(columns, lines int) *dots {
	return &dots{2 * columns, 4 * lines, make([]bool, 8*columns*lines)}
}

func (d *dots) put(x, y int) {
	if x >= 0 && x < d.wide && y >= 0 && y < d.high {
		d.set[y*d.wide+x] = true
	}
}

// line draws those dots between two points for which keep(n) is true, counting n from the given number, and returns the
// next number.
func (d *dots) line(x0, y0, x1, y1, from int, keep func(n int) bool) (next int) {
	steps := max(abs(x1-x0), abs(y1-y0))
	for n := range steps + 1 {
		if keep(from + n) {
			d.put(x0+(x1-x0)*n/max(1, steps), y0+(y1-y0)*n/max(1, steps))
		}
	}
	return from + steps
}

func abs(n int) int { return max(n, -n) }

// braille holds the bit of each dot of a character, row by row.
var braille = [4][2]rune{{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}}

func (d *dots) lines() (out []string) {
	for top := 0; top < d.high; top += 4 {
		var b strings.Builder
		for left := 0; left < d.wide; left += 2 {
			r := rune(0x2800)
			for y := range 4 {
				for x := range 2 {
					if d.set[(top+y)*d.wide+left+x] {
						r |= braille[y][x]
					}
				}
			}
			if r == 0x2800 {
				r = ' '
			}
			b.WriteRune(r)
		}
		out = append(out, strings.TrimRight(b.String(), " "))
	}
	return out
}

// patterns distinguish the lines of a chart: solid, dotted, dashed, and so on.
var patterns = []func(n int) bool{
	func(int) bool { return true },
	func(n int) bool { return n%4 == 0 },
	func(n int) bool { return n%8 < 4 },
	func(n int) bool { return n%10 < 6 },
}

var patternNames = []string{"full", "dotted", "dashed", "long dashes"}

// dotText draws lines, points and histograms in braille, with the ends of both axes.
func (c *Chart) dotText() string {
	x, y := c.ranges()
	columns := chartColumns()
	d := newDots(columns, dotLines)
	across := scaleOf(x, c.logX, d.wide-1)
	up := scaleOf(y, c.logY, d.high-1)
	down := func(v float64) int { return d.high - 1 - up(v) }
	lines := 0
	for _, s := range c.series {
		switch s.kind {
		case histKind:
			base := down(max(y[0], min(y[1], 0)))
			for i, n := range s.y {
				if n == 0 {
					continue
				}
				for column := across(s.x[i]); column <= max(across(s.x[i]), across(s.x[i+1])-1); column++ {
					d.line(column, base, column, down(n), 0, patterns[0])
				}
			}
		case scatterKind:
			for _, part := range c.stretches(s, math.MaxInt) {
				for _, p := range part {
					d.put(across(p[0]), down(p[1]))
				}
			}
		default:
			keep := patterns[lines%len(patterns)]
			lines++
			for _, part := range c.stretches(s, 2*d.wide) {
				run := 0
				for i, p := range part {
					from := part[max(0, i-1)]
					run = d.line(across(from[0]), down(from[1]), across(p[0]), down(p[1]), run, keep)
				}
			}
		}
	}
	return c.frame(d.lines(), columns, x, y)
}

// scaleOf maps a range to 0 … steps.
func scaleOf(r [2]float64, log bool, steps int) func(float64) int {
	return func(v float64) int {
		at := (v - r[0]) / (r[1] - r[0])
		if log {
			at = math.Log(v/r[0]) / math.Log(r[1]/r[0])
		}
		return int(math.Round(max(-1, min(2, at)) * float64(steps)))
	}
}

// frame draws the axes around the lines of a drawing that is so many columns wide.
func (c *Chart) frame(lines []string, columns int, x, y [2]float64) string {
	up := scaleOf(y, c.logY, 4*len(lines)-1)
	labels := make([]string, len(lines))
	width := 0
	last := len(lines) + 1 // the row of the last label
	for _, t := range textTicks(y, c.logY) {
		row := len(lines) - 1 - up(t.Value)/4
		if row < 0 || row >= len(lines) || last-row < 2 {
			continue // two labels never touch
		}
		labels[row], last = t.Label, row
		width = max(width, textWidth(t.Label))
	}
	var b strings.Builder
	if c.ylabel != "" {
		fmt.Fprintf(&b, "%s\n", cellText(c.ylabel, lineWidth()))
	}
	for i, l := range lines {
		mark := "│"
		if labels[i] != "" {
			mark = "┤"
		}
		fmt.Fprintf(&b, "%s %s%s\n", pad(labels[i], width, true), mark, l)
	}
	axis, below := c.across(columns, x)
	indent := strings.Repeat(" ", width)
	fmt.Fprintf(&b, "%s └%s\n%s  %s\n", indent, axis, indent, below)
	if c.xlabel != "" {
		text := cellText(c.xlabel, columns)
		fmt.Fprintf(&b, "%s  %s%s\n", indent, strings.Repeat(" ", (columns-textWidth(text))/2), text)
	}
	b.WriteString(c.key())
	return b.String()
}

// across draws the axis below a drawing, and the line of its labels.
func (c *Chart) across(columns int, x [2]float64) (axis, below string) {
	at := scaleOf(x, c.logX, 2*columns-1)
	line := []rune(strings.Repeat("─", columns))
	labels, end := "", -1 // the column after the last label
	for _, t := range textTicks(x, c.logX) {
		column := at(t.Value) / 2
		if column < 0 || column >= columns {
			continue
		}
		n := textWidth(t.Label)
		from := max(0, min(column-n/2, columns-n))
		if from < end+2 && end >= 0 {
			continue
		}
		line[column] = '┬'
		labels += strings.Repeat(" ", from-max(end, 0)) + t.Label
		end = from + n
	}
	return string(line), labels
}

// textTicks are the places of an axis that have labels, in the order of their values; its ends where there are none.
func textTicks(r [2]float64, log bool) (list []plot.Tick) {
	all := ticks(r[0], r[1])
	if log {
		all = logTicks{}.Ticks(r[0], r[1])
	}
	slop := (r[1] - r[0]) * 1e-6
	for _, t := range all {
		if t.Label != "" && t.Value >= r[0]-slop && t.Value <= r[1]+slop {
			list = append(list, t)
		}
	}
	if len(list) < 2 {
		return []plot.Tick{{Value: r[0], Label: short(r[0])}, {Value: r[1], Label: short(r[1])}}
	}
	slices.SortFunc(list, func(a, b plot.Tick) int { return cmp.Compare(a.Value, b.Value) })
	return list
}

// key is the legend, if there are several lines.
func (c *Chart) key() string {
	var parts []string
	for _, s := range c.series {
		if s.kind == lineKind && s.label != "" {
			parts = append(parts, fmt.Sprintf("%s (%s)", cellText(s.label, maxCell/2),
				patternNames[len(parts)%len(patternNames)]))
		}
	}
	if len(parts) < 2 {
		return ""
	}
	return strings.Join(parts, ", ") + "\n"
}

func short(v float64) string { return fmt.Sprintf("%.4g", v) }

// barText draws bars from left to right, each below its name.
func (c *Chart) barText() string {
	columns := float64(chartColumns()) * 3 / 4
	_, y := c.ranges()
	names, numbers := 0, 0
	for _, s := range c.series {
		for i, n := range s.names {
			names = max(names, textWidth(cellText(n, 20)))
			numbers = max(numbers, len(short(s.y[i])))
		}
	}
	var b strings.Builder
	first := c.series[0]
	shown := spanOf(len(first.names), maxRows, rowsHead, rowsTail)
	shown.each(func(i int) {
		for k, s := range c.series {
			if s.kind != barKind || i >= len(s.y) {
				continue
			}
			name := ""
			if k == 0 {
				name = cellText(s.names[i], 20)
			}
			eighths := 0
			if finite(s.y[i], false) {
				eighths = int(math.Round(math.Abs(s.y[i]) / max(math.Abs(y[0]), math.Abs(y[1]),
					math.SmallestNonzeroFloat64) * 8 * columns))
			}
			line := fmt.Sprintf("%s  %s  %s", pad(name, names, false), pad(short(s.y[i]), numbers, true),
				strings.Repeat("█", eighths/8))
			if eighths%8 > 0 {
				line += string([]rune("▏▎▍▌▋▊▉")[eighths%8-1])
			}
			b.WriteString(strings.TrimRight(line, " ") + "\n")
		}
	}, func() { b.WriteString("⋮\n") })
	return b.String()
}
