package frame_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/tensor/frame"
)

// randomCase is one of testdata/random.py.
type randomCase struct {
	Number           int
	Does, How        string
	Agg, Value       string
	Keys             []string
	Down             []bool
	left, right, out *frame.Frame
}

var (
	randomHows = map[string]frame.How{"inner": frame.Inner, "left": frame.Left, "right": frame.Right, "outer": frame.Outer}
	randomAggs = map[string]func(string) frame.Agg{"sum": frame.Sum, "mean": frame.Mean, "max": frame.Max, "min": frame.Min,
		"count": frame.Count, "nunique": frame.NUnique, "median": frame.Median, "first": frame.First, "last": frame.Last}
)

func (c *randomCase) result() *frame.Frame {
	switch c.Does {
	case "join":
		return c.left.Join(c.right, randomHows[c.How], c.Keys...)
	case "sort":
		var by []frame.SortKey
		for i, key := range c.Keys {
			if c.Down[i] {
				by = append(by, frame.Desc(key))
			} else {
				by = append(by, frame.Asc(key))
			}
		}
		return c.left.SortBy(by...)
	case "pivot":
		return c.left.Pivot([]string{"i0"}, "s0", c.Value, randomAggs[c.Agg])
	}
	aggs := []frame.Agg{frame.Len().As("len"), frame.Std("i1").As("i1_std"), frame.Max("s1").As("s1_max"),
		frame.Min("d1").As("d1_min"), frame.NUnique("s1").As("s1_nunique")}
	for name, agg := range randomAggs {
		aggs = append(aggs, agg("i1").As("i1_"+name), agg("f1").As("f1_"+name))
	}
	return c.left.GroupBy(c.Keys...).Agg(aggs...)
}

// rowTexts are the rows of columns as texts, floats to 9 digits, with NaN as missing.
func rowTexts(f *frame.Frame, names []string) (rows []string) {
	for i := range f.Rows() {
		var row []string
		for _, name := range names {
			text := fmt.Sprint(f.Col(name).At(i))
			if x, ok := number(f.Col(name).At(i)); ok && x != x {
				text = fmt.Sprint(nil)
			} else if ok {
				text = strconv.FormatFloat(x+0, 'g', 9, 64)
			}
			row = append(row, text)
		}
		rows = append(rows, strings.Join(row, "|"))
	}
	return rows
}

// TestRandomFrames: joins, groups, sorts and pivots of random tables are those of pandas.
func TestRandomFrames(t *testing.T) {
	folder := os.Getenv("GOROCM_FRAMES")
	if folder == "" {
		t.Skip("GOROCM_FRAMES names no folder of testdata/random.py")
	}
	data, err := os.ReadFile(filepath.Join(folder, "cases.json"))
	var cases []randomCase
	if err == nil {
		err = json.Unmarshal(data, &cases)
	}
	if err != nil || len(cases) == 0 {
		t.Fatal(len(cases), err)
	}
	for _, c := range cases {
		for name, to := range map[string]**frame.Frame{"a": &c.left, "b": &c.right, "w": &c.out} {
			if name == "b" && c.Does != "join" {
				continue
			}
			if *to, err = frame.ReadParquet(filepath.Join(folder, fmt.Sprintf("%d.%s.parquet", c.Number, name))); err != nil {
				t.Fatal(err)
			}
		}
		got := c.result()
		names, want := slices.Sorted(slices.Values(got.Names())), slices.Sorted(slices.Values(c.out.Names()))
		if !slices.Equal(names, want) {
			t.Errorf("case %d, %s: columns %v, want %v", c.Number, c.Does, names, want)
			continue
		}
		a, b := rowTexts(got, names), rowTexts(c.out, names)
		if c.Does == "join" || c.Does == "pivot" { // which pandas has in another order
			slices.Sort(a)
			slices.Sort(b)
		}
		if !slices.Equal(a, b) {
			t.Errorf("case %d, %s of %v: %v\n%s\nwant\n%s", c.Number, c.Does, c.Keys, names, strings.Join(a, "\n"), strings.Join(b, "\n"))
		}
	}
}
