package frame_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/tensor/frame"
)

var leftTypes = map[string]frame.Type{"city": frame.String, "grade": frame.Int64, "x": frame.Float64, "n": frame.Int64,
	"ok": frame.Bool, "day": frame.Date, "at": frame.Timestamp, "name": frame.String}

func read(t *testing.T, path string, options ...frame.CSVOptions) *frame.Frame {
	t.Helper()
	f, err := frame.ReadCSV(path, options...)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// tables reads the tables that testdata/record.py made.
func tables(t *testing.T) (left, right *frame.Frame) {
	t.Helper()
	return read(t, "testdata/left.csv", frame.CSVOptions{Types: leftTypes}), read(t, "testdata/right.csv")
}

// same compares frames: their names, the values in order, floats to 12 digits.
func same(t *testing.T, got, want *frame.Frame) {
	t.Helper()
	if g, w := got.Names(), want.Names(); strings.Join(g, "|") != strings.Join(w, "|") {
		t.Fatalf("columns %q, want %q", g, w)
	}
	if got.Rows() != want.Rows() {
		t.Fatalf("%d rows, want %d\n%v\n%v", got.Rows(), want.Rows(), got, want)
	}
	bad := 0
	for _, name := range want.Names() {
		g, w := got.Col(name), want.Col(name)
		for i := range g.Len() {
			if a, b := g.At(i), w.At(i); !equal(a, b) {
				if bad++; bad < 5 {
					t.Errorf("column %q, row %d: %v, want %v", name, i, a, b)
				}
			}
		}
	}
}

func equal(a, b any) bool {
	x, ok := number(a)
	y, both := number(b)
	if ok && both {
		return x == y || x != x && y != y || math.Abs(x-y) <= 1e-12*max(math.Abs(x), math.Abs(y))
	}
	return fmt.Sprint(a) == fmt.Sprint(b)
}

func number(v any) (float64, bool) {
	switch v := v.(type) {
	case int64:
		return float64(v), true
	case float64:
		return v, true
	case float32:
		return float64(v), true
	}
	return 0, false
}

func groupAggs(c string) []frame.Agg {
	return []frame.Agg{frame.Sum(c).As("sum"), frame.Mean(c).As("mean"), frame.Min(c).As("min"), frame.Max(c).As("max"),
		frame.Count(c).As("count"), frame.Std(c).As("std"), frame.Var(c).As("var"), frame.Median(c).As("median"),
		frame.First(c).As("first"), frame.Last(c).As("last"), frame.NUnique(c).As("nunique"),
		frame.Quantile(c, 0.1).As("q10"), frame.Quantile(c, 0.9).As("q90"), frame.Len().As("len")}
}

var col = frame.Col

// goldens are operations on the tables of testdata, by the names of the results that were recorded.
func goldens() map[string]func(l, r *frame.Frame) *frame.Frame {
	tests := map[string]func(l, r *frame.Frame) *frame.Frame{
		"group_text": func(l, _ *frame.Frame) *frame.Frame {
			return l.GroupBy("grade").Agg(frame.Min("name").As("low"), frame.Max("name").As("high"), frame.Min("at").As("early"),
				frame.Max("day").As("late"), frame.Sum("ok").As("yes"), frame.Mean("ok").As("share"), frame.NUnique("name").As("names"))
		},
		"all": func(l, _ *frame.Frame) *frame.Frame {
			return l.Agg(frame.Sum("x").As("sum"), frame.Mean("x").As("mean"), frame.Median("n").As("median"), frame.Std("n").As("std"),
				frame.NUnique("city").As("cities"))
		},
		"sort_x":      func(l, _ *frame.Frame) *frame.Frame { return l.Sort("x") },
		"sort_x_desc": func(l, _ *frame.Frame) *frame.Frame { return l.SortBy(frame.Desc("x")) },
		"sort_city_n": func(l, _ *frame.Frame) *frame.Frame { return l.SortBy(frame.Asc("city"), frame.Desc("n")) },
		"sort_grade_ok_day": func(l, _ *frame.Frame) *frame.Frame {
			return l.SortBy(frame.Desc("grade"), frame.Asc("ok"), frame.Asc("day"))
		},
		"sort_at":   func(l, _ *frame.Frame) *frame.Frame { return l.Sort("at") },
		"sort_name": func(l, _ *frame.Frame) *frame.Frame { return l.Sort("name") },
		"pivot": func(l, _ *frame.Frame) *frame.Frame {
			return l.Filter(col("city").Ne("")).Pivot([]string{"grade"}, "city", "n", frame.Max)
		},
		"melt":   func(l, _ *frame.Frame) *frame.Frame { return l.Melt([]string{"city"}, "grade", "n") },
		"unique": func(l, _ *frame.Frame) *frame.Frame { return l.Unique("city", "grade") },
		"counts": func(l, _ *frame.Frame) *frame.Frame { return l.ValueCounts("city") },
		"filter": func(l, _ *frame.Frame) *frame.Frame {
			return l.Filter(col("x").Gt(0).And(col("city").Ne("Oslo")).Or(col("ok")))
		},
		"filter_not": func(l, _ *frame.Frame) *frame.Frame {
			return l.Filter(col("grade").Le(0).Not().Or(col("n").Eq(3).And(col("ok"))))
		},
		"compute":   computed,
		"rolling_3": func(l, _ *frame.Frame) *frame.Frame { return rolled(l, col("x").Rolling(3)) },
		"rolling_5": func(l, _ *frame.Frame) *frame.Frame { return rolled(l, col("x").Rolling(5).AtLeast(1)) },
		"rolling_count": func(l, _ *frame.Frame) *frame.Frame {
			out := l
			for _, c := range []string{"x", "name"} {
				for _, n := range []int{1, 4, 300} {
					out = out.With(fmt.Sprintf("%s_%d", c, n), col(c).Rolling(n).Count())
				}
			}
			return out.Drop(l.Names()...)
		},
		"describe": func(l, _ *frame.Frame) *frame.Frame { return l.Select("grade", "x", "n").Describe() },
	}
	for _, p := range [][2]string{{"day", "year"}, {"day", "quarter"}, {"at", "month"}, {"at", "week"}, {"at", "day"}, {"at", "hour"}} {
		tests["resample_"+p[1]] = func(l, _ *frame.Frame) *frame.Frame {
			return l.Resample(p[0], p[1]).Agg(frame.Len(), frame.Sum("x").As("sum"), frame.Mean("x").As("mean"), frame.Max("x").As("max"),
				frame.Median("x").As("median"), frame.Sum("n").As("total"), frame.Count("n").As("count"), frame.First("name").As("first"))
		}
	}
	for _, keys := range [][]string{{"city"}, {"grade"}, {"city", "grade"}, {"ok"}, {"day"}} {
		for _, c := range []string{"x", "n"} {
			tests["group_"+strings.Join(keys, "_")+"_"+c] = func(l, _ *frame.Frame) *frame.Frame {
				return l.GroupBy(keys...).Agg(groupAggs(c)...)
			}
		}
	}
	for n, keys := range map[int][]string{1: {"city"}, 2: {"city", "grade"}} {
		for _, how := range []frame.How{frame.Inner, frame.Left, frame.Right, frame.Outer, frame.Semi, frame.Anti} {
			tests[fmt.Sprintf("join_%s_%d", how, n)] = func(l, r *frame.Frame) *frame.Frame { return l.Join(r, how, keys...) }
		}
	}
	return tests
}

func computed(l, _ *frame.Frame) *frame.Frame {
	out := l
	for _, c := range []struct {
		name string
		e    frame.Expr
	}{
		{"a", col("x").Mul(2).Add(col("grade"))}, {"b", col("n").FloorDiv(7)}, {"c", col("n").Mod(7)},
		{"d", col("grade").Div(2)}, {"e", col("x").Abs()}, {"f", col("grade").Pow(2)}, {"g", col("city").Upper()},
		{"h", col("name").TextLen()}, {"i", col("name").Contains("æ")}, {"j", col("at").Hour()}, {"k", col("day").Year()},
		{"l", col("day").Weekday()}, {"m", col("at").Truncate("week")}, {"o", col("day").Truncate("quarter")},
		{"p", col("grade").FillMissing(9)}, {"q", frame.When(col("ok"), col("grade"), col("grade").Neg())},
		{"r", col("x").Shift(2)}, {"s", col("n").Diff(1)}, {"t", col("grade").CumSum()}, {"u", col("grade").Rank()},
		{"v", col("grade").IsIn(1, 2)}, {"w", col("grade").IsMissing()}, {"y", col("x").Round(1)},
	} {
		out = out.With(c.name, c.e)
	}
	out = out.With("z", l.FillForward("name").Col("name"))
	return out.Drop(l.Names()...)
}

func rolled(l *frame.Frame, r frame.Rolling) *frame.Frame {
	return l.With("sum", r.Sum()).With("mean", r.Mean()).With("std", r.Std()).With("min", r.Min()).With("max", r.Max()).
		With("median", r.Median()).Drop(l.Names()...)
}

// TestGolden compares with the results of pandas and polars: see testdata/record.py.
func TestGolden(t *testing.T) {
	l, r := tables(t)
	tests := goldens()
	files, err := filepath.Glob("testdata/golden/*.csv")
	if err != nil || len(files) < len(tests) {
		t.Fatalf("%d results are recorded for %d tests: %v", len(files), len(tests), err)
	}
	for _, path := range files {
		name := strings.TrimSuffix(filepath.Base(path), ".csv")
		t.Run(name, func(t *testing.T) {
			test := tests[name]
			if test == nil {
				t.Fatal("a result that no test compares with")
			}
			got := test(l, r)
			types := map[string]frame.Type{}
			for i, n := range got.Names() {
				types[n] = got.Types()[i]
			}
			for n, typ := range types { // integers may be sums of floats there
				if typ == frame.Int64 {
					types[n] = frame.Float64
				}
			}
			same(t, got, read(t, path, frame.CSVOptions{Types: types}))
		})
	}
}

// TestFiles reads the left table from each format, as pyarrow wrote it, and from what this package writes.
func TestFiles(t *testing.T) {
	l, _ := tables(t)
	files, err := filepath.Glob("testdata/left_*")
	if err != nil || len(files) < 10 {
		t.Fatal(files, err)
	}
	dir := t.TempDir()
	for ext, write := range map[string]func(string) error{"csv": l.WriteCSV, "jsonl": l.WriteJSONL, "arrow": l.WriteArrow,
		"parquet": l.WriteParquet, "tsv": l.WriteCSV} {
		path := filepath.Join(dir, "own."+ext)
		if err := write(path); err != nil {
			t.Fatal(err)
		}
		files = append(files, path)
	}
	for _, path := range files {
		t.Run(filepath.Base(path), func(t *testing.T) {
			got, err := readAny(path)
			if err != nil {
				t.Fatal(err)
			}
			same(t, got, l)
		})
	}
}

func readAny(path string) (*frame.Frame, error) {
	switch filepath.Ext(path) {
	case ".parquet":
		return frame.ReadParquet(path)
	case ".arrow":
		return frame.ReadArrow(path)
	case ".jsonl":
		f, err := frame.ReadJSONL(path)
		if err != nil {
			return nil, err
		}
		names := make([]string, 0, len(leftTypes))
		for _, n := range []string{"city", "grade", "x", "n", "ok", "day", "at", "name"} {
			f = f.With(n, f.Col(n).Cast(leftTypes[n]))
			names = append(names, n)
		}
		return f.Select(names...), nil
	}
	return frame.ReadCSV(path)
}

// TestSlices: parts of frames are written as they are.
func TestSlices(t *testing.T) {
	l, _ := tables(t)
	part := l.Slice(67, 200)
	dir := t.TempDir()
	for ext, write := range map[string]func(string) error{"csv": part.WriteCSV, "jsonl": part.WriteJSONL,
		"arrow": part.WriteArrow, "parquet": part.WriteParquet} {
		path := filepath.Join(dir, "part."+ext)
		if err := write(path); err != nil {
			t.Fatal(err)
		}
		got, err := readAny(path)
		if err != nil {
			t.Fatal(err)
		}
		same(t, got, part)
		same(t, got.Sort("name", "x").GroupBy("city").Agg(groupAggs("x")...), part.Sort("name", "x").GroupBy("city").Agg(groupAggs("x")...))
	}
	record, err := frame.FromRecord(part.Record())
	if err != nil {
		t.Fatal(err)
	}
	same(t, record, part)
}

// TestNested: fields of structs are columns, lists are refused by name.
func TestNested(t *testing.T) {
	if _, err := frame.ReadParquet("testdata/nested.parquet"); err == nil || !strings.Contains(err.Error(), `"tags.list.element"`) {
		t.Errorf("got %v", err)
	}
	f, err := frame.ReadParquet("testdata/nested.parquet", "id", "place.lat", "place.name")
	if err != nil {
		t.Fatal(err)
	}
	same(t, f, frame.New("id", []int{1, 2, 3}, "place.lat", []any{1.5, nil, nil}, "place.name", []any{"a", nil, "c"}))
	if _, err := frame.ReadParquet("testdata/nested.parquet", "ids"); err == nil || !strings.Contains(err.Error(), `did you mean "id"?`) {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat("testdata/record.py"); err != nil {
		t.Error(err)
	}
}
