package display

import (
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
)

// vast is a tensor that is too large to fetch: its elements are their index, and Float64s would be a mistake.
type vast struct {
	dims    []int
	fetched *int
}

func (v vast) Dims() []int         { return v.dims }
func (v vast) Float64s() []float64 { panic("all elements are fetched") }

func (v vast) Sample(steps ...int) (dims []int, values []float64) {
	n := 1
	for i, d := range v.dims {
		dims = append(dims, (d+steps[i]-1)/steps[i])
		n *= dims[i]
	}
	*v.fetched += n
	values = make([]float64, n)
	for i := range values {
		values[i] = float64(i)
	}
	return dims, values
}

// TestLargeTensors: what is drawn of a tensor is bounded, whatever its size, and the axes still count its own elements.
func TestLargeTensors(t *testing.T) {
	thorough.Slow(t)
	for _, c := range []struct {
		name string
		dims []int
		draw func(v any) string
		want string
	}{
		{"line", []int{100_000_000}, func(v any) string { return Line(v).dotText(chartColumns()) }, "8e+07\n"},
		{"image", []int{20000, 30000}, func(v any) string { return Image(v).caption }, "every 10 × 15 of its elements"},
		{"colours", []int{3, 20000, 20000}, func(v any) string { return Image(v).caption },
			"every 1 × 17 × 17 of its elements"},
		{"heatmap", []int{1 << 20, 10}, func(v any) string { return Heatmap(v).caption() },
			"every 3 × 1 of its elements"},
		{"imshow", []int{20000, 20000}, func(v any) string {
			c := Imshow(v)
			if c.picture.extent[1] < 19900 || c.picture.extent[2] < 19900 {
				t.Errorf("the axes end at %v", c.picture.extent)
			}
			return c.caption()
		}, "every 10 × 10 of its elements"},
	} {
		t.Run(c.name, func(t *testing.T) {
			fetched := 0
			if got := c.draw(vast{c.dims, &fetched}); !strings.Contains(got, c.want) {
				t.Errorf("got %s, want %q in it", got, c.want)
			}
			if fetched > maxFetched || fetched < maxFetched/4 {
				t.Errorf("%d elements were fetched", fetched)
			}
		})
	}
}
