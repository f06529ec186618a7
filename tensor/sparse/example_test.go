package sparse_test

import (
	"fmt"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/sparse"
)

func Example() {
	dev := tensor.CPU()
	rows, cols := dev.New([]int{0, 0, 1, 2}), dev.New([]int{0, 2, 1, 0})
	m := sparse.FromCOO(rows, cols, tensor.Of(1, 2, 3, 4), 3, 3)
	fmt.Println(m)
	fmt.Println(m.ToDense().ToVec2())
	fmt.Println(m.MatMul(tensor.Of(1, 10, 100)).ToVec1())
	fmt.Println(m.T().Add(m.Mul(10)).ToDense().ToVec2())
	// Output:
	// Matrix[[3, 3], 4 elements, f32]
	// [[1 0 2] [0 3 0] [4 0 0]]
	// [201 30 4]
	// [[11 0 24] [0 33 0] [42 0 0]]
}

// laplacian is the matrix of the Poisson equation -Δu = f on n × n points inside a square, with differences.
func laplacian(n int, dev *tensor.Device) *sparse.Matrix {
	// the second differences along a line
	at := dev.Arange(tensor.I64, float64(n))
	inner := at.Narrow(0, 0, n-1)
	ones := dev.Ones(tensor.F64, n-1)
	right := sparse.FromCOO(inner, inner.Add(1), ones, n, n)
	line := sparse.Eye(n, tensor.F64, dev).Mul(2).Sub(right).Sub(right.T())
	// along the rows and along the columns of the square
	r, c := line.Indices()
	r, c = r.ToDType(tensor.I64).Unsqueeze(1), c.ToDType(tensor.I64).Unsqueeze(1)
	values := line.Values().Unsqueeze(1).BroadcastAs(line.ElemCount(), n).FlattenAll()
	along := sparse.FromCOO(r.Add(at.Mul(n)).FlattenAll(), c.Add(at.Mul(n)).FlattenAll(), values, n*n, n*n)
	across := sparse.FromCOO(r.Mul(n).Add(at).FlattenAll(), c.Mul(n).Add(at).FlattenAll(), values, n*n, n*n)
	return along.Add(across).Mul((n + 1) * (n + 1))
}

// The conjugate gradient method solves the Poisson equation -Δu = 1 on a square. In its middle, u is 0.073671.
func ExampleCG() {
	const n = 63
	a := laplacian(n, tensor.CPU())
	x, steps := sparse.CG(a, tensor.CPU().Ones(tensor.F64, n*n), 1e-10, 1000)
	fmt.Println(a)
	fmt.Printf("u in the middle: %.4f, after less than 150 steps: %t\n", x.Get(n*n/2).ToScalar(), steps < 150)
	// Output:
	// Matrix[[3969, 3969], 19593 elements, f64]
	// u in the middle: 0.0737, after less than 150 steps: true
}
