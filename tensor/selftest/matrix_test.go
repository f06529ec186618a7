package selftest

import (
	"strings"
	"testing"

	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor/devicetest"
)

// TestMatrixProbe: the probe finds the places of the emulated GPU's v_wmma, and that others are not those.
func TestMatrixProbe(t *testing.T) {
	t.Setenv("GOROCM_EMULATE", "1")
	d, err := rocm.Open("rocm:0")
	if err != nil {
		t.Fatal(err)
	}
	var facts []string
	c := runCheck("probe", func(t devicetest.T) {
		checkMatrix(t, d, func(e event) { facts = append(facts, e.Fact.Text) })
	})
	if c.State == Skipped {
		t.Skip(c.Findings)
	}
	if c.State != Passed || len(facts) != 1 || !strings.Contains(facts[0], "lane 16 has rows [1 3 5 7 9 11 13 15] of column 0") {
		t.Fatalf("%+v, facts %q", c, facts)
	}
	m, err := d.Compile("matrix.hip", matrixSource)
	if err != nil {
		t.Fatal(err)
	}
	other := *wmma11
	other.row = wmma12.row
	var results [3][]float32
	for which := range results {
		if results[which], err = other.run(d, m, which); err != nil {
			t.Fatal(err)
		}
	}
	compare := func(p matrixPlaces, f *matrixForm) Check {
		return runCheck("compare", func(t devicetest.T) { p.compare(t, f) })
	}
	if c := compare(other.found(results), &other); c.State != Failed ||
		c.Findings[0] != "v_wmma_f32_16x16x16_f16: result 1 of lane 0 is in row 2, column 0; kernels take it for row 1, column 0" {
		t.Errorf("rows as on gfx12: %+v", c)
	}
	n := wmma11.wave * wmma11.rows
	for block := range 2 { // the first two values of k change places in A
		copy(results[2][block*n:(block+1)*n], resultsOf(2-block, n))
	}
	if c := compare(wmma11.found(results), wmma11); c.State != Failed ||
		!strings.Contains(c.Findings[0], "value 0 of lane 0 of A is multiplied by value 1 of B's") {
		t.Errorf("exchanged values of k: %+v", c)
	}
}

// resultsOf is n results of a value.
func resultsOf(value, n int) []float32 {
	all := make([]float32, n)
	for i := range all {
		all[i] = float32(value)
	}
	return all
}
