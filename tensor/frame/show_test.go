package frame_test

import (
	"fmt"
	"testing"

	"github.com/gorocm/gorocm/tensor/frame"
)

// TestShown: what is made on the way to a frame is shown by the calls that make it.
func TestShown(t *testing.T) {
	f := frame.New("city", []string{"a", "b", "a"}, "n", []int{1, 2, 3})
	for want, v := range map[string]any{
		`frame.Groups: 2 groups of 3 rows by "city"`:      f.GroupBy("city"),
		`frame.Groups: 3 groups of 3 rows by "city", "n"`: f.GroupBy("city", "n"),
		`frame.Sum("n")`:                                      frame.Sum("n"),
		`frame.Std("n").As("spread")`:                         frame.Std("n").As("spread"),
		`frame.NUnique("n")`:                                  frame.NUnique("n"),
		`frame.Quantile("n", 0.25)`:                           frame.Quantile("n", 0.25),
		`frame.Len()`:                                         frame.Len(),
		`[frame.Asc("n") frame.Desc("city")]`:                 []frame.SortKey{frame.Asc("n"), frame.Desc("city")},
		fmt.Sprint(frame.Col("n")) + ".Rolling(7)":            frame.Col("n").Rolling(7),
		fmt.Sprint(frame.Col("n")) + ".Rolling(7).AtLeast(2)": frame.Col("n").Rolling(7).AtLeast(2),
	} {
		if got := fmt.Sprint(v); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
