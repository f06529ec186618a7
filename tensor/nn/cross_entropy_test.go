package nn_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/internal/gpu"
	"github.com/gorocm/gorocm/tensor/nn"
)

// lossCase is a cross entropy with everything that it depends on.
type lossCase struct {
	logits    [][]float64
	target    []int64
	weights   []float64
	ignored   *int
	smoothing float64
	reduction nn.Reduction
}

// want is the loss by its definition, and the gradient of the logits for a gradient of grad[i] of element i.
func (c lossCase) want(grad []float64) (loss []float64, slopes [][]float64) {
	n := len(c.logits[0])
	weight := func(k int64) float64 {
		if c.weights == nil {
			return 1
		}
		return c.weights[k]
	}
	each, divisor := make([]float64, len(c.logits)), 0.0
	for r, row := range c.logits {
		slopes = append(slopes, make([]float64, n))
		if c.ignored != nil && c.target[r] == int64(*c.ignored) {
			continue
		}
		divisor += weight(c.target[r])
		top, sum := slices.Max(row), 0.0
		for _, x := range row {
			sum += math.Exp(x - top)
		}
		mass := 0.0
		for k, x := range row {
			share := c.smoothing / float64(n) * weight(int64(k)) // of this class in the loss
			if int64(k) == c.target[r] {
				share += (1 - c.smoothing) * weight(int64(k))
			}
			each[r] -= share * (x - top - math.Log(sum))
			mass += share
			slopes[r][k] -= share
		}
		for k, x := range row {
			slopes[r][k] += mass * math.Exp(x-top) / sum
		}
	}
	scale := 1.0
	if c.reduction == nn.ReduceMean {
		scale = 1 / divisor
	}
	total := 0.0
	for r := range each {
		total += each[r]
		g := grad[0]
		if c.reduction == nn.ReduceNone {
			g = grad[r]
		}
		for k := range slopes[r] {
			slopes[r][k] *= g * scale
		}
	}
	if c.reduction != nn.ReduceNone {
		each = []float64{total * scale}
	}
	return each, slopes
}

// drawLoss makes a case of rows × classes, with logits that all float types hold.
func drawLoss(rows, classes int, weighted bool, ignored *int, smoothing float64, reduction nn.Reduction) lossCase {
	c := lossCase{ignored: ignored, smoothing: smoothing, reduction: reduction}
	for r := range rows {
		row := make([]float64, classes)
		for k := range row {
			row[k] = float64((r*31+k*17+k*k%13)%64-32) / 8
		}
		c.logits = append(c.logits, row)
		id := int64((r*7 + 3) % classes)
		if ignored != nil && r%3 == 1 {
			id = int64(*ignored)
		}
		c.target = append(c.target, id)
	}
	if weighted {
		for k := range classes {
			c.weights = append(c.weights, float64(k%5)/4)
		}
	}
	return c
}

func (c lossCase) String() string {
	ignored := "none"
	if c.ignored != nil {
		ignored = fmt.Sprint(*c.ignored)
	}
	return fmt.Sprintf("%d×%d, weights %v, ignoring %s, smoothing %v, reduction %v", len(c.logits), len(c.logits[0]),
		c.weights != nil, ignored, c.smoothing, c.reduction)
}

// operands are the logits and options on a device. The logits may be a part of longer rows.
func (c lossCase) operands(dt tensor.DType, dev *tensor.Device, part bool) (*tensor.Tensor, nn.CrossEntropyOptions) {
	x := dev.New(c.logits).ToDType(dt)
	if part {
		x = tensor.Cat([]*tensor.Tensor{x, x.Neg()}, 1).Narrow(1, 0, x.Dim(1))
	}
	o := nn.CrossEntropyOptions{IgnoreIndex: c.ignored, LabelSmoothing: c.smoothing, Reduction: c.reduction}
	if c.weights != nil {
		o.Weights = dev.New(c.weights).ToDType(dt)
	}
	return x, o
}

var lossCases = []lossCase{
	drawLoss(5, 7, false, nil, 0, nn.ReduceMean),
	drawLoss(6, 64, false, nil, 0, nn.ReduceSum),
	drawLoss(7, 24, true, new(-100), 0, nn.ReduceMean),
	drawLoss(300, 4, true, new(0), 0.25, nn.ReduceMean),
	drawLoss(3, 5001, false, new(1), 0.125, nn.ReduceNone),
	drawLoss(2, 9000, true, nil, 0.5, nn.ReduceSum),
	drawLoss(4, 16, false, new(2), 1, nn.ReduceNone),
	drawLoss(1, 1, false, nil, 0.5, nn.ReduceMean),
}

// TestCrossEntropy compares losses and gradients with the definition, over options, types and devices.
func TestCrossEntropy(t *testing.T) {
	errorOf := map[tensor.DType]float64{tensor.F64: 1e-12, tensor.F32: 2e-6, tensor.F16: 2e-3, tensor.BF16: 1.5e-2}
	for _, dev := range allDevices(t) {
		for i, c := range lossCases {
			for dt, within := range errorOf {
				id := []tensor.DType{tensor.I64, tensor.I32}[i%2]
				if c.ignored == nil || *c.ignored >= 0 {
					id = []tensor.DType{tensor.U32, tensor.U16, tensor.I64}[i%3]
				}
				grad := []float64{-1.5}
				if c.reduction == nn.ReduceNone {
					for r := range len(c.target) - 1 {
						grad = append(grad, 0.5+float64(r))
					}
				}
				loss, slopes := c.want(grad)
				x, o := c.operands(dt, dev, i%2 == 1)
				v := tensor.NewVar(x)
				y := nn.CrossEntropyWith(v, dev.New(c.target).ToDType(id), o)
				g := dev.New(grad).ToDType(dt).Reshape(y.Dims()...)
				d := y.BackwardWith(g).Get(v)
				if got := y.FlattenAll().Float64s(); y.DType() != dt || !closeTo(got, loss, within) {
					t.Errorf("%v, %v, %v: loss %v %v, want %v", dev, c, dt, y.DType(), got, loss)
				}
				if got := d.FlattenAll().Float64s(); d.DType() != dt || !closeTo(got, slices.Concat(slopes...), within) {
					t.Errorf("%v, %v, %v: gradient %v, want %v", dev, c, dt, got, slopes)
				}
			}
		}
	}
}

// closeTo compares with an error relative to the largest number.
func closeTo(got, want []float64, within float64) bool {
	scale := 0.0
	for _, w := range want {
		scale = max(scale, math.Abs(w))
	}
	for i, w := range want {
		if !(math.Abs(got[i]-w) <= within*scale) {
			return false
		}
	}
	return len(got) == len(want)
}

// allDevices are those of devices, and an NVIDIA GPU where there is one.
func allDevices(t *testing.T) []*tensor.Device {
	t.Helper()
	list := devices(t)
	if gpu, err := tensor.NewDevice("cuda"); err == nil {
		list = append(list, gpu)
	}
	return list
}

// TestCrossEntropyOfViews: transposed logits, and targets that are a column of a matrix.
func TestCrossEntropyOfViews(t *testing.T) {
	c := drawLoss(6, 10, true, nil, 0.25, nn.ReduceMean)
	loss, slopes := c.want([]float64{1})
	for _, dev := range allDevices(t) {
		x, o := c.operands(tensor.F32, dev, false)
		v := tensor.NewVar(x.T())
		ids := dev.New(c.target)
		pairs := tensor.Stack([]*tensor.Tensor{ids.Add(1), ids}, 1)
		y := nn.CrossEntropyWith(v.T(), pairs.GetOnDim(1, 1), o)
		got := y.Backward().Get(v).T().FlattenAll().Float64s()
		if !closeTo(y.FlattenAll().Float64s(), loss, 2e-6) || !closeTo(got, slices.Concat(slopes...), 2e-6) {
			t.Errorf("%v: loss %v, want %v; gradient %v, want %v", dev, y, loss, got, slopes)
		}
	}
}

// TestCrossEntropySecondGradients compares gradients of gradients on GPUs with those of the CPU, which are compared
// with differences in devicetest.
func TestCrossEntropySecondGradients(t *testing.T) {
	second := func(c lossCase, dev *tensor.Device) []float64 {
		x, o := c.operands(tensor.F64, dev, false)
		v := tensor.NewVar(x)
		g := nn.CrossEntropyWith(v, dev.New(c.target), o).Sqr().Sum().BackwardGraph(nil).Get(v)
		return g.Sqr().Sum().Backward().Get(v).FlattenAll().Float64s()
	}
	for _, c := range []lossCase{lossCases[0], lossCases[2], drawLoss(5, 6, true, new(1), 0.25, nn.ReduceNone)} {
		want := second(c, tensor.CPU())
		for _, dev := range allDevices(t)[1:] {
			if got := second(c, dev); !closeTo(got, want, 1e-10) {
				t.Errorf("%v, %v: %v, want %v", dev, c, got, want)
			}
		}
	}
}

// TestCrossEntropyLimits: logits that overflow without their maximum, rows that are ignored although they have none,
// and infinite logits.
func TestCrossEntropyLimits(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, dev := range allDevices(t) {
		for _, dt := range []tensor.DType{tensor.F32, tensor.F64, tensor.F16, tensor.BF16} {
			x := tensor.NewVar(dev.New([][]float64{{2e4, 0, -2e4}, {nan, nan, nan}, {-inf, 0, 0}, {inf, 0, 0},
				{-inf, -inf, -inf}}).ToDType(dt))
			y := nn.CrossEntropyWith(x, dev.New([]int64{0, -1, 1, 1, 2}), nn.CrossEntropyOptions{
				IgnoreIndex: new(-1), Reduction: nn.ReduceNone})
			got, d := y.Float64s(), y.BackwardWith(y.OnesLike()).Get(x).Float64s()
			if !closeTo(got[:3], []float64{0, 0, math.Ln2}, 4e-3) || got[3] == got[3] || got[4] == got[4] {
				t.Errorf("%v, %v: losses %v", dev, dt, got)
			}
			if !closeTo(d[:9], []float64{0, 0, 0, 0, 0, 0, 0, -0.5, 0.5}, 4e-3) || d[9] == d[9] {
				t.Errorf("%v, %v: gradient %v", dev, dt, d)
			}
		}
		all := dev.New([]int64{-1, -1})
		none := nn.CrossEntropyWith(dev.Zeros(tensor.F32, 2, 3), all,
			nn.CrossEntropyOptions{IgnoreIndex: new(-1)})
		if got := none.ToScalar(); got == got {
			t.Errorf("%v: the mean of no rows is %v, want NaN", dev, got)
		}
		if got := nn.CrossEntropy(dev.Zeros(tensor.F32, 0, 3), all.Narrow(0, 0, 0)).ToScalar(); got == got {
			t.Errorf("%v: the mean of an empty batch is %v, want NaN", dev, got)
		}
	}
}

// TestCrossEntropyClasses: targets that are not classes are errors that name the first of them.
func TestCrossEntropyClasses(t *testing.T) {
	for _, dev := range allDevices(t) {
		for want, target := range map[string]*tensor.Tensor{
			"target[1] = 3 is not the number of a class: they are 0 to 2":  dev.New([]uint32{0, 3, 7}),
			"target[2] = -1 is not the number of a class: they are 0 to 2": dev.New([]int64{0, 1, -1}),
		} {
			_, err := tensor.Try(func() *tensor.Tensor {
				y := nn.CrossEntropy(dev.Zeros(tensor.F32, 3, 3), target)
				y.ToScalar()
				return nil
			})
			if !errors.Is(err, tensor.ErrIndex) || !strings.Contains(err.Error(), want) {
				t.Errorf("%v: %v, want %s", dev, err, want)
			}
			if e := err.(*tensor.Error); strings.Contains(want, "-1") != (len(e.Notes) == 1) {
				t.Errorf("%v: notes %q", dev, e.Notes)
			}
		}
	}
}

// TestCrossEntropyNotes follows what errors propose.
func TestCrossEntropyNotes(t *testing.T) {
	logits, target := tensor.New([][]float32{{0, 0}, {0, 0}}), tensor.New([]int64{1, -1})
	for _, o := range []nn.CrossEntropyOptions{
		{IgnoreIndex: new(-1)},
		{IgnoreIndex: new(-1), Weights: tensor.New([]int64{1, 2}).ToDType(tensor.F32)},
		{IgnoreIndex: new(-1), Weights: tensor.NewVar(tensor.Of(1, 2)).Detach()},
	} {
		if got := nn.CrossEntropyWith(logits, target, o).ToScalar(); math.Abs(got-math.Ln2) > 1e-7 {
			t.Errorf("%+v: %v, want ln 2", o, got)
		}
	}
}

// TestCrossEntropyLaunches: a loss takes two kernels, and its gradient one, without memory for anything else of the size
// of the logits.
func TestCrossEntropyLaunches(t *testing.T) {
	for _, dev := range allDevices(t)[1:] {
		x := tensor.NewVar(dev.Zeros(tensor.BF16, 4, 96))
		target := dev.New([]int64{1, 2, 3, 95})
		nn.CrossEntropy(x, target).Backward()
		dev.Synchronize()
		got := launches(dev, func() { nn.CrossEntropy(x, target).Backward().Get(x).Buffer() })
		want := []string{"cross_entropy_bf16", "cross_entropy_total_bf16", "fill_b16", "cross_entropy_gradient_bf16"}
		if !slices.Equal(got, want) {
			t.Errorf("%v: %v, want %v", dev, got, want)
		}
	}
}

// launches are the names of the kernels that f launches.
func launches(dev *tensor.Device, f func()) (names []string) {
	b := extend.Backend(dev).(*gpu.Backend)
	b.OnLaunch = func(kernel string) { names = append(names, kernel) }
	defer func() { b.OnLaunch = nil }()
	f()
	dev.Synchronize()
	return names
}
