// Command parallel times training steps of a GPT of 124 M parameters in bf16, of which each process takes a batch of
// its own: alone, and with a second GPU, where the gradients are averaged beside Backward. It is a script as well:
//
//	gorocm run bench/gpu/parallel/main.go
//	gorocm launch --nproc 2 bench/gpu/parallel/main.go
//
// Rank 0 prints the tokens a second of all processes. GOROCM_DEVICE names the kind of device, cuda or rocm;
// PARALLEL_SMALL=1 takes a model of two small layers, to try the program.
package main

import (
	"fmt"
	"os"
	"time"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/distributed"
	"github.com/gorocm/gorocm/tensor/models"
	"github.com/gorocm/gorocm/tensor/nn"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	kind := os.Getenv("GOROCM_DEVICE")
	if kind == "" {
		kind = "rocm"
	}
	p, err := distributed.Environment()
	if err != nil {
		return err
	}
	dev, err := tensor.NewDevice(fmt.Sprintf("%s:%d", kind, p.LocalRank))
	if err != nil {
		return err
	}
	g, err := p.Join(dev)
	if err != nil {
		return err
	}
	defer g.Close()
	c := models.GPTConfig{Vocab: 50304, Context: 1024, Dim: 768, Layers: 12, Heads: 12}
	batch, warm, timed := 8, 5, 30
	if os.Getenv("PARALLEL_SMALL") != "" {
		c = models.GPTConfig{Vocab: 256, Context: 16, Dim: 32, Layers: 2, Heads: 2}
		batch, warm, timed = 2, 1, 2
	}
	dev.SetSeed(uint64(p.Rank + 1))
	params := nn.NewParams(tensor.BF16, dev)
	m, err := models.NewGPT(c, params)
	if err != nil {
		return err
	}
	ids := dev.Rand(tensor.F32, batch, c.Context+1).Mul(c.Vocab).ToDType(tensor.U32)
	x, y := ids.Narrow(1, 0, c.Context).Contiguous(), ids.Narrow(1, 1, c.Context).Contiguous()
	dp := distributed.NewDataParallel(g, params.Vars())
	opt := nn.NewAdamW(params.Vars(), nn.DefaultAdamW())
	step := func() *tensor.Tensor {
		loss := tensor.Scoped(func() *tensor.Tensor { return m.Loss(x, y) })
		opt.Step(dp.Backward(loss))
		return loss.Detach()
	}
	first := step().Float64s()[0]
	for range warm {
		step()
	}
	dev.Synchronize()
	start := time.Now()
	var loss *tensor.Tensor
	for range timed {
		loss = step()
	}
	last := loss.Float64s()[0]
	taken := time.Since(start)
	if p.Rank == 0 {
		by := g.Library().Name
		if by == "" {
			by = "copies"
		}
		tokens := float64(batch * c.Context * timed * p.World)
		fmt.Printf("%d processes by %s: %.2f ms a step, %.0f tokens/s; the loss went from %.3f to %.3f\n", p.World,
			by, taken.Seconds()*1000/float64(timed), tokens/taken.Seconds(), first, last)
	}
	return nil
}
