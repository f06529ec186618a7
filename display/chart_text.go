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

// scaleOf maps a range to 0 … steps.
func scaleOf(r [2]float64, log bool, steps int) func(float64) int {
	return func(v float64) int {
		at := (v - r[0]) / (r[1] - r[0])
		if log {
			at = math.Log(v/r[0]) / math.Log(r[1]/r[0])
		}
		if math.IsNaN(at) {
			return -1
		}
		return int(math.Round(max(-1, min(2, at)) * float64(steps)))
	}
}

// frame draws the axes around the lines of a drawing that is so many columns wide. The axis at the right has a range if
// the chart has that axis.
func (c *Chart) frame(lines []string, columns int, x, y [2]float64, right *[2]float64) string {
	labels, width := besides(len(lines), y, c.logY)
	var rights []string
	if right != nil {
		rights, _ = besides(len(lines), *right, c.right.logY)
	}
	var b strings.Builder
	if c.ylabel != "" || right != nil && c.right.ylabel != "" {
		left := cellText(c.ylabel, columns)
		b.WriteString(left)
		if right != nil {
			ylabel := cellText(c.right.ylabel, columns)
			b.WriteString(strings.Repeat(" ", max(2, width+columns+3-textWidth(left)-textWidth(ylabel))) + ylabel)
		}
		b.WriteString("\n")
	}
	for i, l := range lines {
		fmt.Fprintf(&b, "%s %s%s", pad(labels[i], width, true), mark(labels[i], "│", "┤"), l)
		if right != nil {
			b.WriteString(strings.Repeat(" ", columns-textWidth(l)) + mark(rights[i], "│", "├") +
				strings.TrimRight(" "+rights[i], " "))
		}
		b.WriteString("\n")
	}
	axis, below := c.across(columns, x)
	indent := strings.Repeat(" ", width)
	end := ""
	if right != nil {
		end = "┘"
	}
	fmt.Fprintf(&b, "%s └%s%s\n%s  %s\n", indent, axis, end, indent, below)
	if c.xlabel != "" {
		text := cellText(c.xlabel, columns)
		fmt.Fprintf(&b, "%s  %s%s\n", indent, strings.Repeat(" ", (columns-textWidth(text))/2), text)
	}
	b.WriteString(c.key(columns + width + 2))
	return b.String()
}

// mark is the part of a vertical axis beside a label, or beside none.
func mark(label, without, with string) string {
	if label == "" {
		return without
	}
	return with
}

// besides are the labels of a vertical axis, one for each of n lines, and the widest one's width.
func besides(n int, y [2]float64, log bool) (labels []string, width int) {
	up := scaleOf(y, log, 4*n-1)
	labels = make([]string, n)
	last := n + 1 // the row of the last label
	for _, t := range textTicks(y, log) {
		row := n - 1 - up(t.Value)/4
		if row < 0 || row >= n || last-row < 2 {
			continue // two labels never touch
		}
		labels[row], last = t.Label, row
		width = max(width, textWidth(t.Label))
	}
	return labels, width
}

// across draws the axis below a drawing, and the line of its labels.
func (c *Chart) across(columns int, x [2]float64) (axis, below string) {
	all := textTicks(x, c.logX)
	for _, s := range c.series {
		if s.standing() {
			all = nominal(s.names)
			break
		}
	}
	return acrossAt(columns, x, c.logX, all)
}

// acrossAt draws an axis with ticks: all of them, or every second, third and so on, so that their labels fit.
func acrossAt(columns int, x [2]float64, log bool, ticks []plot.Tick) (axis, below string) {
	at := scaleOf(x, log, 2*columns-1)
	ticks = slices.DeleteFunc(slices.Clone(ticks), func(t plot.Tick) bool {
		column := at(t.Value) / 2
		return column < 0 || column >= columns
	})
	for every := 1; ; every++ {
		axis, below, ok := someAcross(columns, at, ticks, every)
		if ok || every >= len(ticks) {
			return axis, below
		}
	}
}

// someAcross draws every so many-th tick. It reports whether the labels have room.
func someAcross(columns int, at func(float64) int, ticks []plot.Tick, every int) (axis, below string, ok bool) {
	line := []rune(strings.Repeat("─", columns))
	end := -1 // the column after the last label
	for i := 0; i < len(ticks); i += every {
		column := at(ticks[i].Value) / 2
		label := cellText(ticks[i].Label, columns)
		n := textWidth(label)
		from := max(0, min(column-n/2, columns-n))
		if from < end+2 && end >= 0 {
			return "", "", false
		}
		line[column] = '┬'
		below += strings.Repeat(" ", from-max(end, 0)) + label
		end = from + n
	}
	return string(line), below, true
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

// key is the legend, if there are several labels, in lines of so many columns.
func (c *Chart) key(columns int) string {
	var parts []string
	lines, clouds := 0, 0
	for _, d := range c.drawings() {
		look := kindNames[d.kind]
		switch d.kind {
		case lineKind:
			look = patternNames[lines%len(patternNames)]
			lines++
		case scatterKind:
			if m := marks[clouds%len(marks)]; m != ' ' {
				look = string(m)
			}
			clouds++
		}
		if d.right {
			look += ", right axis"
		}
		if d.label != "" {
			parts = append(parts, fmt.Sprintf("%s (%s)", cellText(d.label, maxCell/2), look))
		}
	}
	if len(parts) < 2 {
		return ""
	}
	text, line := "", ""
	for i, p := range parts {
		if i < len(parts)-1 {
			p += ","
		}
		if line != "" && textWidth(line)+1+textWidth(p) > columns {
			text, line = text+line+"\n", ""
		}
		if line != "" {
			line += " "
		}
		line += cellText(p, columns)
	}
	return text + line + "\n"
}

func short(v float64) string { return fmt.Sprintf("%.4g", v) }
