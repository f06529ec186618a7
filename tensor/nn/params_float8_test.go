package nn_test

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/formats"
	"github.com/gorocm/gorocm/tensor/nn"
)

// float8File writes a matrix in F8E4M3 with scales beside a bias, and opens the file.
func float8File(t *testing.T, dt tensor.DType, dev *tensor.Device, block []int, list ...formats.Named) *nn.Params {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.safetensors")
	if err := formats.WriteSafetensors(path, list, nil); err != nil {
		t.Fatal(err)
	}
	p, err := nn.OpenParamFiles([]string{path}, dt, dev)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	p.ScaleFloat8(block)
	return p
}

// TestScaleFloat8: each element is times the scale of its block, the last of which are smaller.
func TestScaleFloat8(t *testing.T) {
	for _, dev := range devices(t) {
		for _, dt := range []tensor.DType{tensor.F32, tensor.BF16, tensor.F64} {
			for _, c := range []struct{ rows, cols, high, wide int }{{7, 9, 3, 4}, {6, 8, 3, 4}, {2, 3, 128, 128}, {1, 5, 1, 1}, {4, 2, 0, 0}} {
				x := tensor.CPU().Linspace(tensor.F32, -400, 440, c.rows*c.cols).Reshape(c.rows, c.cols).ToDType(tensor.F8E4M3)
				block, down, across := []int{c.high, c.wide}, 1, 1
				if c.high == 0 {
					block = nil
				} else {
					down, across = (c.rows+c.high-1)/c.high, (c.cols+c.wide-1)/c.wide
				}
				scale := tensor.CPU().Linspace(tensor.F32, 0.3, 1.7, down*across).Reshape(down, across)
				p := float8File(t, dt, dev, block, formats.Named{Name: "a.weight", Tensor: x}, formats.Named{Name: "a.bias", Tensor: tensor.Of(1, 2)},
					formats.Named{Name: "a.weight_scale_inv", Tensor: scale}, formats.Named{Name: "a.activation_scale", Tensor: tensor.Of(3)})
				var y *tensor.Tensor
				if err := p.Build(func() {
					y = p.Get("a.weight", []int{c.rows, c.cols}, nil)
					p.Get("a.bias", []int{2}, nil)
				}); err != nil {
					t.Fatal(err)
				}
				from, factors := x.Float64s(), scale.Float64s()
				for i, got := range y.Float64s() {
					at := 0
					if block != nil {
						at = i/c.cols/c.high*across + i%c.cols/c.wide
					}
					want := float64(float32(from[i]) * float32(factors[at]))
					if dt == tensor.BF16 {
						want = tensor.Of(want).ToDType(dt).Float64s()[0]
					}
					if got != want || y.DType() != dt {
						t.Fatalf("%v %v %+v: element %d is %v, want %v", dev, dt, c, i, got, want)
					}
				}
			}
		}
	}
}

// TestScaleFloat8Strips: matrices that are more than a strip.
func TestScaleFloat8Strips(t *testing.T) {
	thorough.Slow(t)
	const cols = 1 << 20
	x := tensor.CPU().Ones(tensor.F32, 37, cols).ToDType(tensor.F8E4M3)
	scale := tensor.CPU().Linspace(tensor.F32, 1, 8, 8).Reshape(8, 1)
	p := float8File(t, tensor.BF16, tensor.CPU(), []int{5, cols}, formats.Named{Name: "w", Tensor: x},
		formats.Named{Name: "w_scale_inv", Tensor: scale})
	for i, got := range p.Get("w", []int{37, cols}, nil).ToDType(tensor.F32).Mean(1).Float64s() {
		if math.Abs(got-float64(1+i/5)) > 1e-3 {
			t.Errorf("row %d is %v", i, got)
		}
	}
}

// TestScaleFloat8Faults: no scale is made up.
func TestScaleFloat8Faults(t *testing.T) {
	x := tensor.CPU().Ones(tensor.F32, 4, 6).ToDType(tensor.F8E4M3)
	scale := func(dims ...int) *tensor.Tensor { return tensor.CPU().Ones(tensor.F32, dims...) }
	for _, c := range []struct {
		block []int
		x     *tensor.Tensor
		name  string
		scale *tensor.Tensor
		want  string
	}{
		{[]int{2, 4}, x, "other", scale(2, 2), "w: its elements, of shape [4 6], are f8e4m3, and there are no scales w_scale_inv"},
		{[]int{2, 4}, x, "w_scale", scale(2, 2), "1 unexpected: w_scale"},
		{[]int{2, 4}, x, "w_scale_inv", scale(2, 1), "w_scale_inv have shape [2 1]: want [2 2], for shape [4 6] in blocks of [2 4]"},
		{[]int{2, 4}, x, "w_scale_inv", scale(), "want [2 2]"},
		{nil, x, "w_scale_inv", scale(4, 1), "w_scale_inv have shape [4 1]: want [1 1], for shape [4 6] in blocks of [4 6]"},
		{[]int{2, 4}, x.ToDType(tensor.BF16), "w_scale_inv", scale(2, 2), "there are scales w_scale_inv, and its elements are bf16, not f8e4m3"},
		{[]int{2, 4}, x.Reshape(1, 4, 6), "w_scale_inv", scale(1, 2, 2), "shape [1 4 6]: want a matrix"},
		{[]int{2, 4}, scale(0, 6).ToDType(tensor.F8E4M3), "w_scale_inv", scale(0, 2), "shape [0 6]: want a matrix"},
		{[]int{2, 4}, x, "w_scale_inv", scale(2, 2).ToDType(tensor.U8), "w_scale_inv are u8: want f32"},
		{[]int{2, 4}, x, "v_scale_inv", scale(2, 2), "1 unexpected: v_scale_inv"},
	} {
		p := float8File(t, tensor.F32, tensor.CPU(), c.block, formats.Named{Name: "w", Tensor: c.x}, formats.Named{Name: c.name, Tensor: c.scale})
		err := p.Build(func() {
			if p.GetPacked("w", c.x.Dims()...) != nil {
				t.Errorf("%s: packed", c.want)
			}
			p.Get("w", c.x.Dims(), nil)
		})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want …%s…", err, c.want)
		}
	}
	if err := tensor.Catch(func() error { nn.NewParams(tensor.F32, tensor.CPU()).ScaleFloat8([]int{0, 128}); return nil }); err == nil {
		t.Error("blocks without rows")
	}
}

// TestScaleFloat8Adapters: adapters are added to scaled matrices, and not to others.
func TestScaleFloat8Adapters(t *testing.T) {
	x := tensor.CPU().Linspace(tensor.F32, -4, 4, 12).Reshape(4, 3).ToDType(tensor.F8E4M3)
	list := []formats.Named{{Name: "a.weight", Tensor: x}, {Name: "a.weight_scale_inv", Tensor: tensor.Of(0.5)}}
	p := float8File(t, tensor.F32, tensor.CPU(), nil, list...)
	config := nn.DefaultLoRA("a")
	config.Rank = 2
	lora := nn.NewLoRA(config, tensor.F32, tensor.CPU())
	layer := nn.NewLinearNoBias(3, 4, p.Adapt(lora).At("a"))
	for _, v := range lora.Params().Vars() {
		v.Set(v.RandnLike())
	}
	rows := tensor.CPU().Linspace(tensor.F32, -1, 1, 6).Reshape(2, 3)
	got := rows.MatMul(lora.Merged(p).Get("a.weight", []int{4, 3}, nil).T())
	if d := got.Sub(layer.Forward(rows)).Abs().Max().ToScalar(); d > 1e-5 || layer.Weight.Sub(x.ToDType(tensor.F32).Mul(0.5)).Abs().Max().ToScalar() != 0 {
		t.Errorf("merged, the rows differ by %v", d)
	}
	late := lora.Merged(nn.ParamsOf(list, tensor.F32, tensor.CPU()))
	late.ScaleFloat8(nil)
	if _, err := tensor.Try(func() *tensor.Tensor { return late.Get("a.weight", []int{4, 3}, nil) }); err == nil ||
		!strings.Contains(err.Error(), "ScaleFloat8 comes before Merged") {
		t.Errorf("scaled after adapters were added: %v", err)
	}
}
