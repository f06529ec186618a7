package gpu

import (
	"slices"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// Solver factors matrices on one GPU.
type Solver struct {
	b       backend.Backend
	launch  backend.Launcher
	dev     *rocm.Device
	Library Library // the device itself, except in tests
}

// On returns the solver of a backend, and false for backends that are no GPU.
func On(b backend.Backend) (*Solver, bool) {
	g, ok := b.(backend.GPU)
	if !ok {
		return nil, false
	}
	l, ok := b.(backend.Launcher)
	return &Solver{b: b, launch: l, dev: g.Device(), Library: g.Device()}, ok
}

// The largest matrices for which the kernels are used, by the side of square ones; others have as many elements. A
// block has a matrix, so larger ones would leave most of a GPU idle. The emulated GPU computes more slowly than the
// host.
const (
	largestFactor   = 512
	largestJacobi   = 256
	largestEmulated = 96
)

// within reports whether kernels take matrices of rows × cols elements, where GPUs do up to limit².
func (s *Solver) within(rows, cols, limit int) bool {
	if s.dev.Emulated() {
		limit = min(limit, largestEmulated)
	}
	return rows <= limit*limit/cols
}

// takes reports whether there are kernels and calls of libraries for an element type.
func takes(dt kernels.DType) bool {
	return slices.Contains([]kernels.DType{kernels.F32, kernels.F64, kernels.C64, kernels.C128}, dt)
}

// alloc allocates results of so many bytes each. A result of no bytes is nil.
func (s *Solver) alloc(sizes ...int) ([]backend.Storage, error) {
	out := make([]backend.Storage, len(sizes))
	for i, n := range sizes {
		if n == 0 {
			continue
		}
		var err error
		if out[i], err = s.b.Alloc(n); err != nil {
			for _, o := range out[:i] {
				if o != nil {
					o.Release()
				}
			}
			return nil, err
		}
	}
	return out, nil
}

// add adds an operand's first element to the arguments.
func add(args *rocm.Args, o backend.Operand) *rocm.Args {
	return args.Buffer(buffer(o.Store), o.Layout.Offset*o.DType.Size())
}

// addStore adds memory to the arguments, or a null pointer.
func addStore(args *rocm.Args, s backend.Storage) *rocm.Args {
	if s == nil {
		return args.U64(0)
	}
	return args.Buffer(buffer(s), 0)
}

func buffer(s backend.Storage) *rocm.Buffer { return s.(backend.DeviceMemory).DeviceBuffer() }

func flag(set bool) uint32 {
	if set {
		return 1
	}
	return 0
}
