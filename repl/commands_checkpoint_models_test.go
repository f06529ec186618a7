package repl

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
)

// training is a session that trains a model.
const training = `
import moreoptim "github.com/gorocm/gorocm/tensor/nn/optim"
dev := Device("DEVICE")
dev.SetSeed(3)
p := nn.NewParams(tensor.F32, dev)
lora := nn.NewLoRA(nn.DefaultLoRA("q_proj"), tensor.F32, dev)
adapted := nn.NewLinear(4, 4, nn.NewParams(tensor.F32, dev).Adapt(lora).At("q_proj"))
first, second := nn.NewLinear(4, 8, p.At("first")), nn.NewLinear(8, 2, p.At("second"))
norm := nn.NewBatchNorm(8, tensor.F32, dev)
opt := OPTIMIZER
ema, plateau, scaler := nn.NewEMA(p.Vars(), 0.9), nn.NewPlateau(opt, nn.DefaultPlateau()), nn.NewScaler(opt, nn.DefaultScaler())
rates := nn.Sequence([]int{2, 4}, nn.Warmup(0.1, 2, nn.CosineDecay(0.1, 0, 9)), nn.Constant(0.05),
	nn.MultiStepDecay(0.1, 0.5, 3, 5))
steps := 0
func step() float64 {
	opt.SetLearningRate(rates(steps))
	steps++
	x := dev.Randn(tensor.F32, 16, 4)
	loss := second.Forward(norm.ForwardT(first.Forward(adapted.Forward(x)), true).Gelu()).Sqr().Mean()
	nn.BackwardStep(opt, scaler.Loss(loss))
	scaler.Update()
	ema.Update()
	plateau.Step(loss.ToScalar())
	return loss.ToScalar()
}
func trained(n int) string {
	var list []float64
	for range n { list = append(list, step()) }
	return fmt.Sprint(list, p.Get("first.weight", []int{8, 4}, nil).Sum().ToScalar(), ema.Means()[0].Sum().ToScalar(), plateau.State(), steps)
}
`

// TestCheckpointTraining: a training that is restored goes on to the same bits, on every device.
func TestCheckpointTraining(t *testing.T) {
	optimizers := []string{
		"nn.NewAdamW(p.Vars(), nn.DefaultAdamW())",
		"nn.NewSGD(p.Vars(), 0.1)",
		`nn.NewGroups(nn.NewAdam(p.At("first").Vars(), nn.DefaultAdam()), nn.NewLion(p.At("second").Vars(), nn.DefaultLion()))`,
		"nn.NewRMSprop(p.Vars(), nn.DefaultRMSprop())",
		"nn.NewAdagrad(p.Vars(), nn.DefaultAdagrad())",
		"nn.NewAdafactor(p.Vars(), nn.DefaultAdafactor())",
		"nn.NewMuon([]*tensor.Tensor{first.Weight, second.Weight}, nn.DefaultMuon())",
		"moreoptim.NewASGD(p.Vars(), moreoptim.DefaultASGD())",
		"moreoptim.NewRprop(p.Vars(), moreoptim.DefaultRprop())",
		"moreoptim.NewNAdam(p.Vars(), moreoptim.DefaultNAdam())",
		"moreoptim.NewRAdam(p.Vars(), moreoptim.DefaultRAdam())",
		"moreoptim.NewAdadelta(p.Vars(), moreoptim.DefaultAdadelta())",
	}
	for i, optimizer := range thorough.Sample(optimizers, 5, 0) {
		for _, device := range []string{"cpu", "rocm"} {
			if device == "rocm" && i > 0 && !thorough.On() {
				continue
			}
			t.Run(device+" "+optimizer, func(t *testing.T) { trainOn(t, device, optimizer) })
		}
	}
}

func trainOn(t *testing.T, device, optimizer string) {
	path := filepath.Join(t.TempDir(), "c")
	s := newSession(t)
	s.earlier = nil // which an earlier session of this process has opened
	cells := strings.NewReplacer("DEVICE", device, "OPTIMIZER", optimizer).Replace(training)
	for _, cell := range []string{cells, "trained(3)", "%checkpoint " + path} {
		if out, r := run(t, s, cell); r.Err != nil || strings.Contains(out, "not kept") {
			t.Fatalf("%+v %s", r.Err, out)
		}
	}
	want, _ := run(t, s, "trained(4)")
	s = newSession(t)
	if out, r := run(t, s, "%restore "+path); r.Err != nil || !strings.Contains(out, "restored: ") {
		t.Fatalf("%+v %s", r.Err, out)
	}
	got, r := run(t, s, "trained(4)")
	if r.Err != nil || got != want || !strings.Contains(got, " 7") {
		t.Errorf("%+v\n%s, want\n%s", r.Err, got, want)
	}
	if out, _ := run(t, s, `any(p.Vars()[0]) == any(first.Weight)`); strings.TrimSpace(out) != "true" {
		t.Errorf("layers and parameters have not the same variables: %s", out)
	}
}

// library are cells that make values of gorocm's packages and of Go's library, and what each of them is asked.
const library = `
import "github.com/gorocm/gorocm/tensor/tokenizers"
import mr "math/rand/v2"
import "github.com/gorocm/gorocm/tensor/nn/train"
dev := Device("rocm")
f := frame.New("name", []string{"a", "b", "a"}, "n", []int{1, 2, 3}, "x", []float32{1.5, 2.5, -1})
c := f.Col("name")
m := sparse.FromDense(dev.Eye(tensor.F32, 3))
mt := m.T()
q := quant.Quantize(tensor.CPU().Linspace(tensor.F32, -1, 1, 64).Reshape(2, 32), quant.Q8_0)
g := random.New(7)
g.Normal(0, 1, []int{5}, tensor.F32, tensor.CPU())
tk, err := tokenizers.TrainBPE([]string{"hello hello world", "hell"}, tokenizers.BPETraining{Size: 262, Special: []string{"<s>"}})
chart := display.Line([]float64{1, 2, 3}).Title("t").Bar([]string{"a", "b"}, []int{1, 2})
picture := display.Imshow(tensor.CPU().Eye(tensor.F32, 4))
var buf bytes.Buffer
buf.WriteString("hello")
buf.ReadByte()
var sb strings.Builder
sb.WriteString("built")
rng := mr.New(mr.NewPCG(1, 2))
rng.IntN(9)
conf := train.NewConfusion(2)
cache := nn.NewCache(1, 8)
points := dev.Randn(tensor.F32, 20, 2)
tree := spatial.NewKDTree(points)
spline := interpolate.CubicSpline(tensor.Of(0, 1, 2, 3), tensor.Of(0, 1, 4, 9), interpolate.SplineOptions{})
attention := nn.NewMultiheadAttention(8, 2, nn.NewParams(tensor.F32, dev))
layers := map[string]any{"conv": nn.NewConv2d(1, 2, 3, nn.ConvConfig{}, nn.NewParams(tensor.F32, dev))}
`

var libraryAsked = []string{
	"f", "c", "any(c) == any(f.Col(\"name\"))", "m.ToDense()", "m.MatMul(dev.Ones(tensor.F32, 3))",
	"mt.T().ToDense().Sum()", "q.Dequantize(tensor.CPU())", "q", "g.Normal(0, 1, []int{3}, tensor.F32, tensor.CPU())", "g.State()",
	`tk.Encode("hello world")`, "fmt.Sprint(chart)", "chart", "picture", "buf.String()", "fmt.Sprint(buf.UnreadByte(), buf.String())", "sb.WriteString(\"!\"); sb.String()",
	"rng.IntN(1000)", "conf", "attention.InProj.Forward(dev.Ones(tensor.F32, 1, 8)).Sum()",
	`layers["conv"].(*nn.Conv2d).Forward(dev.Ones(tensor.F32, 1, 1, 5, 5)).Sum()`, "err == nil", "cache",
	"tree.QueryPairs(0.5)", "d, _ := tree.Query(dev.Ones(tensor.F32, 3, 2), 2); d", "spline.At(tensor.Of(0.5, 2.5))",
}

// TestCheckpointLibrary: values of packages whose fields are their own are as they were.
func TestCheckpointLibrary(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c")
	s := newSession(t)
	for _, cell := range []string{library, "%checkpoint " + path} {
		if out, r := run(t, s, cell); r.Err != nil || strings.Contains(out, "not kept") {
			t.Fatalf("%+v %s", r.Err, out)
		}
	}
	other := newSession(t)
	if out, r := run(t, other, "%restore "+path); r.Err != nil || !strings.Contains(out, "restored: ") {
		t.Fatalf("%+v %s", r.Err, out)
	}
	for _, cell := range libraryAsked {
		want, before := run(t, s, cell)
		got, r := run(t, other, cell)
		if before.Err != nil || r.Err != nil || got != want || want == "" {
			t.Errorf("%s: %+v, %+v\n%s, want\n%s", cell, r.Err, before.Err, got, want)
		}
	}
}
