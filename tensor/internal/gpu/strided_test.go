package gpu_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/access"
	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/gpu"
)

// watched is a device of its own that tells which kernels and copies f asks of it.
func watched(t *testing.T) (dev *tensor.Device, watch func(f func() *tensor.Tensor) (*tensor.Tensor, []string)) {
	b, err := gpu.Open("rocm:0")
	if err != nil {
		t.Skipf("no rocm device: %v", err)
	}
	a := b.(*gpu.Backend)
	return access.NewDevice("rocm", "rocm:0", a).(*tensor.Device),
		func(f func() *tensor.Tensor) (*tensor.Tensor, []string) {
			var names []string
			a.OnLaunch = func(kernel string) { names = append(names, kernel) }
			defer func() { a.OnLaunch = nil }()
			return f(), names
		}
}

// stridedForms make, of a dense tensor of a shape that they choose, one of the given shape whose elements do not lie
// densely.
var stridedForms = []struct {
	name   string
	source func(shape []int) []int
	view   func(x *tensor.Tensor, shape []int) *tensor.Tensor
}{
	{"transposed", reversed, func(x *tensor.Tensor, shape []int) *tensor.Tensor {
		order := make([]int, len(shape))
		for d := range order {
			order[d] = len(shape) - 1 - d
		}
		return x.Permute(order...)
	}},
	{"last dims swapped", func(shape []int) []int {
		s, r := slices.Clone(shape), len(shape)
		s[r-1], s[r-2] = s[r-2], s[r-1]
		return s
	}, func(x *tensor.Tensor, _ []int) *tensor.Tensor { return x.T() }},
	{"narrowed", func(shape []int) []int {
		wide := slices.Clone(shape)
		for d := range wide {
			wide[d] += 3
		}
		return wide
	}, func(x *tensor.Tensor, shape []int) *tensor.Tensor {
		for d, n := range shape {
			x = x.Narrow(d, 2, n)
		}
		return x
	}},
	{"every other", func(shape []int) []int {
		wide := slices.Clone(shape)
		wide[len(wide)-1] *= 2
		return wide
	}, func(x *tensor.Tensor, shape []int) *tensor.Tensor { return x.I(tensor.Ellipsis, tensor.All.By(2)) }},
	{"broadcast", func(shape []int) []int {
		thin := slices.Clone(shape)
		thin[0] = 1
		return thin
	}, func(x *tensor.Tensor, shape []int) *tensor.Tensor { return x.BroadcastAs(shape...) }},
}

func reversed(shape []int) []int {
	s := slices.Clone(shape)
	slices.Reverse(s)
	return s
}

// forming makes the same strided operands on one device or another.
type forming struct {
	form int
	dev  *tensor.Device
}

func (f forming) x(shape ...int) *tensor.Tensor {
	fm := stridedForms[f.form]
	source := fm.source(shape)
	values := make([]float32, backend.Product(source))
	for i := range values {
		values[i] = float32(i*37%101)/16 - 3
	}
	return fm.view(f.dev.FromSlice(values, source...), shape)
}

// stridedIDs are ids that lie in the form's way, made before the watch begins.
func (f forming) stridedIDs(shape ...int) *tensor.Tensor {
	fm := stridedForms[f.form]
	source := fm.source(shape)
	values := make([]int64, backend.Product(source))
	for i := range values {
		values[i] = int64(i * 7 % 5)
	}
	return fm.view(f.dev.FromSlice(values, source...), shape)
}

// stridedCases are operations that read elements where they lie. why says what an operation copies, and is empty for
// nothing.
var stridedCases = []struct {
	name string
	run  func(f forming) func() *tensor.Tensor
	why  string
}{
	{"Exp", unaryCase(func(x *tensor.Tensor) *tensor.Tensor { return x.Exp() }, 4, 5, 6), ""},
	{"Add", func(f forming) func() *tensor.Tensor {
		x, y := f.x(4, 5, 6), f.x(4, 5, 6)
		return func() *tensor.Tensor { return x.Add(y) }
	}, ""},
	{"WhereCond", func(f forming) func() *tensor.Tensor {
		c, x, y := f.stridedIDs(4, 5, 6), f.x(4, 5, 6), f.x(4, 5, 6)
		return func() *tensor.Tensor { return c.WhereCond(x, y) }
	}, ""},
	{"Sum of the first dim", unaryCase(func(x *tensor.Tensor) *tensor.Tensor { return x.Sum(0) }, 40, 5, 6), ""},
	{"Sum of the middle dim", unaryCase(func(x *tensor.Tensor) *tensor.Tensor { return x.Sum(1) }, 4, 50, 6), ""},
	{"Sum of two dims", unaryCase(func(x *tensor.Tensor) *tensor.Tensor { return x.Sum(0, 2) }, 14, 5, 6), ""},
	{"Sum", unaryCase(func(x *tensor.Tensor) *tensor.Tensor { return x.Sum() }, 4, 5, 6), ""},
	{"Sum of many", unaryCase(func(x *tensor.Tensor) *tensor.Tensor { return x.Sum() }, 67, 31, 17), ""},
	{"Max of long rows", unaryCase(func(x *tensor.Tensor) *tensor.Tensor { return x.Max(0) }, 33001, 3), ""},
	{"ArgMax of long rows", unaryCase(func(x *tensor.Tensor) *tensor.Tensor { return x.ArgMax(0) }, 33001, 3), ""},
	{"ArgMin of long rows", unaryCase(func(x *tensor.Tensor) *tensor.Tensor { return x.ArgMin(-1) }, 2, 3, 40000), ""},
	{"ArgMax", unaryCase(func(x *tensor.Tensor) *tensor.Tensor { return x.ArgMax(1) }, 14, 15, 3), ""},
	{"Softmax of the first dim", unaryCase(func(x *tensor.Tensor) *tensor.Tensor { return x.Softmax(0) }, 20, 5, 12),
		""},
	{"Softmax of the last dim", unaryCase(func(x *tensor.Tensor) *tensor.Tensor { return x.Softmax(-1) }, 20, 5, 12),
		""},
	{"LogSoftmax", unaryCase(func(x *tensor.Tensor) *tensor.Tensor { return x.LogSoftmax(1) }, 4, 300, 12), ""},
	{"CumSum", unaryCase(func(x *tensor.Tensor) *tensor.Tensor { return x.CumSum(1) }, 4, 30, 12), ""},
	{"Sort", unaryCase(func(x *tensor.Tensor) *tensor.Tensor { v, _ := x.Sort(0, true); return v }, 30, 4, 5), ""},
	{"ArgSortLastDim of long rows", unaryCase(func(x *tensor.Tensor) *tensor.Tensor { return x.ArgSortLastDim(false) },
		3, 2, 2500), ""},
	{"TopK", unaryCase(func(x *tensor.Tensor) *tensor.Tensor { v, _ := x.TopK(3, 0, true); return v }, 30, 4, 5), ""},
	{"TopK of long rows", unaryCase(func(x *tensor.Tensor) *tensor.Tensor {
		_, ids := x.TopK(20, -1, false)
		return ids
	}, 3, 2, 2500), ""},
	{"Nonzero", unaryCase(func(x *tensor.Tensor) *tensor.Tensor { return x.Nonzero() }, 4, 5, 6), ""},
	{"MaskedSelect", func(f forming) func() *tensor.Tensor {
		x, mask := f.x(4, 5, 6), f.stridedIDs(4, 5, 6)
		return func() *tensor.Tensor { return x.MaskedSelect(mask) }
	}, ""},
	{"MaskedFill", func(f forming) func() *tensor.Tensor {
		x, mask := f.x(4, 5, 6), f.stridedIDs(5, 6)
		return func() *tensor.Tensor { return x.MaskedFill(mask, -1) }
	}, ""},
	{"RmsNorm", func(f forming) func() *tensor.Tensor {
		x, alpha := f.x(4, 5, 6), f.x(2, 6).Get(0)
		return func() *tensor.Tensor { return x.RmsNorm(alpha, 1e-5) }
	}, ""},
	{"LayerNorm", func(f forming) func() *tensor.Tensor {
		x, alpha, beta := f.x(4, 5, 60), f.x(2, 60).Get(0), f.x(2, 60).Get(1)
		return func() *tensor.Tensor { return x.LayerNorm(alpha, beta, 1e-5) }
	}, ""},
	{"Rope", func(f forming) func() *tensor.Tensor {
		x, cos, sin := f.x(2, 3, 5, 8), f.x(2, 6, 4), f.x(2, 6, 4)
		return func() *tensor.Tensor { return x.Rope(cos, sin) }
	}, ""},
	{"RopeThd", func(f forming) func() *tensor.Tensor {
		x, cos, sin := f.x(2, 5, 3, 8), f.x(6, 4), f.x(6, 4)
		return func() *tensor.Tensor { return x.RopeThd(cos, sin) }
	}, ""},
	{"MatMul", func(f forming) func() *tensor.Tensor {
		x, y := f.x(30, 17), f.x(17, 20)
		return func() *tensor.Tensor { return x.MatMul(y) }
	}, ""},
	{"MatMul of a batch", func(f forming) func() *tensor.Tensor {
		x, y := f.x(2, 3, 7, 5), f.x(2, 3, 5, 6)
		return func() *tensor.Tensor { return x.MatMul(y) }
	}, ""},
	{"MatMul of a broadcast batch", func(f forming) func() *tensor.Tensor {
		x, y := f.x(2, 1, 3, 7, 5), f.x(4, 1, 5, 6)
		return func() *tensor.Tensor { return x.MatMul(y) }
	}, ""},
	{"Mv", func(f forming) func() *tensor.Tensor {
		x, y := f.x(30, 17), f.x(2, 17).Get(1)
		return func() *tensor.Tensor { return x.Mv(y) }
	}, ""},
	{"Conv1d", func(f forming) func() *tensor.Tensor {
		x, w := f.x(2, 3, 20), f.x(4, 3, 3)
		return func() *tensor.Tensor { return x.Conv1d(w, 1, 2, 1, 1) }
	}, "the kernel, whose rows the product takes as the rows of a matrix"},
	{"Conv2d", func(f forming) func() *tensor.Tensor {
		x, w := f.x(2, 4, 7, 6), f.x(6, 2, 3, 3)
		return func() *tensor.Tensor { return x.Conv2d(w, 1, 1, 1, 2) }
	}, "the kernel, whose rows the product takes as the rows of a matrix"},
	{"Conv2d, single taps", func(f forming) func() *tensor.Tensor {
		x, w := f.x(2, 4, 7, 6), f.dev.FromSlice(make([]float32, 24), 6, 4, 1, 1)
		return func() *tensor.Tensor { return x.Conv2d(w, 0, 1, 1, 1) }
	}, "images whose rows and columns are not one run, which the product takes as one row"},
	{"Conv2d, depthwise", func(f forming) func() *tensor.Tensor {
		x, w := f.x(2, 4, 7, 6), f.x(4, 1, 3, 3)
		return func() *tensor.Tensor { return x.Conv2d(w, 1, 1, 1, 4) }
	}, ""},
	{"ConvTranspose2d", func(f forming) func() *tensor.Tensor {
		x, w := f.x(2, 4, 7, 6), f.x(4, 3, 3, 2)
		return func() *tensor.Tensor { return x.ConvTranspose2d(w, 1, 0, 2, 1) }
	}, "the kernel, whose rows the product takes as the rows of a matrix"},
	{"AvgPool2d", unaryCase(func(x *tensor.Tensor) *tensor.Tensor { return x.AvgPool2d(2, 3) }, 2, 3, 8, 9), ""},
	{"MaxPool2dWithStride", unaryCase(func(x *tensor.Tensor) *tensor.Tensor {
		return x.MaxPool2dWithStride(3, 2, 1, 2)
	}, 2, 3, 8, 9), ""},
	{"UpsampleNearest1d", unaryCase(func(x *tensor.Tensor) *tensor.Tensor { return x.UpsampleNearest1d(11) }, 2, 3, 5),
		""},
	{"UpsampleNearest2d", unaryCase(func(x *tensor.Tensor) *tensor.Tensor { return x.UpsampleNearest2d(11, 4) }, 2, 3,
		5, 6), ""},
	{"UpsampleBilinear2d", unaryCase(func(x *tensor.Tensor) *tensor.Tensor {
		return x.UpsampleBilinear2d(11, 4, false)
	}, 2, 3, 5, 6), ""},
	{"IndexSelect", func(f forming) func() *tensor.Tensor {
		x, ids := f.x(6, 5, 4), f.stridedIDs(2, 9).Get(1)
		return func() *tensor.Tensor { return x.IndexSelect(ids, 1) }
	}, ""},
	{"IndexSelect from dense elements", func(f forming) func() *tensor.Tensor {
		x, ids := f.dev.FromSlice([]float32{1, 2, 3, 4, 5, 6}, 6), f.stridedIDs(2, 9).Get(1)
		return func() *tensor.Tensor { return x.IndexSelect(ids, 0) }
	}, ""},
	{"Gather", func(f forming) func() *tensor.Tensor {
		x, ids := f.x(6, 5, 4), f.stridedIDs(6, 7, 4)
		return func() *tensor.Tensor { return x.Gather(ids, 1) }
	}, ""},
	{"Scatter", scatterCase(func(x, ids, src *tensor.Tensor) *tensor.Tensor { return x.Scatter(ids, src, 1) }, 7),
		"the result begins as a copy"},
	{"ScatterAdd", scatterCase(func(x, ids, src *tensor.Tensor) *tensor.Tensor { return x.ScatterAdd(ids, src, 1) }, 7),
		"the result begins as a copy"},
	{"ScatterAdd of many ids", scatterCase(func(x, ids, src *tensor.Tensor) *tensor.Tensor {
		return x.ScatterAdd(ids, src, 1)
	}, 300), "the result begins as a copy"},
	{"IndexAdd", func(f forming) func() *tensor.Tensor {
		x, ids, src := f.x(6, 5, 4), f.stridedIDs(2, 300).Get(1), f.x(6, 300, 4)
		return func() *tensor.Tensor { return x.IndexAdd(ids, src, 1) }
	}, "the result begins as a copy"},
}

func unaryCase(op func(*tensor.Tensor) *tensor.Tensor, shape ...int) func(forming) func() *tensor.Tensor {
	return func(f forming) func() *tensor.Tensor {
		x := f.x(shape...)
		return func() *tensor.Tensor { return op(x) }
	}
}

func scatterCase(op func(x, ids, src *tensor.Tensor) *tensor.Tensor, many int) func(forming) func() *tensor.Tensor {
	return func(f forming) func() *tensor.Tensor {
		x, ids, src := f.x(6, 5, 4), f.stridedIDs(6, many, 4), f.x(6, many, 4)
		return func() *tensor.Tensor { return op(x, ids, src) }
	}
}

// TestNoSilentCopies runs operations on elements that do not lie densely, and finds the kernels that only copy or
// convert. Results are those of the host.
func TestNoSilentCopies(t *testing.T) {
	thorough.Slow(t)
	dev, watch := watched(t)
	for _, c := range stridedCases {
		t.Run(c.name, func(t *testing.T) {
			copied := 0
			for i, form := range stridedForms {
				want := c.run(forming{i, tensor.CPU()})().Float64s()
				out, names := watch(c.run(forming{i, dev}))
				for k, got := range out.Float64s() {
					if math.Abs(got-want[k]) > 1e-4*(1+math.Abs(want[k])) {
						t.Fatalf("%s: element %d: got %v, want %v", form.name, k, got, want[k])
					}
				}
				copies := 0
				for i, name := range names {
					rounds := i == len(names)-1 // the result
					if strings.HasPrefix(name, "copy") || strings.HasPrefix(name, "cast") && !rounds {
						copies++
					}
				}
				if copies > 0 && c.why == "" || copies > 1 {
					t.Errorf("%s: %d copies among %v", form.name, copies, names)
				}
				copied += copies
				t.Logf("%-18s %v", form.name, strings.Join(names, " "))
			}
			if c.why != "" && copied == 0 {
				t.Errorf("nothing was copied: there is no need for %q", c.why)
			}
		})
	}
}

// TestReductionsReadAsTheyLie: sums of all elements are the same bits however the tensor is seen.
func TestReductionsReadAsTheyLie(t *testing.T) {
	dev, _ := watched(t)
	x := dev.Randn(tensor.F32, 300, 7, 41)
	want := fmt.Sprint(x.Sum().Float64s())
	for _, view := range []*tensor.Tensor{x.Permute(2, 0, 1), x.Permute(1, 2, 0), x.Reshape(-1)} {
		if got := fmt.Sprint(view.Sum().Float64s()); got != want {
			t.Errorf("%v: the sum is %s, want %s", view.Layout(), got, want)
		}
	}
}

// TestManyDims: operands of more dims than kernels take are made dense first, whichever dims the operation sets apart.
func TestManyDims(t *testing.T) {
	dev, _ := watched(t)
	shape := slices.Repeat([]int{2}, 11)
	operands := func(dev *tensor.Device) (x, row, ids *tensor.Tensor) {
		f := forming{0, dev} // transposed
		return f.x(shape...), f.x(3, 2).Get(1), f.stridedIDs(shape...).Abs().Minimum(1)
	}
	for _, c := range []struct {
		name string
		run  func(x, row, ids *tensor.Tensor) *tensor.Tensor
	}{
		{"softmax", func(x, _, _ *tensor.Tensor) *tensor.Tensor { return x.Softmax(4) }},
		{"softmax of the last dim", func(x, _, _ *tensor.Tensor) *tensor.Tensor { return x.Softmax(-1) }},
		{"rms norm", func(x, row, _ *tensor.Tensor) *tensor.Tensor { return x.RmsNorm(row, 1e-5) }},
		{"sort", func(x, _, _ *tensor.Tensor) *tensor.Tensor { v, _ := x.Sort(3, true); return v }},
		{"cumsum", func(x, _, _ *tensor.Tensor) *tensor.Tensor { return x.CumSum(2) }},
		{"sum", func(x, _, _ *tensor.Tensor) *tensor.Tensor { return x.Sum(0, 3, 7) }},
		{"max pool", func(x, _, _ *tensor.Tensor) *tensor.Tensor { return x.MaxPool2d(1, 2) }},
		{"upsample", func(x, _, _ *tensor.Tensor) *tensor.Tensor { return x.UpsampleNearest2d(3, 5) }},
		{"matmul", func(x, _, _ *tensor.Tensor) *tensor.Tensor { return x.MatMul(x.T()) }},
		{"where", func(x, _, ids *tensor.Tensor) *tensor.Tensor { return ids.WhereCond(x, x.Neg()) }},
		{"copy", func(x, _, _ *tensor.Tensor) *tensor.Tensor { return x.Contiguous() }},
	} {
		t.Run(c.name, func(t *testing.T) {
			want := c.run(operands(tensor.CPU())).Float64s()
			for i, got := range c.run(operands(dev)).Float64s() {
				if math.Abs(got-want[i]) > 1e-5*(1+math.Abs(want[i])) {
					t.Fatalf("element %d: got %v, want %v", i, got, want[i])
				}
			}
		})
	}
}
