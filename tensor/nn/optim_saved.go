package nn

import (
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn/internal/saved"
)

// What Save of each optimizer writes, and Load sets.

// Save writes what the optimizer has gathered, the running sums of gradients, to a safetensors file,
// to go on with Load another day. The parameters are saved apart, by Params.Save.
func (s *SGD) Save(path string) error { return s.saved().Save(path) }

// Load sets what Save has written, for an optimizer of as many variables with the same shapes, in the same order;
// the learning rate and the other numbers, too. After an error nothing was changed.
func (s *SGD) Load(path string) error { return s.saved().Load(path) }

// Save writes what the optimizer has gathered, the running means and the number of steps, to a safetensors file,
// to go on with Load another day. The parameters are saved apart, by Params.Save.
func (a *AdamW) Save(path string) error { return a.saved().Save(path) }

// Load sets what Save has written, for an optimizer of as many variables with the same shapes, in the same order;
// the learning rate and the other numbers, too. After an error nothing was changed.
func (a *AdamW) Load(path string) error { return a.saved().Load(path) }

// Save writes what the optimizer has gathered, the running means and the number of steps, to a safetensors file,
// to go on with Load another day. The parameters are saved apart, by Params.Save.
func (a *Adam) Save(path string) error { return a.saved().Save(path) }

// Load sets what Save has written, for an optimizer of as many variables with the same shapes, in the same order;
// the learning rate and the other numbers, too. After an error nothing was changed.
func (a *Adam) Load(path string) error { return a.saved().Load(path) }

// Save writes what the optimizer has gathered, the running means, to a safetensors file,
// to go on with Load another day. The parameters are saved apart, by Params.Save.
func (l *Lion) Save(path string) error { return l.saved().Save(path) }

// Load sets what Save has written, for an optimizer of as many variables with the same shapes, in the same order;
// the learning rate and the other numbers, too. After an error nothing was changed.
func (l *Lion) Load(path string) error { return l.saved().Load(path) }

// Save writes what the optimizer has gathered, the running means and sums, to a safetensors file,
// to go on with Load another day. The parameters are saved apart, by Params.Save.
func (r *RMSprop) Save(path string) error { return r.saved().Save(path) }

// Load sets what Save has written, for an optimizer of as many variables with the same shapes, in the same order;
// the learning rate and the other numbers, too. After an error nothing was changed.
func (r *RMSprop) Load(path string) error { return r.saved().Load(path) }

// Save writes what the optimizer has gathered, the sums of squares and the number of steps, to a safetensors file,
// to go on with Load another day. The parameters are saved apart, by Params.Save.
func (a *Adagrad) Save(path string) error { return a.saved().Save(path) }

// Load sets what Save has written, for an optimizer of as many variables with the same shapes, in the same order;
// the learning rate and the other numbers, too. After an error nothing was changed.
func (a *Adagrad) Load(path string) error { return a.saved().Load(path) }

func (s *SGD) saved() saved.State {
	nesterov := number(s.Nesterov)
	return saved.State{
		Kind: "sgd", Vars: s.vars,
		Numbers: map[string]*float64{"lr": &s.lr, "momentum": &s.Momentum, "weight_decay": &s.WeightDecay, "nesterov": &nesterov},
		Tensors: s.named(s.MasterWeights, "sum"),
		Loaded:  func() { s.Nesterov = nesterov != 0; s.steps.Reset() },
	}
}

func (a *AdamW) saved() saved.State {
	c := &a.Config
	steps, most := float64(a.count-a.Skipped()), number(c.AMSGrad)
	numbers := map[string]*float64{"lr": &c.LR, "beta1": &c.Beta1, "beta2": &c.Beta2, "eps": &c.Eps,
		"weight_decay": &c.WeightDecay, "steps": &steps, "amsgrad": &most}
	late := a.late.Numbers(numbers, len(a.vars), int(steps))
	return saved.State{
		Kind: "adamw", Vars: a.vars, Numbers: numbers,
		Tensors: a.named(c.MasterWeights, "mean", "square", "largest"),
		Loaded:  func() { a.count, c.AMSGrad = int(steps), most != 0; a.steps.Reset(); late() },
	}
}

func (a *Adam) saved() saved.State {
	c := &a.Config
	steps, most := float64(a.count-a.Skipped()), number(c.AMSGrad)
	numbers := map[string]*float64{"lr": &c.LR, "beta1": &c.Beta1, "beta2": &c.Beta2, "eps": &c.Eps,
		"weight_decay": &c.WeightDecay, "steps": &steps, "amsgrad": &most}
	late := a.late.Numbers(numbers, len(a.vars), int(steps))
	return saved.State{
		Kind: "adam", Vars: a.vars, Numbers: numbers,
		Tensors: a.named(c.MasterWeights, "mean", "square", "largest"),
		Loaded:  func() { a.count, c.AMSGrad = int(steps), most != 0; a.steps.Reset(); late() },
	}
}

func (l *Lion) saved() saved.State {
	c := &l.Config
	return saved.State{
		Kind: "lion", Vars: l.vars,
		Numbers: map[string]*float64{"lr": &c.LR, "beta1": &c.Beta1, "beta2": &c.Beta2, "weight_decay": &c.WeightDecay},
		Tensors: l.named(c.MasterWeights, "mean"),
		Loaded:  l.steps.Reset,
	}
}

func (r *RMSprop) saved() saved.State {
	c := &r.Config
	centered := number(c.Centered)
	return saved.State{
		Kind: "rmsprop", Vars: r.vars,
		Numbers: map[string]*float64{"lr": &c.LR, "alpha": &c.Alpha, "eps": &c.Eps, "weight_decay": &c.WeightDecay,
			"momentum": &c.Momentum, "centered": &centered},
		Tensors: r.named(c.MasterWeights, "square", "mean", "sum"),
		Loaded:  func() { c.Centered = centered != 0; r.steps.Reset() },
	}
}

func (a *Adagrad) saved() saved.State {
	c := &a.Config
	steps := float64(a.count - a.Skipped())
	numbers := map[string]*float64{"lr": &c.LR, "lr_decay": &c.LRDecay, "weight_decay": &c.WeightDecay,
		"initial": &c.Initial, "eps": &c.Eps, "steps": &steps}
	late := a.late.Numbers(numbers, len(a.vars), int(steps))
	return saved.State{
		Kind: "adagrad", Vars: a.vars, Numbers: numbers,
		Tensors: a.named(c.MasterWeights, "sum"),
		Loaded:  func() { a.count = int(steps); a.steps.Reset(); late() },
	}
}

// named returns the states by their names in a file, and the variables in F32 if they are kept.
func (m *varState) named(master bool, names ...string) map[string][]*tensor.Tensor {
	of := map[string][]*tensor.Tensor{}
	for i, name := range names {
		of[name] = m.state[i]
	}
	if master {
		of["master"] = m.master
	}
	return of
}

// number is a setting as the file has it.
func number(on bool) float64 {
	if on {
		return 1
	}
	return 0
}
