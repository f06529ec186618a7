package optim

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// live is the memory from which the launches of a captured step read their numbers, so that a replay has those of its
// own step. It is nil outside of captures.
type live struct {
	memory *rocm.Buffer
	offset int
	late   map[int]*live // of variables that have taken so many steps less
}

// of returns the numbers for variables that have taken so many steps less.
func (l *live) of(late int) *live {
	if l == nil || late == 0 {
		return l
	}
	return l.late[late]
}

// Next is what a replay asks an optimizer for: Check whether the step has changed in what the graph cannot follow, and
// Step to count a step. Both return what it does.
type Next struct {
	Check func() (Plan, error)
	Step  func() Plan
}

// record returns the live numbers of a step that is being captured: before each replay they become those of next.
func (s *Steps) record(op string, list []*batch, plan Plan, next Next) *live {
	for _, b := range list {
		c := extend.Recording(b.dev)
		if c == nil {
			continue
		}
		if len(list) > 1 && slices.ContainsFunc(list, func(o *batch) bool { return o.dev != b.dev }) {
			extend.Fail(op, tensor.ErrDevice, nil, "", "variables are on %v and other devices, and a graph has one", b.dev)
		}
		controls := maps.Clone(s.controls)
		c.BeforeReplay(func() error { return s.check(plan, controls, next) })
		var now Plan // of the replay
		parameter := func(late int) *live {
			memory, offset, err := c.Parameter(8*kernels.LiveCount, func(to []byte) error {
				if late == 0 {
					now = next.Step()
				}
				plan := now
				plan.Rule = later(now.Rule, late)
				plan.write(to)
				return nil
			})
			extend.Check(op, b.dev, err)
			return &live{memory, offset, map[int]*live{}}
		}
		all := parameter(0) // the first one, which counts the step
		for _, b := range list {
			if b.late != 0 && all.late[b.late] == nil {
				all.late[b.late] = parameter(b.late)
			}
		}
		return all
	}
	return nil
}

// fail says that the state of an optimizer would begin anew in each replay.
func fail(op, text string) {
	extend.Fail(op, tensor.ErrMemory, nil, "take a step before the capture",
		"%s, and each replay would begin with none", text)
}

// CheckCapture panics when the state of an optimizer would be made in a capture on a device.
func CheckCapture(op string, dev *tensor.Device) {
	if extend.Recording(dev) != nil {
		fail(op, "the optimizer has no state yet")
	}
}

// check says why the next step cannot be that of the graph, in which it was captured.
func (s *Steps) check(was Plan, controls map[*tensor.Device]*tensor.Tensor, next Next) error {
	plan, err := next.Check()
	switch {
	case err != nil:
		return err
	case !maps.Equal(controls, s.controls):
		return Changed("the optimizer's count of skipped steps began anew")
	case plan.counts() != was.counts() || plan.Before.SkipNotFinite != was.Before.SkipNotFinite:
		return Changed("ClipNorm or SkipNotFinite was turned on or off")
	case plan.Before.Factor != was.Before.Factor:
		return Changed(fmt.Sprintf("the scale of gradients is %v and was %v, and the graph has the loss of that",
			1/plan.Before.Factor, 1/was.Before.Factor))
	case !slices.Equal(plan.Rule.settings(), was.Rule.settings()):
		return Changed("Nesterov was turned on or off")
	}
	return nil
}

// write writes the numbers of a step.
func (plan Plan) write(to []byte) {
	var numbers [kernels.LiveCount]float64
	numbers[kernels.LiveFactor], numbers[kernels.LiveLimit] = plan.Before.Factor, plan.Before.Value
	numbers[kernels.LiveNorm] = plan.Before.Norm
	copy(numbers[kernels.LiveRule:kernels.LiveNorm], plan.Rule.numbers())
	if a, ok := plan.Rule.(AdamW); ok {
		numbers[kernels.LiveBeta1], numbers[kernels.LiveBeta2] = a.Beta1, a.Beta2
		numbers[kernels.LiveSteps] = float64(a.Steps)
	}
	for i, x := range numbers {
		binary.NativeEndian.PutUint64(to[8*i:], math.Float64bits(x))
	}
}

// Changed is the error of a replay after something changed that its graph cannot follow.
func Changed(what string) error {
	return &rocm.Error{Op: "replay", Text: what + " since the capture", Kind: rocm.ErrInvalid, Detail: "capture again"}
}

// add adds the address of the live numbers, or 0, and numbers.
func (l *live) add(args *rocm.Args, numbers ...float64) *rocm.Args {
	if l == nil {
		args.U64(0)
	} else {
		args.Buffer(l.memory, l.offset)
	}
	return l.numbers(args, numbers...)
}

// numbers adds numbers; in a capture, where they are not used, 0 for each, so that two captures are the same.
func (l *live) numbers(args *rocm.Args, numbers ...float64) *rocm.Args {
	for _, x := range numbers {
		if l != nil {
			x = 0
		}
		args.F64(x)
	}
	return args
}

// steps is the number of steps of grad_control.
func (l *live) steps(a AdamW) uint64 {
	if l != nil {
		return 0
	}
	return uint64(a.Steps)
}
