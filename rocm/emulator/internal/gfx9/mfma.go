package gfx9

import (
	"fmt"
	"strings"
)

// MFMA is what a matrix instruction computes: Blocks products D = A×B + C, of M×K by K×N.
type MFMA struct {
	M, N, K, Blocks int
	D, A, B         string // types of elements
	Sparse          bool   // A has two of each four values, and a register says which
}

var matrices = map[string]*MFMA{}

// mfmaOf reads a name: v_mfma_f32_16x16x4_4b_f16 has four blocks.
func mfmaOf(name string) *MFMA {
	m := &MFMA{Blocks: 1, Sparse: strings.HasPrefix(name, "v_smfmac")}
	parts := strings.Split(name, "_")[2:]
	m.D = parts[0]
	if _, err := fmt.Sscanf(parts[1], "%dx%dx%d", &m.M, &m.N, &m.K); err != nil {
		panic(name)
	}
	parts = parts[2:]
	if n := len(parts[0]); parts[0][n-1] == 'b' {
		if _, err := fmt.Sscanf(parts[0], "%db", &m.Blocks); err != nil {
			panic(name)
		}
		parts = parts[1:]
	}
	m.A, m.B = parts[0], parts[len(parts)-1]
	return m
}

// size is the bytes of an element.
func size(typ string) int {
	switch typ[len(typ)-1] {
	case '8':
		return 1
	case '6':
		return 2
	case '4':
		return 8
	}
	return 4
}

// PerLane is how many values of a row of A, and of a column of B, a lane has, contiguous ones.
func (m *MFMA) PerLane() int { return m.K * m.M * m.Blocks / 64 }

// Results is how many elements of D a lane has.
func (m *MFMA) Results() int { return m.M * m.N * m.Blocks / 64 }

// Words are how many registers a lane's parts of D (and C), A and B take.
func (m *MFMA) Words() (d, a, b int) {
	d = m.Results() * size(m.D) / 4
	b = max(m.PerLane()*size(m.B)/4, 1)
	a = b
	if m.Sparse {
		a = b / 2
	}
	return d, a, b
}

// Input says where element k of row i of A, or of column i of B, of a block is: in which lane, as which of its values.
func (m *MFMA) Input(block, i, k int) (lane, value int) {
	n := m.PerLane()
	return i + m.M*(block+m.Blocks*(k/n)), k % n
}

// Output says which element of D a value of a lane is.
func (m *MFMA) Output(lane, value int) (block, row, column int) {
	height := 4 // rows in neighbouring values
	if m.D == "f64" {
		height = 1
	}
	bands := 64 / m.N                                           // of so many rows, which a register has
	together := max(1, 64*height/(m.M*m.N))                     // blocks that a register has
	perBlock := max(m.M*m.N/64, height)                         // values that a block takes
	column, band := lane%m.N, lane/m.N                          // band counts the blocks first
	block = value/perBlock*together + band%together             // blocks of other values follow those of these
	row = value % perBlock / height * height * bands / together // of the values before
	row += band/together*height + value%perBlock%height
	return block, row, column
}
