package frame_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/frame"
)

// TestResample: the periods of times that are in no order, before 1970, at the ends of what a timestamp holds, and of one
// or no row, are what GroupBy of Truncate has, with those between that have no rows.
func TestResample(t *testing.T) {
	thorough.Slow(t)
	day := func(y, m, d int) time.Time { return time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC) }
	times := []any{day(1970, 1, 4), nil, day(1969, 12, 28).Add(time.Hour - 1), day(1971, 3, 1), day(1970, 1, 5).Add(-1)}
	for _, column := range [][]any{times, {nil, nil}, {}, {day(1678, 10, 1), day(2261, 4, 11).Add(5 * time.Hour)}, {day(2000, 2, 29)}} {
		f := frame.New("t", frame.New("t", append([]any{day(2024, 1, 1)}, column...)).Col("t")).Tail(len(column))
		n := make([]int64, len(column))
		for i := range n {
			n[i] = int64(i + 1)
		}
		f = f.With("n", frame.NewColumn("n", n))
		for _, typ := range []frame.Type{frame.Timestamp, frame.Date} {
			f := f.With("t", frame.Col("t").Cast(typ))
			for _, period := range []string{"year", "quarter", "month", "week", "day"} {
				got := f.Resample("t", period).Sum("n")
				want := f.DropMissing("t").With("t", frame.Col("t").Truncate(period)).GroupBy("t").Sum("n").Sort("t")
				same(t, got.Filter(frame.Col("n").Gt(0)), want)
				if got.Col("t").Type() != typ || f.DropMissing("t").Resample("t", period).Len() != got.Rows() {
					t.Errorf("%s: %v", period, got)
				}
				for i := 1; i < got.Rows(); i++ { // each a period after the one before
					before, at := got.Col("t").At(i-1).(time.Time), got.Col("t").At(i).(time.Time)
					next := map[string]time.Time{"year": before.AddDate(1, 0, 0), "quarter": before.AddDate(0, 3, 0),
						"month": before.AddDate(0, 1, 0), "week": before.AddDate(0, 0, 7), "day": before.AddDate(0, 0, 1)}[period]
					if !at.Equal(next) {
						t.Fatalf("%s: %v after %v", period, at, before)
					}
				}
			}
		}
	}
}

// TestResampleGroups: methods of groups have those without rows.
func TestResampleGroups(t *testing.T) {
	f := frame.New("t", []time.Time{time.Unix(7200, 0), time.Unix(1, 0)}, "x", []float64{5, 6})
	g := f.Resample("t", "hour")
	same(t, g.Min(), frame.New("t", []time.Time{time.Unix(0, 0).UTC(), time.Unix(3600, 0).UTC(), time.Unix(7200, 0).UTC()}, "x", []any{6.0, nil, 5.0}))
	f = f.With("t", frame.Col("t").Truncate("day"))
	f = frame.Concat(f, f.With("x", frame.Col("x").Add(10)))
	same(t, f.Resample("t", "week").Agg(frame.First("x").As("a"), frame.Last("x").As("b")).Select("a", "b"),
		frame.New("a", []float64{5}, "b", []float64{16})) // equal times stay in order
	var rows []int
	g.Each(func(key map[string]any, rest *frame.Frame) { rows = append(rows, rest.Rows()) })
	if fmt.Sprint(rows, g.Len(), g.Count().Col("count").Ints()) != "[1 0 1] 3 [1 0 1]" {
		t.Error(rows, g.Len(), g.Count())
	}
}

func TestResampleErrors(t *testing.T) {
	f := frame.New("t", []time.Time{time.Unix(0, 0), time.Unix(1<<32, 0)}, "x", []int{1, 2})
	f = f.With("day", frame.Col("t").Cast(frame.Date))
	for _, c := range []struct {
		column, period string
		kind           error
		text           string
	}{
		{"y", "day", tensor.ErrIndex, `no column "y"`},
		{"x", "day", tensor.ErrDType, `column "x"`},
		{"day", "hour", tensor.ErrDType, "which has no hour"},
		{"t", "decade", tensor.ErrValue, "decade"},
		{"t", "second", tensor.ErrValue, "4294967297 periods of one second"},
	} {
		err := tensor.Catch(func() error { f.Resample(c.column, c.period); return nil })
		if !errors.Is(err, c.kind) || !strings.Contains(fmt.Sprint(err), c.text) || !strings.Contains(fmt.Sprint(err), "resample") {
			t.Errorf("%s, %s: %v", c.column, c.period, err)
		}
	}
}
