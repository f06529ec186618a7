package gpu

import (
	"fmt"
	"math"
	"slices"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor/fft/internal/plan"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// room is how many numbers of a type a block transforms. Tests lower it.
var room = kernels.FFTRoom

// runner runs kernels on one device, for complex numbers of one type.
type runner struct {
	backend.Backend
	dev *rocm.Device
	dt  kernels.DType
}

func newRunner(b backend.Backend, dt kernels.DType) *runner {
	return &runner{b, b.(backend.GPU).Device(), dt}
}

// launch runs the kernel of a name for the type.
func (r *runner) launch(name string, blocks int, args *rocm.Args) error {
	return r.Backend.(backend.Launcher).Launch(name+"_"+r.dt.String(), [3]int{min(blocks, maxBlocks), 1, 1}, args)
}

const (
	block     = 256     // threads of a block
	maxBlocks = 1 << 14 // of a grid
)

// blocks is the number of blocks for n independent numbers.
func blocks(n int) int { return (n + 4*block - 1) / (4 * block) }

// memory is a buffer of complex numbers from an offset on, in numbers.
type memory struct {
	buffer *rocm.Buffer
	offset int
}

func (r *runner) add(args *rocm.Args, m memory) *rocm.Args {
	return args.Buffer(m.buffer, m.offset*r.dt.Size())
}

// memoryOf is the memory of an operand's elements.
func memoryOf(o backend.Operand) memory {
	return memory{o.Store.(backend.DeviceMemory).DeviceBuffer(), o.Layout.Offset}
}

// temporary returns memory for n numbers, and what releases it. The stream keeps its order: released memory is not used
// again before the work is done.
func (r *runner) temporary(n int) (m memory, release func(), err error) {
	s, err := r.Alloc(n * r.dt.Size())
	if err != nil {
		return memory{}, nil, err
	}
	return memory{s.(backend.DeviceMemory).DeviceBuffer(), 0}, s.Release, nil
}

// dim is one that transforms are spread over: a size, and its strides in the operand and in the result.
type dim struct{ size, from, to int }

// job is transforms of n numbers, `from` and `to` apart in the operand and in the result.
type job struct {
	n, from, to int
	dims        []dim
	inverse     bool
	scale       float64

	turns int // the dim by whose index results turn, if order is not 0
	order int // of the roots for that
}

func (j *job) count() int {
	n := 1
	for _, d := range j.dims {
		n *= d.size
	}
	return n
}

// run transforms x to y, which may be the same memory if the strides are the same.
func (r *runner) run(x, y memory, j job) error {
	if j.n <= room(r.dt) {
		return r.inBlocks(x, y, j)
	}
	// as a matrix [n1 n2], whose columns and rows are transformed
	n1, n2 := plan.Split(j.n, room(r.dt))
	middle, release, err := r.temporary(j.n * j.count())
	if err != nil {
		return err
	}
	defer release()
	columns := job{n: n1, from: n2 * j.from, to: n2, inverse: j.inverse, scale: 1, order: j.n}
	rows := job{n: n2, from: 1, to: n1 * j.to, inverse: j.inverse, scale: j.scale}
	step := j.n * j.count()
	for _, d := range j.dims {
		step /= d.size
		columns.dims = append(columns.dims, dim{d.size, d.from, step})
		rows.dims = append(rows.dims, dim{d.size, step, d.to})
	}
	// adjacent transforms come last
	at := len(j.dims)
	if at > 0 && j.from != 1 {
		at--
	}
	columns.turns = at
	columns.dims = slices.Insert(columns.dims, at, dim{n2, j.from, 1})
	if err := r.run(x, middle, columns); err != nil {
		return err
	}
	rows.dims = slices.Insert(rows.dims, at, dim{n1, n2, j.to})
	return r.run(middle, y, rows)
}

// inBlocks transforms lengths that a block has room for.
func (r *runner) inBlocks(x, y memory, j job) error {
	f := kernels.FFT{N: int64(j.n), Count: int64(j.count()), FromStep: int64(j.from), ToStep: int64(j.to),
		Scale: j.scale, Turns: -1}
	if len(j.dims) > kernels.FFTDims || uint64(j.count()) > math.MaxUint32 {
		return fmt.Errorf("%d transforms of length %d over %d dims are more than kernels take: "+
			"at most %d over %d dims", j.count(), j.n, len(j.dims), uint32(math.MaxUint32), kernels.FFTDims)
	}
	for i, radix := range plan.Radices(j.n) {
		f.Radices |= uint64(radix) << (4 * i)
	}
	if j.inverse {
		f.Inverse = 1
	}
	unused := kernels.FFTDims - len(j.dims)
	for d := range f.Dims {
		f.Dims[d] = 1
		if d >= unused {
			f.Dims[d], f.From[d], f.To[d] = int64(j.dims[d-unused].size), int64(j.dims[d-unused].from),
				int64(j.dims[d-unused].to)
		}
	}
	roots, err := r.roots(j.n)
	if err != nil {
		return err
	}
	low, high := roots, roots
	if j.order != 0 {
		var shift int
		if low, high, shift, err = r.powers(j.order); err != nil {
			return err
		}
		f.Turns, f.Shift = int64(unused+j.turns), int64(shift)
	}
	// enough transforms for the threads of a block, but enough blocks for the device
	lanes := room(r.dt) / j.n
	for lanes > 1 && (j.count()+lanes-1)/lanes < 2*r.dev.Info().ComputeUnits && lanes*j.n >= 8*block {
		lanes /= 2
	}
	lanes = min(lanes, j.count())
	f.Lanes = int64(lanes)
	args := r.add(r.add(rocm.NewArgs(), x), y).Buffer(roots, 0).Buffer(low, 0).Buffer(high, 0).Struct(&f)
	return r.launch("fft", (j.count()+lanes-1)/lanes, args)
}
