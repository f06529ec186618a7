package repl

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn/train"
)

// TestInterruptedRun: a cell that trains shows a bar, is interrupted, and has written a checkpoint from which the next
// one goes on.
func TestInterruptedRun(t *testing.T) {
	thorough.Slow(t)
	for _, device := range []string{"cpu", "rocm"} {
		t.Run(device, func(t *testing.T) {
			if _, err := tensor.NewDevice(device); err != nil {
				t.Skip(err)
			}
			folder := filepath.ToSlash(filepath.Join(t.TempDir(), "run"))
			s := newSession(t)
			mustRun(t, s, `dev := Device("`+device+`")
p := nn.NewParams(tensor.F32, dev)
layer := nn.NewLinear(2, 1, p)
x := dev.Randn(tensor.F32, 12, 2)
run := train.Config{
	Data: train.NewLoader(train.Tensors(x, x.SumKeepDim(1)), train.LoaderOptions{Batch: 4}), Params: p,
	Optimizer: nn.NewSGD(p.Vars(), 0.01), Steps: 1 << 40, Folder: "`+folder+`", Resume: true, SaveEvery: 1 << 40, EvaluateEvery: 1 << 40,
	Loss: func(b ...*tensor.Tensor) *tensor.Tensor { return nn.Mse(layer.Forward(b[0]), b[1]) },
	Each: func(e train.Event) error { if e.Step == 5 { fmt.Println("five") }; return nil }, LookEvery: 1,
};`)
			var text strings.Builder
			r := s.Eval(context.Background(), Request{Code: `train.Fit(run)`}, func(e Event) {
				text.WriteString(e.Text + e.Data.Text())
				if strings.Contains(e.Text, "five") {
					s.Interrupt()
				}
			})
			if r.Err == nil || !strings.Contains(r.Err.Name+r.Err.Message, "nterrupted") || !strings.Contains(text.String(), "training ") {
				t.Fatalf("%+v, shown %q", r.Err, text.String())
			}
			list, err := train.Checkpoints(folder)
			if err != nil || device == "cpu" && len(list) != 1 {
				t.Fatal(list, err)
			}
			mustRun(t, s, `run.Steps = 100000
run.Each = func(e train.Event) error { return train.ErrStop }
h := train.Fit(run)
if h.Step != h.Events[0].Step || h.Ended != "stop" || len(h.Events) != 1 { panic(h.Step) }
fmt.Println(h.Step);`)
		})
	}
}
