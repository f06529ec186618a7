package display

import (
	"image"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func TestMatrices(t *testing.T) {
	var none *mat.Dense
	wide := mat.NewDense(40, 100, nil)
	wide.Set(39, 99, 1e-7)
	for _, c := range []struct {
		v    any
		want string
	}{
		{mat.NewDense(2, 2, []float64{1, 2.5, -3, 4e10}), "[[ 1   2.5]\n [-3 4e+10]]\n*mat.Dense, 2 × 2"},
		{mat.NewVecDense(2, []float64{1, 2}), "[[1]\n [2]]\n*mat.VecDense, 2 × 1"},
		{mat.NewSymDense(2, []float64{1, 2, 2, 1}), "[[1 2]\n [2 1]]\n*mat.SymDense, 2 × 2"},
		{mat.NewDense(1, 2, []float64{1, 2}).T(), "[[1]\n [2]]\nmat.Transpose, 2 × 1"},
		{mat.NewCDense(1, 1, []complex128{1 + 2i}), "[[(1+2i)]]\n*mat.CDense, 1 × 1"},
		{&mat.Dense{}, "*mat.Dense, 0 × 0"},
		{none, "(*mat.Dense)(nil)"},
		{image.Rect(1, 2, 3, 4), "(1,2)-(3,4)"},
	} {
		if got := Render(c.v).Text(); got != c.want {
			t.Errorf("%T:\n%s\nwant\n%s", c.v, got, c.want)
		}
	}
	lines := strings.Split(Render(wide).Text(), "\n")
	if n := len(lines); n != rowsHead+rowsTail+2 || !strings.HasSuffix(lines[n-2], "… 0 0 0 1e-07]]") ||
		textWidth(lines[0]) > lineWidth() || lines[n-1] != "*mat.Dense, 40 × 100" {
		t.Errorf("%d lines:\n%s", len(lines), strings.Join(lines, "\n"))
	}
}
