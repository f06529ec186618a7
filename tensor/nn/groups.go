package nn

import (
	"fmt"
	"slices"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/formats"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/nn/internal/saved"
)

// Groups are optimizers of different variables that take their steps together: parameter groups, each with its own
// learning rate, decay, and even rule. ClipNorm and SkipNotFinite of each count the gradients of all groups.
//
//	decayed, others := nn.DefaultAdamW(), nn.DefaultAdamW()
//	others.WeightDecay = 0
//	opt := nn.NewGroups(nn.NewAdamW(matrices, decayed), nn.NewAdamW(biases, others))
type Groups struct {
	groups  []groupable
	rates   []float64 // the learning rates that they came with
	frozen  []bool
	changed int // how often a group was frozen or thawed
}

// groupable is an optimizer of this package that is based on varState.
type groupable interface {
	Optimizer
	Vars() []*tensor.Tensor
	Skipped() int
	gradients() []*Gradients
	checkScaled(g Gradients)
	saved() saved.State
	joined(g *Groups)
}

// NewGroups returns the optimizers as one. It panics with ErrGradient when one is not of this package, or is in groups
// already, or a variable is in two of them.
func NewGroups(optimizers ...Optimizer) *Groups {
	const op = "groups"
	g := &Groups{frozen: make([]bool, len(optimizers))}
	var all []*tensor.Tensor
	for i, o := range optimizers {
		member, ok := o.(groupable)
		if !ok {
			extend.Fail(op, tensor.ErrGradient, nil, "nn.NewAdamW, nn.NewSGD and the like make some that can",
				"optimizer %d, a %T, cannot be one of several", i, o)
		}
		g.groups, g.rates = append(g.groups, member), append(g.rates, member.LearningRate())
		all = append(all, member.Vars()...)
	}
	if len(all) == 0 {
		extend.Fail(op, tensor.ErrGradient, nil, "", "there are no variables in %d groups", len(optimizers))
	}
	checkVars(op, all)
	for _, member := range g.groups {
		member.joined(g)
	}
	return g
}

func (m *varState) joined(g *Groups) {
	if m.also != nil {
		extend.Fail("groups", tensor.ErrGradient, nil, "", "an optimizer (%s) is in other groups already", m.op)
	}
	m.also = g
}

// others are the gradients of the other groups that take steps.
func (m *varState) others(grads *tensor.GradStore) (list []*tensor.Tensor) {
	if m.also == nil {
		return nil
	}
	for i, member := range m.also.groups {
		if m.also.frozen[i] {
			continue
		}
		for _, v := range member.Vars() {
			if g := grads.Get(v); g != nil && !slices.Contains(m.vars, v) && g.ElemCount() > 0 {
				list = append(list, g)
			}
		}
	}
	return list
}

// changes tells states of the groups apart.
func (g *Groups) changes() int {
	if g == nil {
		return 0
	}
	return g.changed
}

// Group returns optimizer i, to look at its Config or to change it.
func (g *Groups) Group(i int) Optimizer { return g.groups[i] }

// Freeze has steps leave out group i, or take it in again. Its gradients count for nothing then.
func (g *Groups) Freeze(i int, frozen bool) {
	if g.frozen[i] != frozen {
		g.frozen[i] = frozen
		g.changed++
	}
}

// Vars returns the variables of all groups.
func (g *Groups) Vars() (list []*tensor.Tensor) {
	for _, member := range g.groups {
		list = append(list, member.Vars()...)
	}
	return list
}

// Step changes every variable that has a gradient and is not frozen.
func (g *Groups) Step(grads *tensor.GradStore) {
	for i, member := range g.groups {
		if g.frozen[i] {
			member.checkScaled(*member.gradients()[0])
		} else {
			member.Step(grads)
		}
	}
}

// LearningRate returns the learning rate of the first group.
func (g *Groups) LearningRate() float64 { return g.groups[0].LearningRate() }

// SetLearningRate sets that of the first group; those of the others stay in the proportions to it that they had in
// NewGroups, so that one schedule is for all. If that of the first was 0 then, the others stay as they are.
func (g *Groups) SetLearningRate(lr float64) {
	g.groups[0].SetLearningRate(lr)
	for i, member := range g.groups[1:] {
		if g.rates[0] != 0 {
			member.SetLearningRate(g.rates[i+1] * (lr / g.rates[0]))
		}
	}
}

// Skipped returns how many steps were skipped because of gradients that were not finite. It waits for the device.
func (g *Groups) Skipped() (most int) {
	for _, member := range g.groups {
		most = max(most, member.Skipped())
	}
	return most
}

func (g *Groups) gradients() (list []*Gradients) {
	for _, member := range g.groups {
		list = append(list, member.gradients()...)
	}
	return list
}

func (*Groups) keepsNoGradients() {}

// Save writes what the optimizers have gathered, and their numbers, to one safetensors file.
func (g *Groups) Save(path string) error {
	meta := map[string]string{}
	var list []formats.Named
	for i, member := range g.groups {
		member.saved().Add(groupPrefix(i), meta, &list)
	}
	return saved.Write(path, meta, list)
}

// Load sets what Save has written, for the same groups. After an error nothing was changed.
func (g *Groups) Load(path string) error {
	var prefixes []string
	var states []saved.State
	for i, member := range g.groups {
		prefixes, states = append(prefixes, groupPrefix(i)), append(states, member.saved())
	}
	return saved.Load(path, prefixes, states)
}

func groupPrefix(i int) string { return fmt.Sprintf("group%d.", i) }
