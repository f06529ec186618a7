package gpu_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/access"
	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/gpu"
	"github.com/gorocm/gorocm/tensor/internal/host"
)

// program makes random tensors of random ones, the same each time for the same seed.
type program struct {
	*rand.Rand
	dev   *tensor.Device
	shape []int
	log   []string
	made  []*tensor.Tensor
}

func randomProgram(seed uint64, dev *tensor.Device) *program {
	p := &program{Rand: rand.New(rand.NewPCG(seed, 1)), dev: dev}
	rank := p.IntN(9)
	for range rank {
		p.shape = append(p.shape, 1+p.IntN(4))
	}
	if rank > 0 && p.IntN(2) == 0 {
		p.shape[rank-1] = 4 * (1 + p.IntN(4)) // packs
	}
	for range 2 + p.IntN(3) {
		p.made = append(p.made, p.leaf(anyOf(p, kernels.Numbers)))
	}
	return p
}

func anyOf[T any](p *program, list []T) T { return list[p.IntN(len(list))] }

// leaf is a tensor in memory that broadcasts to the shape, in one of many layouts.
func (p *program) leaf(dt tensor.DType) *tensor.Tensor {
	shape := slices.Clone(p.shape)
	for d := range shape {
		if p.IntN(5) == 0 {
			shape[d] = 1
		}
	}
	form := p.IntN(5)
	if len(shape) == 0 {
		form = 0
	}
	source := slices.Clone(shape)
	switch form {
	case 1:
		slices.Reverse(source)
	case 2:
		source[0] += 2
	case 3:
		source[len(source)-1] *= 2
	case 4: // without leading dims
		shape = shape[p.IntN(len(shape)):]
		source = shape
	}
	values := make([]float64, backend.Product(source))
	for i := range values {
		values[i] = p.NormFloat64() * 4
		if special := []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN()}; p.IntN(8) == 0 {
			values[i] = anyOf(p, special)
		}
	}
	t := tensor.FromSlice(values, source...).ToDType(dt).ToDevice(p.dev)
	switch form {
	case 1:
		order := make([]int, len(shape))
		for d := range order {
			order[d] = len(order) - 1 - d
		}
		t = t.Permute(order...)
	case 2:
		t = t.Narrow(0, 1+p.IntN(2), shape[0])
	case 3:
		t = t.I(tensor.Ellipsis, tensor.All.By(2))
	}
	p.log = append(p.log, fmt.Sprintf("%d: leaf %v %v", len(p.made), dt, t.Layout()))
	return t
}

// of finds a tensor of a dtype, converted if there is none.
func (p *program) of(dt tensor.DType) *tensor.Tensor {
	var list []*tensor.Tensor
	for _, t := range p.made {
		if t.DType() == dt {
			list = append(list, t)
		}
	}
	if len(list) == 0 || p.IntN(8) == 0 {
		return anyOf(p, p.made).ToDType(dt)
	}
	return anyOf(p, list)
}

// step makes one more tensor.
func (p *program) step() {
	x := anyOf(p, p.made)
	var y *tensor.Tensor
	what := ""
	switch p.IntN(10) {
	case 0, 1:
		op := anyOf(p, kernels.Unary)
		if !slices.Contains(op.On, x.DType()) {
			x = p.of(op.On[p.IntN(len(op.On))])
		}
		what, y = op.Name, call(x, op.Method)
	case 2:
		op := anyOf(p, kernels.Params)
		if !x.DType().IsFloat() {
			x = p.of(tensor.BF16)
		}
		what, y = op.Name, call(x, op.Method, 0.5+p.Float64())
	case 3:
		if x.DType() == tensor.Bool {
			x = p.of(tensor.I16)
		}
		what, y = "affine", x.Affine(float64(p.IntN(4)), float64(p.IntN(4)))
	case 4, 5:
		op := anyOf(p, kernels.Binary)
		if !slices.Contains(op.On, x.DType()) {
			x = p.of(op.On[p.IntN(len(op.On))])
		}
		var other any = p.of(x.DType())
		if p.IntN(3) == 0 {
			other = p.IntN(5)
		}
		what, y = op.Name, call(x, op.Method, other)
	case 6:
		op := anyOf(p, kernels.Compare)
		what, y = op.Name, call(x, op.Method, p.of(x.DType()))
	case 7:
		what, y = "where", p.of(anyOf(p, kernels.Ints)).WhereCond(x, p.of(x.DType()))
	case 8:
		what, y = "cast", x.ToDType(anyOf(p, kernels.Numbers))
		if p.IntN(3) == 0 {
			what, y = "reshape", x.Reshape(-1).Reshape(x.Dims()...)
		}
	case 9:
		op := anyOf(p, kernels.Reduce)
		if !slices.Contains(op.On, x.DType()) {
			x = p.of(tensor.F32)
		}
		dims := p.Perm(x.Rank())
		if p.IntN(2) == 0 && x.Rank() > 0 {
			dims = []int{x.Rank() - 1}
		}
		what, y = op.Name, access.Reduce(x, op.Name, dims[:p.IntN(len(dims)+1)], true).(*tensor.Tensor)
	}
	p.log = append(p.log, fmt.Sprintf("%d: %s %v %v", len(p.made), what, y.DType(), y.Dims()))
	p.made = append(p.made, y)
}

// write changes the elements of a leaf, or of a result.
func (p *program) write() {
	t := anyOf(p, p.made)
	if access.Operand(t).Layout.MayOverlap() || t.ElemCount() == 0 {
		return
	}
	p.log = append(p.log, fmt.Sprintf("write to a %v of shape %v", t.DType(), t.Dims()))
	if t.Rank() > 0 && p.IntN(2) == 0 {
		t = t.Narrow(0, 0, 1)
	}
	value := p.IntN(100)
	if t.DType() == tensor.Bool {
		value %= 2
	}
	t.ConstSet(value)
}

// run executes the program and returns the elements of its tensors.
func (p *program) run(steps int) (results [][]byte) {
	for range steps {
		if p.step(); p.IntN(10) == 0 {
			p.write()
		}
	}
	order := p.Perm(len(p.made))
	results = make([][]byte, len(order))
	for _, i := range order {
		results[i] = p.made[i].ToBytes()
	}
	return results
}

// sameBits compares elements; one NaN is as good as another.
func sameBits(dt tensor.DType, a, b []byte) bool {
	if slices.Equal(a, b) {
		return true
	}
	x, y := host.ToFloat64(dt, a), host.ToFloat64(dt, b)
	size := dt.Size()
	for i := range x {
		if !slices.Equal(a[i*size:(i+1)*size], b[i*size:(i+1)*size]) && !(math.IsNaN(x[i]) && math.IsNaN(y[i])) {
			return false
		}
	}
	return true
}

// TestFusedBits runs random programs with one kernel for each chain and with one for each operation: the results have
// the same bits.
func TestFusedBits(t *testing.T) {
	thorough.Slow(t)
	for _, kind := range []string{"rocm", "cuda"} {
		t.Run(kind, func(t *testing.T) {
			dev, launched := fusingOn(t, kind, gpu.FuseWait)
			testFusedBits(t, dev, launched)
		})
	}
}

func testFusedBits(t *testing.T, dev *tensor.Device, launched *[]string) {
	a := backendOf(dev)
	special := a.Specializes()
	programs := 16
	if !thorough.On() && a.Device().Emulated() {
		programs = 8
	}
	fused := 0
	for seed := range uint64(programs) {
		a.FuseAs(gpu.FuseWait)
		a.Specialize(special)
		*launched = nil
		p := randomProgram(seed, dev)
		got := p.run(6 + int(seed%3)*4)
		for _, kernel := range *launched {
			if strings.HasPrefix(kernel, "fused_") {
				fused++
			}
		}
		a.FuseAs(gpu.FuseNever)
		a.Specialize(false)
		want := randomProgram(seed, dev).run(6 + int(seed%3)*4)
		for i := range got {
			if !sameBits(p.made[i].DType(), got[i], want[i]) {
				t.Fatalf("seed %d: tensor %d has other bits\n%s\nlaunched %v\ngot  %v\nwant %v", seed, i,
					strings.Join(p.log, "\n"), *launched,
					host.ToFloat64(p.made[i].DType(), got[i]), host.ToFloat64(p.made[i].DType(), want[i]))
			}
		}
	}
	if err := a.FusionError(); err != nil {
		t.Error(err)
	}
	if fused < programs {
		t.Errorf("%d fused kernels in %d programs", fused, programs)
	}
}
