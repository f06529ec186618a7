package display

import (
	"math"
	"strings"
)

// canvas is a drawing in characters: dots, and characters over them.
type canvas struct {
	*dots
	over map[[2]int]rune // by line and column
}

// marks distinguish the points of several series; the first has dots.
var marks = []rune(" xo+*")

// write puts characters over the dots, around a column.
func (v *canvas) write(line, column int, text string) {
	list := []rune(text)
	column = max(0, min(v.wide/2-len(list), column-len(list)/2))
	for i, r := range list {
		v.over[[2]int{line, column + i}] = r
	}
}

// lines are those of the drawing, without spaces at their ends.
func (v *canvas) lines() []string {
	out := v.dots.lines()
	for i, l := range out {
		line := []rune(l)
		for column := range v.wide / 2 {
			if r, ok := v.over[[2]int{i, column}]; ok {
				for len(line) <= column {
					line = append(line, ' ')
				}
				line[column] = r
			}
		}
		out[i] = strings.TrimRight(string(line), " ")
	}
	return out
}

// textScale maps numbers to the dots of a drawing.
type textScale struct {
	*canvas
	x, y         [2]float64
	across, down func(float64) int
}

// dotText draws the chart in braille, so many columns wide inside its axes.
func (c *Chart) dotText(columns int) string {
	x, y := c.ranges()
	v := &canvas{newDots(columns, dotLines), map[[2]int]rune{}}
	scale := func(y [2]float64, log bool) textScale {
		up := scaleOf(y, log, v.high-1)
		return textScale{v, x, y, scaleOf(x, c.logX, v.wide-1), func(f float64) int { return v.high - 1 - up(f) }}
	}
	left := scale(y, c.logY)
	second := left
	var right *[2]float64
	if c.right != nil {
		r := c.rightRange()
		right = &r
		second = scale(r, c.right.logY)
	}
	lines, clouds := 0, 0
	for _, d := range c.drawings() {
		t := left
		if d.right {
			t = second
		}
		switch d.kind {
		case scatterKind:
			t.points(d, marks[clouds%len(marks)])
			clouds++
		case histKind, barKind:
			t.solid(d)
		case boxKind:
			t.boxes(d)
		case contourKind:
			t.contours(d)
		default:
			t.line(d, patterns[lines%len(patterns)])
			lines++
		}
		t.errors(d)
	}
	return c.frame(v.lines(), columns, x, y, right)
}

func (t textScale) line(d plotted, keep func(int) bool) {
	for _, part := range d.stretches(d.logX, d.logY, 2*t.wide) {
		t.path(part, keep)
	}
}

func (t textScale) path(part [][2]float64, keep func(int) bool) {
	run := 0
	for i, p := range part {
		from := part[max(0, i-1)]
		run = t.dots.line(t.across(from[0]), t.down(from[1]), t.across(p[0]), t.down(p[1]), run, keep)
	}
}

func (t textScale) points(d plotted, mark rune) {
	for _, part := range d.stretches(d.logX, d.logY, math.MaxInt) {
		for _, p := range part {
			x, y := t.across(p[0]), t.down(p[1])
			if mark == ' ' {
				t.put(x, y)
			} else if x >= 0 && x < t.wide && y >= 0 && y < t.high {
				t.over[[2]int{y / 4, x / 2}] = mark
			}
		}
	}
}

// solid draws the bins of a histogram, or bars.
func (t textScale) solid(d plotted) {
	base := t.down(max(t.y[0], min(t.y[1], 0)))
	for i, n := range d.y {
		from, to := d.sides(i)
		if n == 0 || !finite(n, d.logY) || d.logX && to <= 0 {
			continue
		}
		if d.logX {
			from = max(from, t.x[0])
		}
		for column := t.across(from); column <= max(t.across(from), t.across(to)-1); column++ {
			t.dots.line(column, base, column, t.down(n), 0, patterns[0])
		}
	}
}

func (t textScale) boxes(d plotted) {
	inside := func(v float64) int { return t.down(max(t.y[0], min(t.y[1], v))) }
	for i, q := range d.boxes {
		if q.n == 0 {
			continue
		}
		at, wide := d.place(i)
		left, right, middle := t.across(at-0.3*wide), t.across(at+0.3*wide), t.across(at)
		for _, v := range []float64{q.q1, q.mid, q.q3} {
			t.dots.line(left, inside(v), right, inside(v), 0, patterns[0])
		}
		for _, x := range []int{left, right} {
			t.dots.line(x, inside(q.q1), x, inside(q.q3), 0, patterns[0])
		}
		t.dots.line(middle, inside(q.low), middle, inside(q.q1), 0, patterns[0])
		t.dots.line(middle, inside(q.q3), middle, inside(q.high), 0, patterns[0])
		for _, v := range q.outliers {
			if finite(v, d.logY) {
				t.put(middle, t.down(v))
			}
		}
	}
}

func (t textScale) errors(d plotted) {
	for _, w := range d.whiskers(t.x, t.y) {
		if w.across {
			t.dots.line(t.across(w.low), t.down(w.at), t.across(w.high), t.down(w.at), 0, patterns[0])
		} else {
			t.dots.line(t.across(w.at), t.down(w.low), t.across(w.at), t.down(w.high), 0, patterns[0])
		}
	}
}

// contours draws contour lines, with a level on the longest line of each.
func (t textScale) contours(d plotted) {
	for _, level := range d.field.ownLevels() {
		var longest [][2]float64
		for _, line := range d.field.lines(level) {
			for _, part := range d.finiteParts(line) {
				t.path(part, patterns[0])
				if len(part) > len(longest) {
					longest = part
				}
			}
		}
		if len(longest) > 8 {
			p := longest[len(longest)/2]
			x, y := t.across(p[0]), t.down(p[1])
			if x >= 0 && x < t.wide && y >= 0 && y < t.high {
				t.write(y/4, x/2, short(level))
			}
		}
	}
}
