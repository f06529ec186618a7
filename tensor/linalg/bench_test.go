package linalg_test

import (
	"fmt"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/linalg"
)

// BenchmarkCPU has the operations that bench/linalg.py times NumPy and SciPy on, by the same names.
func BenchmarkCPU(b *testing.B) {
	dev := tensor.CPU()
	for _, shape := range [][]int{{500, 500}, {1000, 32, 32}, {10000, 4, 4}} {
		a := draw(1, shape, tensor.F64, dev)
		n := shape[len(shape)-1]
		s := a.MatMul(a.T()).Add(dev.Eye(tensor.F64, n))
		name := fmt.Sprint(n)
		if len(shape) == 3 {
			name = fmt.Sprintf("%dx%d", shape[0], n)
		}
		for op, f := range map[string]func(){
			"solve":    func() { linalg.Solve(s, a) },
			"inv":      func() { linalg.Inv(s) },
			"det":      func() { linalg.Det(s) },
			"cholesky": func() { linalg.Cholesky(s) },
			"qr":       func() { linalg.QR(a) },
			"svd":      func() { linalg.SVD(a) },
			"eigh":     func() { linalg.Eigh(s) },
			"eig":      func() { linalg.Eig(a) },
		} {
			if n == 4 && op == "eig" {
				continue
			}
			b.Run(op+"_"+name, func(b *testing.B) {
				for b.Loop() {
					f()
				}
			})
		}
	}
	x, y, z := draw(1, []int{64, 32, 32}, tensor.F64, dev), draw(2, []int{64, 32, 32}, tensor.F64, dev),
		draw(3, []int{32, 32}, tensor.F64, dev)
	b.Run("einsum", func(b *testing.B) {
		for b.Loop() {
			linalg.Einsum("bij,bjk,kl->il", x, y, z)
		}
	})
	m := draw(4, []int{100, 100}, tensor.F64, dev)
	b.Run("expm_100", func(b *testing.B) {
		for b.Loop() {
			linalg.MatrixExp(m)
		}
	})
}
