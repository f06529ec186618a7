package train

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
	"github.com/gorocm/gorocm/tensor/random"
)

// Config is a run: what Fit does. Data, Params, Optimizer, Loss, and Epochs or Steps must be set.
type Config struct {
	Data      *Loader
	Params    *nn.Params // what checkpoints hold
	Optimizer nn.Optimizer
	// Loss is the loss of a batch, a scalar. On a GPU steps become a graph: see nn.Trainer for what it must not do.
	Loss func(batch ...*tensor.Tensor) *tensor.Tensor

	Epochs, Steps int         // the run ends with whichever comes first; 0 is no end
	Accumulate    int         // batches of a step, whose losses weigh the same; 0 stands for 1
	Schedule      nn.Schedule // learning rates by step, from 0; nil leaves that of the optimizer
	Plateau       *nn.Plateau // takes Metric after each evaluation
	// Autocast is the type in which Loss computes products, F16 or BF16: see nn.Autocast. nil is that of the operands.
	Autocast *tensor.DType
	Scaler   *nn.Scaler // of losses of F16
	EMA      *nn.EMA    // updated after each step; Evaluate sees the averages in place of the variables

	// Evaluate returns numbers by name, such as those of metrics over other data. It runs without gradients.
	Evaluate      func() (map[string]float64, error)
	EvaluateEvery int // steps between evaluations; 0 evaluates after each epoch
	// Metric is the number that says how good the run is: a name of Evaluate, or "loss" for the mean loss of the steps
	// since the last evaluation, which "" stands for.
	Metric   string
	Maximize bool    // Metric is to grow, as an accuracy is
	Patience int     // the run ends after so many evaluations in a row without a better one; 0 is no end
	MinDelta float64 // by how much a better one is better at least

	Folder    string // for checkpoints; "" writes none
	SaveEvery int    // steps between checkpoints; 0 writes one after each epoch
	Keep      int    // how many of the last checkpoints are kept, beside the best one; 0 stands for 3
	Resume    bool   // goes on from the last checkpoint in Folder, if there is one
	// Random are generators that the run draws from: checkpoints hold where they are. Those of the host and of the
	// devices of Params need not be named.
	Random []*random.Generator

	Log     string              // a file for what happens, one line a step: .jsonl or .csv
	Each    func(e Event) error // called for each event in order; an error ends the run, ErrStop without an error
	Monitor Monitor             // shows the run while it goes on; nil stands for that of the session
	Quiet   bool                // nothing is shown
	// LookEvery is the number of steps between looks at their losses, each of which waits for the device. 0 looks at
	// each step on the host and at every 16th on a GPU.
	LookEvery int
	Context   context.Context // when it is done, the run ends as if it was interrupted; nil is none
}

var (
	// ErrStop is what Each returns to end a run that is good enough.
	ErrStop = errors.New("train: the run is to end")
	// ErrInterrupted is the error of a run that was interrupted. If there is a Folder, a checkpoint was written, from
	// which Resume goes on.
	ErrInterrupted = errors.New("train: interrupted")
	// ErrNotFinite is the error of a run whose loss became infinite or NaN.
	ErrNotFinite = errors.New("train: the loss is not finite")
)

// check says what is wrong with a Config, and sets what 0 stands for.
func (c *Config) check() error {
	for _, need := range []struct {
		name    string
		missing bool
	}{
		{"Data", c.Data == nil}, {"Params", c.Params == nil}, {"Optimizer", c.Optimizer == nil}, {"Loss", c.Loss == nil},
	} {
		if need.missing {
			return fmt.Errorf("train: Config has no %s", need.name)
		}
	}
	for _, n := range []struct {
		name  string
		value int
	}{
		{"Epochs", c.Epochs}, {"Steps", c.Steps}, {"Accumulate", c.Accumulate}, {"EvaluateEvery", c.EvaluateEvery},
		{"Patience", c.Patience}, {"SaveEvery", c.SaveEvery}, {"Keep", c.Keep}, {"LookEvery", c.LookEvery},
	} {
		if n.value < 0 {
			return fmt.Errorf("train: %s is %d", n.name, n.value)
		}
	}
	switch {
	case c.Epochs == 0 && c.Steps == 0:
		return fmt.Errorf("train: Config has neither Epochs nor Steps: the run would not end")
	case !(c.MinDelta >= 0) || math.IsInf(c.MinDelta, 0):
		return fmt.Errorf("train: MinDelta is %v", c.MinDelta)
	case c.Resume && c.Folder == "":
		return fmt.Errorf("train: Resume needs a Folder with checkpoints")
	case c.Metric != "" && c.Metric != lossMetric && c.Evaluate == nil:
		return fmt.Errorf("train: Metric is %q, and there is no Evaluate that returns it", c.Metric)
	case c.Schedule != nil && c.Plateau != nil:
		return fmt.Errorf("train: Schedule and Plateau both set the learning rate: want one of them")
	case c.Log != "" && !slices.Contains([]string{".jsonl", ".csv"}, filepath.Ext(c.Log)):
		return fmt.Errorf("train: %s: a log is a file .jsonl or .csv", c.Log)
	}
	if c.Folder != "" {
		if _, ok := c.Optimizer.(stateful); !ok {
			return fmt.Errorf("train: a %T has no methods Save and Load, so checkpoints cannot hold it", c.Optimizer)
		}
	}
	c.Accumulate, c.Keep = max(c.Accumulate, 1), cmp.Or(c.Keep, 3)
	if c.Metric == "" {
		c.Metric = lossMetric
	}
	if c.LookEvery == 0 {
		if c.LookEvery = 16; c.Params.Device().IsCPU() || c.Scaler != nil {
			c.LookEvery = 1
		}
	}
	if c.Context == nil {
		c.Context = context.Background()
	}
	return nil
}

const lossMetric = "loss"
