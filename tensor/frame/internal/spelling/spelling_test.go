package spelling

import (
	"testing"
	"time"
)

// TestDate: all dates from the year 0 on.
func TestDate(t *testing.T) {
	for day, n := time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC), 0; n < 150_000; n++ {
		got, ok := Date([]byte(day.Format(time.DateOnly)))
		if want := day.Unix() / 86400; !ok || int64(got) != want {
			t.Fatalf("%s is the day %d, %v, want %d", day.Format(time.DateOnly), got, ok, want)
		}
		if day = day.AddDate(0, 0, 1); n == 1000 {
			day = time.Date(1590, 1, 1, 0, 0, 0, 0, time.UTC) // the time between has the same rules
		}
	}
}
