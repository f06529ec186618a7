package nn

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/internal/scope"
)

// Trainer takes the steps of a training loop. On a GPU it captures a step (loss, Backward, optimizer) as a graph, and
// replays that by one call instead of launching its kernels one by one. The bits of the result are those of TrainStep.
//
//	trainer := nn.NewTrainer(opt, func(in ...*tensor.Tensor) *tensor.Tensor { return nn.CrossEntropy(model(in[0]), in[1]) })
//	for _, b := range batches {
//		loss := trainer.Step(b.X, b.Y)
//	}
//
// A replay does not call the function: what differs from step to step must be an input, or come from the device, as
// random numbers do. The first step runs as it is. The function is called once more for each of the next two, whose
// captures must agree; if they do not, or if it waits for results, steps go on running as they are, and Graph says
// why. Steps with inputs of other shapes or dtypes have graphs of their own, up to four.
//
// Learning rates and other numbers of the optimizer may change from step to step. Where a graph cannot follow
// (MasterWeights was turned on, a state was loaded, a variable was freed), the step is captured anew. After other
// changes, of layers or of Go variables that the function reads, call Reset. A Trainer is not for several goroutines at
// the same time.
type Trainer struct {
	optimizer Optimizer
	loss      func(inputs ...*tensor.Tensor) *tensor.Tensor
	programs  []*program
	last      *program
}

// NewTrainer returns a Trainer for a loss that is a function of inputs.
func NewTrainer(o Optimizer, loss func(inputs ...*tensor.Tensor) *tensor.Tensor) *Trainer {
	return &Trainer{optimizer: o, loss: loss}
}

// maxPrograms bounds the graphs of a Trainer, each of which has memory of its own.
const maxPrograms = 4

// program is what a Trainer knows of steps with inputs of the same shapes and dtypes.
type program struct {
	signature string
	size      int              // inputs of a batch
	steps     int              // since the last change
	graph     *rocm.Graph      // the last capture
	agreed    bool             // it is replayed, since the capture before was the same
	differed  int              // captures that were not
	in        []*tensor.Tensor // where the graph reads its inputs
	out       *tensor.Tensor   // where it writes the loss
	why       error            // why there is no graph
}

// Step takes a step against the loss of these inputs, and returns the loss, in memory that later steps do not change.
// Inputs are copied to where the graph reads them.
func (t *Trainer) Step(inputs ...*tensor.Tensor) *tensor.Tensor {
	return t.StepAll([][]*tensor.Tensor{inputs})
}

// StepAll takes one step against the mean of the losses of several batches, which have equally many inputs, and returns
// that mean: AccumulateStep, by a graph on a GPU.
func (t *Trainer) StepAll(batches [][]*tensor.Tensor) *tensor.Tensor {
	const op = "train step"
	if len(batches) == 0 {
		extend.Shape(op, nil, "there are no batches")
	}
	size := len(batches[0])
	for i, b := range batches {
		if len(b) != size {
			extend.Shape(op, nil, "batch %d has %d inputs, the first %d", i, len(b), size)
		}
	}
	if size == 0 && len(batches) > 1 {
		extend.Shape(op, nil, "%d batches without inputs", len(batches))
	}
	inputs := slices.Concat(batches...)
	p := t.program(len(batches), inputs)
	p.size = size
	t.last = p
	p.steps++
	if p.why == nil && p.steps > 1 {
		if loss, ok := t.graphed(p, inputs); ok {
			return loss
		}
	}
	return t.take(p, inputs)
}

// take takes a step.
func (t *Trainer) take(p *program, inputs []*tensor.Tensor) *tensor.Tensor {
	if p.size == len(inputs) {
		return TrainStep(t.optimizer, func() *tensor.Tensor { return t.loss(inputs...) })
	}
	var losses []func() *tensor.Tensor
	for batch := range slices.Chunk(inputs, p.size) {
		losses = append(losses, func() *tensor.Tensor { return t.loss(batch...) })
	}
	return AccumulateStep(t.optimizer, losses...)
}

// graphed takes a step by a graph. It reports false when the step has still to be taken.
func (t *Trainer) graphed(p *program, inputs []*tensor.Tensor) (loss *tensor.Tensor, ok bool) {
	vars := variables(t.optimizer)
	if p.why = obstacle(t.optimizer, vars, inputs); p.why != nil || extend.Recording(vars[0].Device()) != nil {
		p.release()
		return nil, false
	}
	if !p.agreed {
		if p.why = t.capture(p, inputs); p.why != nil {
			p.release()
			return nil, false
		}
	}
	return p.replay(inputs)
}

// Graph returns the graph of the last step, or why steps like it run without one.
func (t *Trainer) Graph() (*rocm.Graph, error) {
	switch p := t.last; {
	case p == nil:
		return nil, fmt.Errorf("nn: no step was taken")
	case p.agreed:
		return p.graph, nil
	case p.why != nil:
		return nil, fmt.Errorf("nn: steps run without a graph: %w", p.why)
	default:
		return nil, fmt.Errorf("nn: no graph before the third step with inputs of the same shapes, of which %d were taken",
			p.steps)
	}
}

// Reset frees the graphs. The next steps are captured anew.
func (t *Trainer) Reset() {
	for _, p := range t.programs {
		p.release()
	}
	t.programs, t.last = nil, nil
}

// program returns the one for the inputs of so many batches.
func (t *Trainer) program(batches int, inputs []*tensor.Tensor) *program {
	var b strings.Builder
	fmt.Fprint(&b, batches, ";")
	for _, x := range inputs {
		if x != nil {
			fmt.Fprint(&b, x.Device(), x.DType(), x.Dims(), ";")
		}
	}
	signature := b.String()
	if i := slices.IndexFunc(t.programs, func(p *program) bool { return p.signature == signature }); i >= 0 {
		return t.programs[i]
	}
	p := &program{signature: signature}
	if len(t.programs) == maxPrograms {
		p.why = fmt.Errorf("there are graphs for inputs of %d other shapes", maxPrograms)
		return p
	}
	t.programs = append(t.programs, p)
	return p
}

// variables are those of an optimizer that can go on in replays; nil if it cannot.
func variables(o Optimizer) []*tensor.Tensor {
	switch o := o.(type) {
	case *AdamW:
		return o.vars
	case *Adam:
		return o.vars
	case *Lion:
		return o.vars
	case *SGD:
		return o.vars
	case *RMSprop:
		return o.vars
	case *Groups:
		var all []*tensor.Tensor
		for _, member := range o.groups {
			vars := variables(member)
			if vars == nil {
				return nil
			}
			all = append(all, vars...)
		}
		return all
	}
	return nil
}

// obstacle says why a step cannot be captured.
func obstacle(o Optimizer, vars, inputs []*tensor.Tensor) error {
	if len(vars) == 0 {
		return fmt.Errorf("the optimizer, a %T, has no variables, or its steps cannot go on in replays", o)
	}
	dev := vars[0].Device()
	if _, ok := extend.Backend(dev).(backend.GPU); !ok {
		return fmt.Errorf("%v has no graphs", dev)
	}
	for _, v := range vars {
		if v.Device() != dev {
			return fmt.Errorf("variables are on %v and %v", dev, v.Device())
		}
	}
	for i, x := range inputs {
		switch {
		case x == nil || x.Device() != dev:
			return fmt.Errorf("input %d is not on %v", i, dev)
		case extend.Tracked(x):
			return fmt.Errorf("input %d is a variable, or depends on some", i)
		}
	}
	return nil
}

// maxDiffering is the number of captures in a row that may differ.
const maxDiffering = 3

// capture captures a step, and compares it with the one before.
func (t *Trainer) capture(p *program, inputs []*tensor.Tensor) error {
	before := p.graph
	p.release()
	if err := t.record(p, inputs); err != nil {
		return err
	}
	if before == nil {
		return nil
	}
	difference := before.Difference(p.graph)
	if p.agreed = difference == ""; p.agreed {
		return nil
	}
	if p.differed++; p.differed == maxDiffering {
		return fmt.Errorf("steps differ: %s: pass what changes as an input", difference)
	}
	return nil
}

// record captures a step.
func (t *Trainer) record(p *program, inputs []*tensor.Tensor) error {
	defer scope.Enter(func(f *scope.Frame) { f.Made = nil })() // the graph outlives scopes
	if p.in == nil {
		for _, x := range inputs {
			p.in = append(p.in, x.Device().Empty(x.DType(), x.Dims()...).Kept())
		}
	}
	device := extend.Backend(variables(t.optimizer)[0].Device()).(backend.GPU).Device()
	_, err := tensor.Try(func() *tensor.Tensor {
		var err error
		p.graph, err = rocm.CaptureStep(device, func() {
			p.out = t.take(p, p.in).Kept()
		})
		if err != nil {
			panic(&tensor.Error{Op: "capture", Kind: tensor.ErrDriver, Message: err.Error(), Err: err})
		}
		return p.out
	})
	return err
}

// replay takes a step by the graph. It reports false, and drops the graph, after a change that it cannot follow.
func (p *program) replay(inputs []*tensor.Tensor) (loss *tensor.Tensor, ok bool) {
	for i, x := range inputs {
		p.in[i].CopySet(x)
	}
	err := p.graph.Replay()
	switch {
	case err == nil:
		return p.out.Copy(), true
	case !errors.Is(err, rocm.ErrInvalid):
		panic(&tensor.Error{Op: "replay", Kind: tensor.ErrDriver, Message: err.Error(), Err: err})
	}
	p.release()
	p.steps, p.differed = 1, 0
	return nil, false
}

// release frees the graph.
func (p *program) release() {
	if p.graph != nil {
		p.graph.Free()
	}
	p.graph, p.out, p.agreed = nil, nil, false
}
