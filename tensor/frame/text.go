package frame

import (
	"math"
	"strconv"
	"time"

	"github.com/gorocm/gorocm/internal/printing"
	"github.com/gorocm/gorocm/internal/tabular"
)

// missingText is what tables show for a missing value.
const missingText = "null"

// shown returns a value as a table shows it.
func (c *Column) shown(i int) string {
	if !c.valid.has(i) {
		return missingText
	}
	switch c.typ {
	case Bool:
		return strconv.FormatBool(c.bits.get(i))
	case Int64:
		return strconv.FormatInt(c.ints[i], 10)
	case Float64, Float32:
		return number(c.float(i))
	case Date:
		return c.time(i).Format(time.DateOnly)
	case Timestamp:
		return timeText(c.ints[i])
	}
	return c.str(i)
}

// number prints a float with at most six significant digits, unless it is short anyway.
func number(v float64) string {
	if v == math.Trunc(v) && math.Abs(v) < 1e9 {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return strconv.FormatFloat(v, 'g', 6, 64)
}

// timeText writes a timestamp with the parts of a second that it has.
func timeText(ns int64) string {
	t := time.Unix(0, ns).UTC()
	if t.Nanosecond() == 0 {
		return t.Format(time.DateTime)
	}
	return t.Format("2006-01-02 15:04:05.999999999")
}

func tabularOf(f *Frame) tabular.Table {
	t := tabular.Table{Rows: f.rows}
	t.Rows, t.Names, t.Types, t.Numbers, t.Cell = f.TableCells()
	return t
}

// TableCells is how package display sees the frame: the number of rows; of each column the name, the type and whether
// it is aligned to the right; and the texts of its cells.
func (f *Frame) TableCells() (
	rows int, names, types []string, numbers []bool, cell func(row, column int) (text string, missing bool),
) {
	for _, c := range f.cols {
		names, types = append(names, c.name), append(types, c.typ.String())
		numbers = append(numbers, c.typ.IsNumber())
	}
	return f.rows, names, types, numbers, func(row, column int) (string, bool) {
		c := f.cols[column]
		return c.shown(row), !c.valid.has(row)
	}
}

// String draws the first and the last rows as text, in lines as long as those of tensors.
func (f *Frame) String() string {
	t := tabularOf(f)
	return t.Text(t.Shown(), printing.Get().LineWidth)
}
