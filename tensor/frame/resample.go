package frame

import (
	"fmt"
	"time"

	"github.com/gorocm/gorocm/internal/budget"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/frame/internal/integer"
)

// Resample groups the rows by the periods in which the times of a column lie, in ascending order: all periods from the
// first to the last, those without rows, too. A period is year, quarter, month, week (from Monday on), day, hour,
// minute or second; the key is its start. The rows of a period are in the order of their times, which First and Last go
// by; rows without a time are left out.
//
//	trips.Resample("day", "month").Agg(frame.Len(), frame.Sum("fare"))
//
// It panics with ErrIndex for a name that no column has, with ErrDType for a column that has no times, or dates for a
// period shorter than a day, and with ErrValue for another period, or for too many.
func (f *Frame) Resample(column, period string) *Groups {
	const op = "resample"
	f.column(op, column).wantTime(op)
	f = f.DropMissing(column).Sort(column)
	starts := truncated(op, f.column(op, column), period)
	numbers := make([]int64, f.rows)
	for i := range numbers {
		numbers[i] = periodNumber(starts.time(i), period)
	}
	first, count := int64(0), int64(0)
	if f.rows > 0 {
		first, count = numbers[0], numbers[f.rows-1]-numbers[0]+1
	}
	if count > maxRows {
		note := fmt.Sprintf("f.With(%q, frame.Col(%q).Truncate(%q)).GroupBy(%q) has only the periods with rows",
			column, column, period, column)
		fail(op, tensor.ErrValue, note, "%d periods of one %s in column %q: at most %d", count, period, column, maxRows)
	}
	if e := budget.Room(16 * count); e != nil {
		panic(e)
	}
	key := &Column{name: column, typ: starts.typ, n: int(count)}
	g := &Groups{f: f, by: []*Column{key}, keys: keys{codes: make([]int32, f.rows), first: make([]int32, count)}}
	for k := range g.keys.first { // a group for each row of the key
		g.keys.first[k] = int32(k)
		t := periodOf(first+int64(k), period)
		if key.typ == Date {
			key.days = append(key.days, int32(integer.FloorDiv(t.Unix(), 86400)))
		} else {
			key.ints = append(key.ints, t.UnixNano())
		}
	}
	for i, n := range numbers {
		g.keys.codes[i] = int32(n - first)
	}
	return g
}

// The periods, in months or in seconds. Weeks begin on Mondays, 1970 on a Thursday.
var (
	periodMonths  = map[string]int64{"month": 1, "quarter": 3, "year": 12}
	periodSeconds = map[string]int64{"second": 1, "minute": 60, "hour": 3600, "day": 86400, "week": 7 * 86400}
	periodOffset  = map[string]int64{"week": -3 * 86400}
)

// periodNumber numbers the periods by their starts.
func periodNumber(start time.Time, period string) int64 {
	if months := periodMonths[period]; months > 0 {
		return (int64(start.Year())*12 + int64(start.Month()) - 1) / months
	}
	return (start.Unix() - periodOffset[period]) / periodSeconds[period]
}

// periodOf is the start of a period.
func periodOf(number int64, period string) time.Time {
	if months := periodMonths[period]; months > 0 {
		return time.Date(0, time.Month(1+number*months), 1, 0, 0, 0, 0, time.UTC)
	}
	return time.Unix(number*periodSeconds[period]+periodOffset[period], 0).UTC()
}
