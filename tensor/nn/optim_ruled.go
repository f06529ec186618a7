package nn

import (
	"reflect"
	"slices"
	"strings"

	"github.com/gorocm/gorocm/internal/keep"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/internal/optim"
	"github.com/gorocm/gorocm/tensor/nn/internal/saved"
)

// Ruled is what optimizers with a Config are made of that take their steps by a rule for every element: Adam, AdamW,
// Lion, RMSprop, Adagrad, and those of package tensor/nn/optim.
type Ruled struct {
	varState
	made  Rules
	count int // of the steps
}

// Rules describe an optimizer. Only packages of this module have a Rule.
type Rules struct {
	Op, Name      string // in errors and files, and as it is shown
	Config        any    // a pointer to a struct, whose numbers and settings are shown and saved
	LR            *float64
	Gradients     *Gradients
	MasterWeights *bool
	Rule          func(steps int, skipped func() int) optim.Rule // of a step: how many were begun, and changed nothing
	States        []string                                       // what is kept for each variable, as its file has it
	Begin         map[int]*float64                               // what a state begins with, where that is not 0
	Without       func() [3]bool                                 // states that the Config does without; nil for none
}

// keptRules are Rules in checkpoints of sessions: they are made anew for a Config.
type keptRules struct{ Config any }

// KeepRules has optimizers with a Config of a type kept, whose Rules are those of a function: it must not look at the
// numbers of the Config, which may be read later.
func KeepRules[C any](rules func(*C) Rules) bool {
	return keep.Maker(reflect.TypeFor[*C]().String(), func(config *C) Rules { return rules(config) })
}

var _ = keep.As(func(r *Rules) (keptRules, error) { return keptRules{r.Config}, nil },
	func(r *Rules, kept keptRules) error {
		if kept.Config == nil {
			return nil
		}
		made, err := keep.Make(reflect.TypeOf(kept.Config).String(), []any{kept.Config})
		if err == nil {
			*r = made.(Rules)
		}
		return err
	})

// NewRuled returns the optimizer for variables. It panics with ErrGradient when a tensor is not a variable, or there
// twice, and with ErrDType when one is complex.
func NewRuled(vars []*tensor.Tensor, rules Rules) Ruled {
	checkReal(rules.Op, vars)
	return Ruled{varState: newVarState(rules.Op, vars), made: rules}
}

// LearningRate returns the size of the steps.
func (o *Ruled) LearningRate() float64 { return *o.made.LR }

// SetLearningRate sets the size of the steps.
func (o *Ruled) SetLearningRate(lr float64) { *o.made.LR = lr }

// Step changes every variable that has a gradient.
func (o *Ruled) Step(grads *tensor.GradStore) {
	o.checkScaled(*o.made.Gradients)
	for k, begin := range o.made.Begin {
		for i, v := range o.vars {
			if *begin != 0 && o.state[k][i] == nil && grads.Get(v) != nil {
				optim.CheckCapture(o.op, v.Device())
				o.state[k][i] = v.Device().Full(optim.StateType(v.DType()), *begin, v.Dims()...).Kept()
			}
		}
	}
	o.step(grads, o.settings, func() { o.count++ })
}

func (o *Ruled) settings() settings {
	s := settings{before: *o.made.Gradients, master: *o.made.MasterWeights}
	s.rule = o.made.Rule(o.count, o.skippedBefore)
	for k := range o.made.States {
		s.uses[k] = o.made.Without == nil || !o.made.Without()[k]
	}
	return s
}

// skippedBefore returns how many steps were skipped before this one. It waits for the device where some can be; a
// capture takes the number when it is replayed.
func (o *Ruled) skippedBefore() int {
	captured := slices.ContainsFunc(o.vars, func(v *tensor.Tensor) bool { return extend.Recording(v.Device()) != nil })
	if !o.made.Gradients.SkipNotFinite || captured {
		return 0
	}
	return o.steps.Skipped()
}

// State returns a state of every variable by its name, in the order of the variables; nil where there was no gradient.
func (o *Ruled) State(name string) []*tensor.Tensor {
	return slices.Clone(o.state[slices.Index(o.made.States, name)])
}

// Save writes what the optimizer has gathered, its state and the number of steps, to a safetensors file, to go on with
// Load another day. The parameters are saved apart, by Params.Save.
func (o *Ruled) Save(path string) error { return o.saved().Save(path) }

// Load sets what Save has written, for an optimizer of as many variables with the same shapes, in the same order;
// the learning rate and the other numbers, too. After an error nothing was changed.
func (o *Ruled) Load(path string) error { return o.saved().Load(path) }

func (o *Ruled) saved() saved.State {
	steps := float64(o.count - o.Skipped())
	numbers, flags := map[string]*float64{"steps": &steps}, map[*float64]*bool{}
	config := reflect.ValueOf(o.made.Config).Elem()
	for i := range config.NumField() {
		name := strings.Replace(strings.ToLower(config.Type().Field(i).Name), "decay", "_decay", 1)
		switch at := config.Field(i).Addr().Interface().(type) {
		case *float64:
			numbers[name] = at
		case *bool:
			if at != o.made.MasterWeights {
				n := number(*at)
				numbers[name], flags[&n] = &n, at
			}
		}
	}
	late := o.late.Numbers(numbers, len(o.vars), int(steps))
	return saved.State{
		Kind: o.op, Vars: o.vars, Numbers: numbers, Tensors: o.named(*o.made.MasterWeights, o.made.States...),
		Loaded: func() {
			for n, flag := range flags {
				*flag = *n != 0
			}
			o.count = int(steps)
			o.steps.Reset()
			late()
		},
	}
}

// String returns the hyperparameters that are set, and how much the optimizer changes.
func (o *Ruled) String() string {
	return configured(o.made.Name, reflect.ValueOf(o.made.Config).Elem().Interface(), o.vars)
}

func (o *Ruled) gradients() []*Gradients { return []*Gradients{o.made.Gradients} }
