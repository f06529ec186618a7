package attention

import (
	"fmt"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

const (
	block   = 256     // threads
	maxGrid = 1 << 15 // blocks in y and z; kernels stride over the rest
	tile    = 64      // queries or keys of a block without matrix cores
)

// Runner runs the kernels on the GPU of a backend.
type Runner struct {
	backend.Backend
	dev *rocm.Device
}

// On returns the runner of a backend, and false for one that is not of a GPU.
func On(b backend.Backend) (*Runner, bool) {
	g, ok := b.(backend.GPU)
	if _, launches := b.(backend.Launcher); !ok || !launches {
		return nil, false
	}
	return &Runner{b, g.Device()}, true
}

// Operands are those of one attention. Their elements are in memory.
type Operands struct {
	Q, K, V, Out backend.Operand
	Mask         *backend.Operand // or the last key, or nil
	State        backend.Storage  // what the backward pass needs: nil without one, else StateSize bytes
}

// StateSize is how many bytes the state of an attention has.
func StateSize(p *kernels.Attention) int {
	return 3 * int(p.Batch*p.Heads*p.Queries) * kernels.F32.Size()
}

// Takes reports whether there is a kernel for attention of these types and sizes, with a backward pass or without one.
func Takes(dt kernels.DType, p *kernels.Attention, backward bool) bool {
	maxSize := int64(256)
	if dt == kernels.F32 && !backward && !inParts(p) {
		maxSize = 128 // products of matrices are faster from there on, where their results have room
	}
	return (dt == kernels.F32 || dt == kernels.F16 || dt == kernels.BF16) && max(p.Size, p.ValueSize) <= maxSize
}

// Forward computes the result and, where there is one, the state.
func (r *Runner) Forward(o Operands, p kernels.Attention) error {
	args := operandsOf(o.Q, o.K, o.V, o.mask(), o.Out)
	if o.State == nil && inParts(&p) {
		return r.inParts(args, o, p)
	}
	args = withState(args, o.State).Struct(&p)
	grid := [3]int{r.tiles(o.Q.DType, &p, p.Queries), int(min(p.Batch*p.Heads, maxGrid)), 1}
	return r.launch(fmt.Sprintf("attention_%d_%v", rowSize(&p), o.Q.DType), grid, args)
}

// tiles is how many blocks queries or keys take.
func (r *Runner) tiles(dt kernels.DType, p *kernels.Attention, rows int64) int {
	of := int64(tile)
	if dt != kernels.F32 && rowSize(p) <= 128 && r.dev.Info().Wave == 32 {
		of = 128 // matrix cores: eight waves of sixteen rows each; without them, a block takes two tiles of 64
	}
	return int((rows + of - 1) / of)
}

// rowSize is the size of rows of the kernels that take rows of an attention's.
func rowSize(p *kernels.Attention) int64 {
	size := int64(64)
	for size < max(p.Size, p.ValueSize) {
		size *= 2
	}
	return size
}

// mask is the operand of the mask; without one, no kernel reads it.
func (o *Operands) mask() backend.Operand {
	if o.Mask == nil {
		return o.Q
	}
	return *o.Mask
}

func (r *Runner) launch(kernel string, grid [3]int, args *rocm.Args) error {
	return r.Backend.(backend.Launcher).Launch(kernel, grid, args)
}

func bufferOf(s backend.Storage) *rocm.Buffer { return s.(backend.DeviceMemory).DeviceBuffer() }

// operandsOf are arguments: the addresses of operands.
func operandsOf(list ...backend.Operand) *rocm.Args {
	args := rocm.NewArgs()
	for _, o := range list {
		args = args.Buffer(bufferOf(o.Store), o.Layout.Offset*o.DType.Size())
	}
	return args
}

// withState adds the address of a state, which may be nil.
func withState(args *rocm.Args, s backend.Storage) *rocm.Args {
	if s == nil {
		return args.U64(0)
	}
	return args.Buffer(bufferOf(s), 0)
}
