package display

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"slices"
	"sort"
	"strings"

	"gonum.org/v1/plot"
)

// field is a matrix of numbers above a grid, whose contours are drawn.
type field struct {
	x, y   []float64 // of the columns and of the rows; both run in one direction
	z      []float64 // row by row
	levels []float64 // those of Levels; nil for the default
	note   string    // of what was left out
}

// maxContourSide is the largest number of rows and of columns whose contour lines are drawn.
const maxContourSide = 512

// Contour draws the contour lines of a matrix: where it has the values of some levels, which are written on the lines.
// It takes z of dims [height width], or x, y and z with x of dims [width] and y of [height], which run upwards or
// downwards; alone, z has its columns at 0, 1, 2, … and its rows likewise, row 0 at the bottom. Levels sets the levels;
// by default there are four to nine round ones. Around NaN and infinities there are no lines. Of a matrix of more than
// 512 rows or columns every k-th is used, as the caption says. Lines are found by marching squares, where the mean of a
// cell decides between two ways to join four crossings. It panics when xyz is something else.
func Contour(xyz ...any) *Chart { return newChart().contour("display.Contour", xyz) }

// Contour adds contour lines to the chart, as display.Contour draws them; over an Imshow their x and y are columns and
// rows, unless Extent set other axes.
func (c *Chart) Contour(xyz ...any) *Chart { return c.contour("Chart.Contour", xyz) }

// ContourFilled fills the ranges between the levels of a matrix with the colours of viridis, with a colour bar. It
// takes what Contour takes, which can add the lines: display.ContourFilled(z).Contour(z). Values below the first level
// and above the last have colours too; NaN and infinities are grey. Cmap and Clim change the colours and the range of
// the default levels. It corresponds to matplotlib's contourf with extend="both".
func ContourFilled(xyz ...any) *Chart {
	f, a, err := fieldOf(xyz, math.MaxInt)
	if err != nil {
		panic("display.ContourFilled: " + err.Error())
	}
	c := newChart()
	r := &raster{values: a, field: f, bar: true, table: &colourTable, ends: darkToBright}
	r.lo, r.hi = a.bounds()
	c.picture = r
	return c
}

func (c *Chart) contour(op string, xyz []any) *Chart {
	f, _, err := fieldOf(xyz, maxContourSide)
	if err != nil {
		panic(op + ": " + err.Error())
	}
	c.series = append(c.series, &series{kind: contourKind, x: f.x, y: f.y, field: f})
	return c
}

// Levels sets the levels of the Contour that was added last, or of a ContourFilled. It panics for other charts, and
// unless the levels are finite and ascend.
func (c *Chart) Levels(levels ...float64) *Chart {
	for i, v := range levels {
		if !finite(v, false) || i > 0 && v <= levels[i-1] {
			panic(fmt.Sprintf("Chart.Levels: want finite numbers that ascend, not %v", levels))
		}
	}
	if len(levels) == 0 {
		panic("Chart.Levels: want one level or more")
	}
	for _, s := range slices.Backward(c.series) {
		if s.kind == contourKind {
			s.field.levels = slices.Clone(levels)
			return c
		}
	}
	if c.picture == nil || c.picture.field == nil {
		panic("Chart.Levels: the chart has no contours")
	}
	c.picture.field.levels = slices.Clone(levels)
	return c
}

// fieldOf reads z, or x, y and z, with at most so many rows and columns.
func fieldOf(xyz []any, most int) (*field, array, error) {
	if len(xyz) != 1 && len(xyz) != 3 {
		return nil, array{}, fmt.Errorf("want z, or x, y and z, not %d values", len(xyz))
	}
	a, err := arrayOf(xyz[len(xyz)-1])
	if err != nil {
		return nil, a, err
	}
	if len(a.dims) != 2 || min(a.dims[0], a.dims[1]) < 2 {
		return nil, a, fmt.Errorf("z has dims %v: want [height width], both 2 or more", a.dims)
	}
	height, width := a.dims[0], a.dims[1]
	f := &field{z: a.data, note: a.left()}
	if len(xyz) == 1 {
		f.x, f.y = counting(width), counting(height)
		for i := range f.x {
			f.x[i] *= a.step(1)
		}
		for i := range f.y {
			f.y[i] *= a.step(0)
		}
	} else {
		if f.x, err = directed(xyz[0], "x", width, a.step(1)); err != nil {
			return nil, a, err
		}
		if f.y, err = directed(xyz[1], "y", height, a.step(0)); err != nil {
			return nil, a, err
		}
	}
	if down, across := (height+most-1)/most, (width+most-1)/most; down > 1 || across > 1 {
		f = f.every(down, across)
	}
	return f, a, nil
}

// directed reads the coordinates of n columns or rows, which run in one direction; of a sampled z every step-th.
func directed(v any, name string, n int, step float64) ([]float64, error) {
	a, err := arrayOf(v)
	if err != nil {
		return nil, err
	}
	if len(a.dims) == 1 && a.steps == nil && step > 1 && (a.dims[0]+int(step)-1)/int(step) == n {
		var some []float64
		for i := 0; i < len(a.data); i += int(step) {
			some = append(some, a.data[i])
		}
		a = array{dims: []int{n}, data: some}
	}
	if len(a.dims) != 1 || a.dims[0] != n {
		return nil, fmt.Errorf("%s has dims %v: want [%d], as z has columns or rows", name, a.dims, n)
	}
	for i, x := range a.data {
		if !finite(x, false) || i > 0 && (x > a.data[i-1]) != (a.data[1] > a.data[0]) || i > 0 && x == a.data[i-1] {
			return nil, fmt.Errorf("%s does not run in one direction: %v at %d", name, x, i)
		}
	}
	return a.data, nil
}

// every keeps every k-th row and column.
func (f *field) every(down, across int) *field {
	out := &field{levels: f.levels, note: fmt.Sprintf("%s, every %d × %d of its elements", f.note, down, across)}
	for i := 0; i < len(f.y); i += down {
		out.y = append(out.y, f.y[i])
		for j := 0; j < len(f.x); j += across {
			out.z = append(out.z, f.z[i*len(f.x)+j])
		}
	}
	for j := 0; j < len(f.x); j += across {
		out.x = append(out.x, f.x[j])
	}
	return out
}

// drawnLevels are the levels, or round ones between low and high.
func (f *field) drawnLevels(low, high float64) (list []float64) {
	if f.levels != nil {
		return f.levels
	}
	size := high - low
	if !(size > 0) {
		return nil
	}
	step := math.Pow(10, math.Floor(math.Log10(size)))
	for _, part := range []float64{0.1, 0.2, 0.25, 0.5, 1} {
		if size/(step*part) <= 9 || part == 1 {
			step *= part
			break
		}
	}
	if step == 0 { // of the smallest numbers
		return nil
	}
	for n := math.Floor(low/step) + 1; n*step < high && len(list) < 10; n++ {
		if n*step > low {
			list = append(list, n*step)
		}
	}
	return list
}

func (f *field) ownLevels() []float64 { return f.drawnLevels((&array{data: f.z}).bounds()) }

// levelTexts are the levels as they are written.
func levelTexts(levels []float64) (list []string) {
	for _, v := range levels {
		list = append(list, short(v))
	}
	return list
}

func (f *field) caption() string {
	levels := levelTexts(f.ownLevels())
	if len(levels) == 0 {
		low, _ := (&array{data: f.z}).bounds()
		return fmt.Sprintf("no contours of %d × %d numbers, which are all %s%s", len(f.y), len(f.x), short(low), f.note)
	}
	return fmt.Sprintf("contours of %d × %d numbers at %s%s", len(f.y), len(f.x), strings.Join(levels, ", "), f.note)
}

// lines are the contour lines of a level, each closed or from edge to edge. A crossing of the level with an edge of the
// grid is known by the edge's number, by which the pieces of neighbouring cells are joined.
func (f *field) lines(level float64) (out [][][2]float64) {
	joined := map[int][]int{}
	var order []int
	for i := range len(f.y) - 1 {
		for j := range len(f.x) - 1 {
			for _, piece := range f.pieces(i, j, level) {
				for k, edge := range piece {
					if joined[edge] == nil {
						order = append(order, edge)
					}
					joined[edge] = append(joined[edge], piece[1-k])
				}
			}
		}
	}
	used := map[int]bool{}
	follow := func(edge int) {
		var line [][2]float64
		first := edge
		for {
			used[edge] = true
			line = append(line, f.crossing(edge, level))
			next := -1
			for _, e := range joined[edge] {
				if !used[e] {
					next = e
					break
				}
			}
			if next < 0 {
				break
			}
			edge = next
		}
		if len(line) > 2 && slices.Contains(joined[edge], first) {
			line = append(line, line[0]) // closed
		}
		out = append(out, line)
	}
	for _, open := range []bool{true, false} { // lines that begin at the edge of the matrix first
		for _, edge := range order {
			if !used[edge] && (len(joined[edge]) == 1 || !open) {
				follow(edge)
			}
		}
	}
	return out
}

// pieces are the lines through a cell of the grid: pairs of the edges that they join.
func (f *field) pieces(i, j int, level float64) [][2]int {
	w := len(f.x)
	at := i*w + j
	corners := [4]float64{f.z[at], f.z[at+1], f.z[at+w+1], f.z[at+w]}
	above, mean := 0, 0.0
	for k, v := range corners {
		if !finite(v, false) {
			return nil
		}
		if v >= level {
			above |= 1 << k
		}
		mean += v / 4
	}
	// Edges: the even numbers run along a row, the odd ones along a column.
	bottom, right, top, left := 2*at, 2*(at+1)+1, 2*(at+w), 2*at+1
	switch above {
	case 1, 14:
		return [][2]int{{left, bottom}}
	case 2, 13:
		return [][2]int{{bottom, right}}
	case 4, 11:
		return [][2]int{{right, top}}
	case 8, 7:
		return [][2]int{{top, left}}
	case 3, 12:
		return [][2]int{{left, right}}
	case 6, 9:
		return [][2]int{{bottom, top}}
	case 5, 10:
		if (mean >= level) == (above == 5) {
			return [][2]int{{bottom, right}, {top, left}}
		}
		return [][2]int{{left, bottom}, {right, top}}
	}
	return nil
}

// crossing is where an edge of the grid has the level.
func (f *field) crossing(edge int, level float64) [2]float64 {
	w := len(f.x)
	at := edge / 2
	i, j := at/w, at%w
	if edge%2 == 0 {
		part := (level - f.z[at]) / (f.z[at+1] - f.z[at])
		return [2]float64{f.x[j] + part*(f.x[j+1]-f.x[j]), f.y[i]}
	}
	part := (level - f.z[at]) / (f.z[at+w] - f.z[at])
	return [2]float64{f.x[j], f.y[i] + part*(f.y[i+1]-f.y[i])}
}

// value is the field at a point, interpolated between the four corners of its cell, if it is inside.
func (f *field) value(x, y float64) (v float64, inside bool) {
	j, px := cellOf(f.x, x)
	i, py := cellOf(f.y, y)
	if i < 0 || j < 0 {
		return 0, false
	}
	at := i*len(f.x) + j
	low := f.z[at]*(1-px) + f.z[at+1]*px
	high := f.z[at+len(f.x)]*(1-px) + f.z[at+len(f.x)+1]*px
	return low*(1-py) + high*py, true
}

// cellOf is the interval of coordinates that v lies in, and where in it; -1 outside.
func cellOf(list []float64, v float64) (int, float64) {
	up := list[1] > list[0]
	i := sort.Search(len(list), func(k int) bool { return up && list[k] > v || !up && list[k] < v }) - 1
	if i == len(list)-1 && list[i] == v {
		i--
	}
	if i < 0 || i >= len(list)-1 {
		return -1, 0
	}
	return i, (v - list[i]) / (list[i+1] - list[i])
}

// paintField fills the ranges between levels in a picture of so many pixels, whose top is the end of y.
func (r *raster) paintField(x, y [2]float64, width, height int, c *Chart) image.Image {
	levels := r.field.drawnLevels(r.lo, r.hi)
	img := image.NewNRGBA(image.Rect(0, 0, width, height))
	xs, ys := between(x[0], x[1], width, c.logX), between(y[0], y[1], height, c.logY)
	for row := range height {
		for column := range width {
			v, inside := r.field.value(xs[column], ys[height-1-row])
			if inside {
				img.SetNRGBA(column, row, r.band(v, levels))
			}
		}
	}
	return img
}

func (r *raster) fieldText() string {
	levels := strings.Join(levelTexts(r.field.drawnLevels(r.lo, r.hi)), ", ")
	if levels == "" {
		levels = "no levels"
	}
	return fmt.Sprintf("picture, %d × %d, filled between the levels %s, from %s to %s%s", r.values.dims[0],
		r.values.dims[1], levels, r.ends[0], r.ends[1], r.values.left())
}

// levelTicks are the ticks of a colour bar at levels.
func levelTicks(levels []float64, low, high float64) (list plot.ConstantTicks) {
	for _, v := range levels {
		if v >= low && v <= high {
			list = append(list, plot.Tick{Value: v, Label: short(v)})
		}
	}
	return list
}

// band is the colour of a number among levels.
func (r *raster) band(v float64, levels []float64) color.NRGBA {
	if !finite(v, false) {
		return notFinite
	}
	n := sort.SearchFloat64s(levels, v)
	if n < len(levels) && levels[n] == v {
		n++
	}
	return r.table[255*n/max(1, len(levels))]
}

// between are the middles of n equal parts of an axis.
func between(low, high float64, n int, log bool) []float64 {
	out := make([]float64, n)
	for i := range out {
		part := (float64(i) + 0.5) / float64(n)
		if log {
			out[i] = low * math.Pow(high/low, part)
		} else {
			out[i] = low*(1-part) + high*part
		}
	}
	return out
}
