package display

import (
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/printing"
)

// TestChartColumns: charts fit a terminal, and use what it has.
func TestChartColumns(t *testing.T) {
	defer printing.SetColumns(0)
	y := []float64{0, 120000, 35000, 99000}
	for _, columns := range []int{36, 40, 80, 120, 160, 1000} {
		printing.SetColumns(columns)
		for name, text := range map[string]string{
			"line":        Line(y).Title("t").XLabel("a long label of the axis below").dotText(chartColumns()),
			"log":         Line([]float64{1, 2e5, 3e7}).LogY().dotText(chartColumns()),
			"one value":   Line([]float64{3, 3}).dotText(chartColumns()),
			"small range": Scatter([]float64{1, 1 + 1e-9}, []float64{-1e-12, 2e-12}).dotText(chartColumns()),
			"bars":        Bar([]string{"apples", "pears"}, []float64{3, 120000.5}).barText(chartColumns()),
			"histogram":   Hist(y, 5).dotText(chartColumns()),
		} {
			widest := 0
			for line := range strings.Lines(text) {
				widest = max(widest, textWidth(strings.TrimSuffix(line, "\n")))
			}
			if widest > columns {
				t.Errorf("%s is %d wide in %d columns:\n%s", name, widest, columns, text)
			}
			if name == "line" && columns <= 160 && widest < columns*3/4 {
				t.Errorf("%s is %d wide in %d columns", name, widest, columns)
			}
		}
	}
}
