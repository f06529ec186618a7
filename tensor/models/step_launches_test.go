package models_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/access"
	"github.com/gorocm/gorocm/tensor/internal/gpu"
	"github.com/gorocm/gorocm/tensor/models"
	"github.com/gorocm/gorocm/tensor/nn"
)

// trainingLaunches are the kernels of a training step of a GPT with two layers in BF16, loss and gradients.
var trainingLaunches = []struct {
	kernel string
	count  int
	what   string
}{
	{"matmul_bf16", 27, "9 products forward, and two for the gradients of each"},
	{"copy_b16", 6, "attention's results as rows; gradients of queries, keys and values side by side"},
	{"fill_b16", 2, "rows of the embedding without a token, the loss's gradient"},
	{"add_bf16", 8, "positions, biases of projections, gradients of what is used twice"},
	{"sum_columns_bf16", 8, "gradients of biases"},
	{"fused_add_add", 4, "biases and residuals"},
	{"layer_norm_bf16", 5, "layer norms"},
	{"layer_norm_gradient_8_8_bf16", 5, "their gradients, and for parameters sums over some of the rows"},
	{"norm_parameters_bf16", 5, "the sums of those"},
	{"fused_add_gelu", 2, "biases and gelu"},
	{"fused_f32_add_f32_sqr_affine_mul_tanh_and_10_more", 2, "their gradient"},
	{"attention_64_bf16", 2, "attention"},
	{"attention_dot_bf16", 2, "for its gradients, products of results and their gradients"},
	{"attention_keys_64_bf16", 2, "the gradients of keys and values"},
	{"attention_queries_64_bf16", 2, "those of queries"},
	{"index_select_u32_b16", 1, "the embedding"},
	{"sort_tiles_u32", 1, "tokens in order"},
	{"select_gradient_u32_bf16", 1, "the gradient of the embedding"},
	{"fused_add_sum", 1, "the gradient of the positions"},
	{"cross_entropy_bf16", 1, "the loss of each token"},
	{"cross_entropy_total_bf16", 1, "their mean"},
	{"cross_entropy_gradient_bf16", 1, "the gradient of the logits"},
}

// TestTrainingLaunches counts the launches of a training step without its optimizer, by kernels. Chains of elementwise
// operations are compiled when they are first met.
func TestTrainingLaunches(t *testing.T) {
	thorough.Slow(t)
	t.Setenv("GOROCM_FUSE", "wait")
	device, dev := compilingDevice(t)
	p := nn.NewParams(tensor.BF16, dev)
	m, err := models.NewGPT(models.GPTConfig{Vocab: 64, Context: 16, Dim: 32, Layers: 2, Heads: 2}, p)
	if err != nil {
		t.Fatal(err)
	}
	ids := dev.Arange(tensor.U32, 32).Reshape(2, 16)
	targets := ids.Flip(1)
	step := func() {
		grads := m.Loss(ids, targets).Backward()
		for _, v := range p.Vars() {
			grads.Get(v).Contiguous() // has no copy to make
		}
		dev.Synchronize()
	}
	step()
	got := map[string]int{}
	device.OnLaunch = func(kernel string) { got[kernel]++ }
	step()
	device.OnLaunch = nil
	total := 0
	for _, k := range trainingLaunches {
		if got[k.kernel] != k.count {
			t.Errorf("%d launches of %s for %s, want %d", got[k.kernel], k.kernel, k.what, k.count)
		}
		total += k.count
	}
	var more []string
	for _, k := range trainingLaunches {
		delete(got, k.kernel)
	}
	for kernel, n := range got {
		more = append(more, fmt.Sprintf("%4d %s", n, kernel))
		total += n
	}
	slices.Sort(more)
	if len(more) > 0 {
		t.Errorf("%d launches; not in the table:\n%s", total, strings.Join(more, "\n"))
	}
}

// compilingDevice is the emulated GPU, where it has a compiler.
func compilingDevice(t *testing.T) (*gpu.Backend, *tensor.Device) {
	b, err := gpu.Open("rocm:0")
	if err != nil {
		t.Skip(err)
	}
	device := b.(*gpu.Backend)
	if !device.Device().CanCompile() || device.Device().Info().Platform != rocm.Emulated {
		t.Skip("needs the emulated GPU, and a compiler for it")
	}
	dev := access.NewDevice("rocm", "rocm:0 ("+t.Name()+")", b).(*tensor.Device)
	return device, dev
}

// TestTrainingStep compares kernels.TrainingStep with what steps launch: of a small GPT, and of one with rows, and a
// batch, of usual sizes.
func TestTrainingStep(t *testing.T) {
	thorough.Slow(t)
	t.Setenv("GOROCM_FUSE", "wait")
	for _, dt := range thorough.Sample([]tensor.DType{tensor.BF16, tensor.F16, tensor.F32}, 3, 0) {
		t.Run(dt.String(), func(t *testing.T) {
			device, dev := compilingDevice(t)
			var got []string
			device.OnLaunch = func(kernel string) {
				common := slices.Contains(kernels.FirstPages, kernel) || slices.Contains(got, kernel)
				if !common && !strings.HasPrefix(kernel, "fused_") && !strings.Contains(kernel, " ") {
					got = append(got, kernel)
				}
			}
			for _, c := range []struct{ dim, context, layers int }{{768, 16, 1}, {32, 16, 1}} {
				p := nn.NewParams(dt, dev)
				m, err := models.NewGPT(models.GPTConfig{Vocab: 64, Context: c.context, Dim: c.dim, Layers: c.layers,
					Heads: max(1, c.dim/64)}, p)
				if err != nil {
					t.Fatal(err)
				}
				ids := dev.Arange(tensor.U32, 32).Reshape(2, 16)
				nn.TrainStep(nn.NewAdamW(p.Vars(), nn.DefaultAdamW()), func() *tensor.Tensor { return m.Loss(ids, ids) })
			}
			table := tensor.NewVar(dev.Ones(dt, 64, 8))
			table.IndexSelect(dev.Zeros(tensor.U32, 8192), 0).Sum().Backward()
			rows, row := dev.Ones(dt, 2048, 768), dev.Ones(dt, 768)
			rows.LayerNorm(row, row, 1e-5).Float64s()
			row.Gelu().Float64s()
			device.OnLaunch = nil
			want := slices.DeleteFunc(kernels.TrainingStep(dt), func(k string) bool {
				return slices.Contains(kernels.FirstPages, k)
			})
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("TrainingStep in kernels/common.go is %q, but steps launch %q", want, got)
			}
		})
	}
}
