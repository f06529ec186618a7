package optim

import (
	"math"
	"slices"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// Before is what a step does with gradients before the rule: they are multiplied by Factor, then scaled down so that
// their Euclidean norm, over all variables, is at most Norm, then clamped to ±Value.
type Before struct {
	Factor, Norm, Value float64
	// a gradient that is infinite or NaN makes the step change nothing, nor count as one
	SkipNotFinite bool
}

// Unchanged leaves gradients as they are.
var Unchanged = Before{Factor: 1, Norm: math.Inf(1), Value: math.Inf(1)}

// Steps takes the steps of an optimizer. The zero value is ready. It keeps on every device what only the device knows:
// how many steps were skipped.
type Steps struct {
	controls map[*tensor.Device]*tensor.Tensor // F64, of kernels.ControlCount numbers
}

// control is what a step on the host knows of the gradients, and the numbers of its rule.
type control struct {
	factor, limit float64
	skip          bool
	skipped       int
	numbers       []float64
}

// Plan is what a step does with gradients and variables.
type Plan struct {
	Rule   Rule
	Before Before
	// gradients that other steps use, which count for the norm and for faults as those of the slots do
	Also []*tensor.Tensor
}

// counts reports whether a step needs the norm of all gradients, or has to find faults among them.
func (p Plan) counts() bool { return !math.IsInf(p.Before.Norm, 1) || p.Before.SkipNotFinite }

// Step changes the variables of slots. Nothing is read back from a GPU, unless variables are on several devices and the
// norm or the finiteness of their gradients counts. In a capture each replay takes its numbers from next;
// otherwise next is not used.
func (s *Steps) Step(op string, slots []Slot, plan Plan, next Next) {
	list := batches(op, slots)
	defer free(list)
	live := s.record(op, list, plan, next)
	before := plan.Before
	var late map[*batch]*tensor.Tensor // controls of batches that are late
	if plan.counts() || len(s.controls) > 0 {
		var also []Slot
		for _, g := range plan.Also {
			also = append(also, Slot{G: g})
		}
		others := batches(op, also)
		defer free(others)
		late = s.prepare(op, append(slices.Clone(list), others...), plan.Rule, before, live)
	}
	for _, b := range list {
		t, rule, live := s.controls[b.dev], later(plan.Rule, b.late), live.of(b.late)
		if late[b] != nil {
			t = late[b]
		}
		if isGPU(b.dev) {
			for part := range b.tables() {
				launch(op, b.dev, rule.kernel(), b.dtype, part.blocks(), func(args *rocm.Args) {
					part.add(args)
					live.add(optional(args, op, t), before.Factor, before.Value)
					live.numbers(args, rule.numbers()...)
					for _, u := range rule.settings() {
						args.U64(u)
					}
				})
			}
			continue
		}
		if c := hostControl(t, before); !c.skip {
			b.update(rule, c)
		}
	}
}

// Skipped returns how many steps were skipped. It waits for the device.
func (s *Steps) Skipped() int {
	most := 0.0
	for _, t := range s.controls { // every device has counted the same
		most = max(most, t.Get(kernels.ControlSkipped).ToScalar())
	}
	return int(most)
}

// Reset forgets the steps that were skipped.
func (s *Steps) Reset() { s.controls = nil }

// prepare computes the control of every device, and of batches on GPUs whose corrections are those of fewer steps.
func (s *Steps) prepare(
	op string, list []*batch, rule Rule, before Before, live *live,
) (late map[*batch]*tensor.Tensor) {
	if s.controls == nil {
		s.controls = map[*tensor.Device]*tensor.Tensor{}
	}
	for _, b := range list {
		if s.controls[b.dev] == nil {
			CheckCapture(op, b.dev)
			s.controls[b.dev] = b.dev.Zeros(tensor.F64, kernels.ControlCount).Kept()
		}
	}
	adam, isAdam := rule.(AdamW)
	late = map[*batch]*tensor.Tensor{}
	for dev, parts := range sums(op, list) {
		for _, b := range list {
			if isAdam && b.late != 0 && b.dev == dev && isGPU(dev) {
				late[b] = s.controls[dev].Copy()
				setControl(op, dev, parts, late[b], before, later(adam, b.late).(AdamW), live.of(b.late))
			}
		}
		setControl(op, dev, parts, s.controls[dev], before, adam, live)
		parts.Free()
	}
	return late
}

// setControl computes the control of a device from the sums of squares and of faults in parts [n 2].
func setControl(op string, dev *tensor.Device, parts, to *tensor.Tensor, before Before, adam AdamW, live *live) {
	skip := uint64(0)
	if before.SkipNotFinite {
		skip = 1
	}
	n := parts.ElemCount() / 2
	if isGPU(dev) {
		launchKernel(op, dev, "grad_control", 1, func(args *rocm.Args) {
			pointer(args, extend.InMemory(op, parts)).U64(uint64(n))
			live.add(pointer(args, extend.Written(op, to)), before.Factor, before.Norm).U64(skip)
			live.numbers(args, adam.Beta1, adam.Beta2).U64(live.steps(adam))
		})
		return
	}
	total, faults := 0.0, 0.0
	for i, x := range parts.Data().([]float64) {
		if i%2 == 0 {
			total += x
		} else {
			faults += x
		}
	}
	c := to.Data().([]float64)
	norm := math.Sqrt(total) * math.Abs(before.Factor)
	c[kernels.ControlFactor], c[kernels.ControlSkip], c[kernels.ControlNorm] = 1, 0, norm
	if norm > before.Norm {
		c[kernels.ControlFactor] = before.Norm / (norm + 1e-6)
	}
	if before.SkipNotFinite && faults != 0 {
		c[kernels.ControlSkip] = 1
		c[kernels.ControlSkipped]++
	}
}

// hostControl is the control of a device, which may have none.
func hostControl(t *tensor.Tensor, before Before) *control {
	c := &control{factor: before.Factor, limit: before.Value}
	if t != nil {
		numbers := t.Data().([]float64)
		c.factor = numbers[kernels.ControlFactor] * before.Factor
		c.skip = numbers[kernels.ControlSkip] != 0
		c.skipped = int(numbers[kernels.ControlSkipped])
	}
	return c
}

func isGPU(d *tensor.Device) bool {
	_, ok := extend.Backend(d).(backend.Launcher)
	return ok
}
