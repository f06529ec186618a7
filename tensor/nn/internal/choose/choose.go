// Package choose runs the kernels that draw tokens from rows of logits on GPUs (kernels/choose.hip).
package choose

import (
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

const (
	block   = 256 // threads
	maxGrid = 1 << 15
)

// Most is the largest number of elements that TopK and TopP may keep.
const Most = 256

// What is wrong with a row.
const (
	Nothing = iota
	NotFinite
	NoToken
	TooFew
)

// RuleSize is how many numbers there are for each row: a random number, the temperature, MinP, TopK and TopP.
const RuleSize = 5

// On returns what launches kernels for a backend, and false for one that is not of a GPU.
func On(b backend.Backend) (backend.Launcher, bool) {
	l, ok := b.(backend.Launcher)
	return l, ok
}

// Penalize changes n logits of dense rows of cols elements, F32. The operands are dense: which has U32 pairs of rows
// and columns, by F32 pairs of a divisor and of what is subtracted.
func Penalize(l backend.Launcher, logits, which, by backend.Operand, n, cols int) error {
	args := operands(logits, which, by).U64(uint64(n)).U64(uint64(cols))
	return l.Launch("penalize", [3]int{min((n+block-1)/block, maxGrid), 1, 1}, args)
}

// Rows draws an element of each row of dense logits, F32. top and ids are the k greatest of each row. rules are F64,
// out is U32 [rows 2].
func Rows(l backend.Launcher, logits, top, ids, rules, out backend.Operand, rows, cols, k int) error {
	args := operands(logits, top, ids, rules, out).U64(uint64(rows)).U64(uint64(cols)).U64(uint64(k))
	return l.Launch("choose", [3]int{min(rows, maxGrid), 1, 1}, args)
}

func operands(list ...backend.Operand) *rocm.Args {
	args := rocm.NewArgs()
	for _, o := range list {
		args = args.Buffer(o.Store.(backend.DeviceMemory).DeviceBuffer(), o.Layout.Offset*o.DType.Size())
	}
	return args
}
