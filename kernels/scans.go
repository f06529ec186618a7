package kernels

import (
	"fmt"
	"slices"
	"strings"
)

// ScanOp is an operation whose kernels scan rows (scan.hip): OP_T, and OP_tiles_T for few long rows.
type ScanOp struct {
	Name string
	On   []DType // the element types with kernels; others are converted to one of them first
	Arg  bool    // the results are positions, of type U32
	// the size of the state of elements of a type
	State func(t DType) int
	packs int // that a thread of a tile holds
}

// Scans lists the scans.
var Scans = []ScanOp{
	{Name: "cumsum", On: append([]DType{I64}, Floats...), State: wideSize, packs: 4}, // sums of integers are I64
	{Name: "cumprod", On: []DType{I64, F32, F64}, State: wideSize, packs: 4},
	{Name: "logcumsumexp", On: []DType{F32, F64}, State: func(t DType) int { return 2 * wideSize(t) }, packs: 1},
	{Name: "cummax", On: scanOrders, Arg: true, State: keySize, packs: 4},
	{Name: "cummin", On: scanOrders, Arg: true, State: keySize, packs: 4},
}

var scanOrders = []DType{I32, U32, I64, U64, F32, F64}

// wideSize is the size of the type in which elements of type t are added.
func wideSize(t DType) int {
	switch t {
	case F16, BF16, F8E4M3:
		return F32.Size()
	}
	return F64.Size()
}

// keySize is the size of a key and a position.
func keySize(t DType) int { return max(2*t.Size(), 8) }

// Tile is the number of elements of a row that a block of OP_tiles_T processes.
func (op *ScanOp) Tile(t DType) int { return 256 * op.packs * min(8, 16/t.Size()) }

// TilesState is the number of bytes of the state of OP_tiles_T for rows of cols elements. The state, and the 8 bytes of
// its turn counter, must be zeroed or left by an earlier launch of such a kernel.
func (op *ScanOp) TilesState(t DType, rows, cols int) int {
	const together = 32
	tiles := (cols + op.Tile(t) - 1) / op.Tile(t)
	batches := (tiles + together - 1) / together
	spans := (batches + together - 1) / together
	return rows * (tiles + batches + spans) * max(op.State(t)/4, 1) * 8
}

// ScanTo is the type to which elements of type t are converted for a scan: t itself, or one that has its elements.
func (op *ScanOp) ScanTo(t DType) DType {
	switch {
	case slices.Contains(op.On, t):
		return t
	case t.IsFloat():
		return F32
	case slices.Contains(op.On, I32):
		return I32
	}
	return I64
}

func scanKernels() (ks []kernel) {
	for _, op := range Scans {
		for _, t := range op.On {
			part := t.String()
			if op.Name != "cumsum" {
				part = op.Name + "_" + part
			}
			for _, name := range []string{op.Name, op.Name + "_tiles"} {
				ks = append(ks, kernel{part, symbol(name, t), fmt.Sprintf("%s(%s)", strings.ToUpper(name), t)})
			}
		}
	}
	return ks
}
