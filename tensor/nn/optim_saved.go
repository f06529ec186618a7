package nn

// What Save of each optimizer writes, and Load sets.

// Save writes what the optimizer has gathered, the running sums of gradients, to a safetensors file,
// to go on with Load another day. The parameters are saved apart, by Params.Save.
func (s *SGD) Save(path string) error { return s.saved().save(path) }

// Load sets what Save has written, for an optimizer of as many variables with the same shapes, in the same order;
// the learning rate and the other numbers, too. After an error nothing was changed.
func (s *SGD) Load(path string) error { return s.saved().load(path) }

// Save writes what the optimizer has gathered, the running means and the number of steps, to a safetensors file,
// to go on with Load another day. The parameters are saved apart, by Params.Save.
func (a *AdamW) Save(path string) error { return a.saved().save(path) }

// Load sets what Save has written, for an optimizer of as many variables with the same shapes, in the same order;
// the learning rate and the other numbers, too. After an error nothing was changed.
func (a *AdamW) Load(path string) error { return a.saved().load(path) }

// Save writes what the optimizer has gathered, the running means and the number of steps, to a safetensors file,
// to go on with Load another day. The parameters are saved apart, by Params.Save.
func (a *Adam) Save(path string) error { return a.saved().save(path) }

// Load sets what Save has written, for an optimizer of as many variables with the same shapes, in the same order;
// the learning rate and the other numbers, too. After an error nothing was changed.
func (a *Adam) Load(path string) error { return a.saved().load(path) }

// Save writes what the optimizer has gathered, the running means, to a safetensors file,
// to go on with Load another day. The parameters are saved apart, by Params.Save.
func (l *Lion) Save(path string) error { return l.saved().save(path) }

// Load sets what Save has written, for an optimizer of as many variables with the same shapes, in the same order;
// the learning rate and the other numbers, too. After an error nothing was changed.
func (l *Lion) Load(path string) error { return l.saved().load(path) }

// Save writes what the optimizer has gathered, the running means and sums, to a safetensors file,
// to go on with Load another day. The parameters are saved apart, by Params.Save.
func (r *RMSprop) Save(path string) error { return r.saved().save(path) }

// Load sets what Save has written, for an optimizer of as many variables with the same shapes, in the same order;
// the learning rate and the other numbers, too. After an error nothing was changed.
func (r *RMSprop) Load(path string) error { return r.saved().load(path) }

// Save writes what the optimizer has gathered, the sums of squares and the number of steps, to a safetensors file,
// to go on with Load another day. The parameters are saved apart, by Params.Save.
func (a *Adagrad) Save(path string) error { return a.saved().save(path) }

// Load sets what Save has written, for an optimizer of as many variables with the same shapes, in the same order;
// the learning rate and the other numbers, too. After an error nothing was changed.
func (a *Adagrad) Load(path string) error { return a.saved().load(path) }

func (s *SGD) saved() optimizerState {
	nesterov := number(s.Nesterov)
	return optimizerState{
		"sgd", s.vars,
		map[string]*float64{"lr": &s.lr, "momentum": &s.Momentum, "weight_decay": &s.WeightDecay, "nesterov": &nesterov},
		s.named(s.MasterWeights, "sum"),
		func() { s.Nesterov = nesterov != 0; s.steps.Reset() },
	}
}

func (a *AdamW) saved() optimizerState {
	c := &a.Config
	steps, most := float64(a.count-a.Skipped()), number(c.AMSGrad)
	numbers := map[string]*float64{"lr": &c.LR, "beta1": &c.Beta1, "beta2": &c.Beta2, "eps": &c.Eps,
		"weight_decay": &c.WeightDecay, "steps": &steps, "amsgrad": &most}
	late := a.late.Numbers(numbers, len(a.vars), int(steps))
	return optimizerState{
		"adamw", a.vars, numbers, a.named(c.MasterWeights, "mean", "square", "largest"),
		func() { a.count, c.AMSGrad = int(steps), most != 0; a.steps.Reset(); late() },
	}
}

func (a *Adam) saved() optimizerState {
	c := &a.Config
	steps, most := float64(a.count-a.Skipped()), number(c.AMSGrad)
	numbers := map[string]*float64{"lr": &c.LR, "beta1": &c.Beta1, "beta2": &c.Beta2, "eps": &c.Eps,
		"weight_decay": &c.WeightDecay, "steps": &steps, "amsgrad": &most}
	late := a.late.Numbers(numbers, len(a.vars), int(steps))
	return optimizerState{
		"adam", a.vars, numbers, a.named(c.MasterWeights, "mean", "square", "largest"),
		func() { a.count, c.AMSGrad = int(steps), most != 0; a.steps.Reset(); late() },
	}
}

func (l *Lion) saved() optimizerState {
	c := &l.Config
	return optimizerState{
		"lion", l.vars,
		map[string]*float64{"lr": &c.LR, "beta1": &c.Beta1, "beta2": &c.Beta2, "weight_decay": &c.WeightDecay},
		l.named(c.MasterWeights, "mean"),
		l.steps.Reset,
	}
}

func (r *RMSprop) saved() optimizerState {
	c := &r.Config
	centered := number(c.Centered)
	return optimizerState{
		"rmsprop", r.vars,
		map[string]*float64{"lr": &c.LR, "alpha": &c.Alpha, "eps": &c.Eps, "weight_decay": &c.WeightDecay,
			"momentum": &c.Momentum, "centered": &centered},
		r.named(c.MasterWeights, "square", "mean", "sum"),
		func() { c.Centered = centered != 0; r.steps.Reset() },
	}
}

func (a *Adagrad) saved() optimizerState {
	c := &a.Config
	steps := float64(a.count - a.Skipped())
	numbers := map[string]*float64{"lr": &c.LR, "lr_decay": &c.LRDecay, "weight_decay": &c.WeightDecay,
		"initial": &c.Initial, "eps": &c.Eps, "steps": &steps}
	late := a.late.Numbers(numbers, len(a.vars), int(steps))
	return optimizerState{
		"adagrad", a.vars, numbers, a.named(c.MasterWeights, "sum"),
		func() { a.count = int(steps); a.steps.Reset(); late() },
	}
}
