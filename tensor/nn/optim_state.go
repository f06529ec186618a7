package nn

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/formats"
	"github.com/gorocm/gorocm/tensor/internal/optim"
)

// optimizerState is what an optimizer has gathered, as its file has it: numbers by name in the metadata, and tensors by
// name, one for each variable, or nil for a variable that has had no gradient yet. In the file these are 0.mean,
// 1.mean, … in the order of the variables, whose names an optimizer does not know.
type optimizerState struct {
	kind    string
	numbers map[string]*float64
	tensors map[string][]*tensor.Tensor
}

const (
	kindKey      = "optimizer"
	variablesKey = "variables"
)

func (o optimizerState) save(path string) error {
	if err := isSafetensors(path); err != nil {
		return err
	}
	meta := map[string]string{kindKey: o.kind}
	for name, n := range o.numbers {
		meta[name] = strconv.FormatFloat(*n, 'g', -1, 64)
	}
	var list []formats.Named
	for name, tensors := range o.tensors {
		meta[variablesKey] = strconv.Itoa(len(tensors))
		for i, t := range tensors {
			if t != nil {
				list = append(list, formats.Named{Name: fmt.Sprintf("%d.%s", i, name), Tensor: t})
			}
		}
	}
	slices.SortFunc(list, func(a, b formats.Named) int { return strings.Compare(a.Name, b.Name) })
	return formats.WriteSafetensors(path, list, meta)
}

func isSafetensors(path string) error {
	if ending := strings.ToLower(filepath.Ext(path)); ending != ".safetensors" {
		return fmt.Errorf("nn: %s: the state of an optimizer is saved in .safetensors, not %q", path, ending)
	}
	return nil
}

// load sets the numbers and tensors of o to those of a file, for these variables. After an error nothing was changed.
func (o optimizerState) load(path string, vars []*tensor.Tensor) error {
	if err := isSafetensors(path); err != nil {
		return err
	}
	f, err := formats.OpenSafetensors(path)
	if err != nil {
		return err
	}
	defer f.Close()
	numbers, err := o.numbersOf(f.Metadata, len(vars))
	if err != nil {
		return fmt.Errorf("nn: %s: %w", path, err)
	}
	tensors, err := o.tensorsOf(f, vars)
	if err != nil {
		return fmt.Errorf("nn: %s: %w", path, err)
	}
	for name, n := range numbers {
		*o.numbers[name] = n
	}
	for name, list := range tensors {
		copy(o.tensors[name], list)
	}
	return nil
}

func (o optimizerState) numbersOf(meta map[string]string, vars int) (map[string]float64, error) {
	if kind := meta[kindKey]; kind != o.kind {
		return nil, fmt.Errorf("the file has the state of the optimizer %q, not of %s", kind, o.kind)
	}
	if n := meta[variablesKey]; n != strconv.Itoa(vars) {
		return nil, fmt.Errorf("the state is for %s variables, the optimizer has %d", n, vars)
	}
	numbers := map[string]float64{}
	for name := range o.numbers {
		n, err := strconv.ParseFloat(meta[name], 64)
		if err != nil {
			return nil, fmt.Errorf("%s is %q, not a number", name, meta[name])
		}
		numbers[name] = n
	}
	return numbers, nil
}

func (o optimizerState) tensorsOf(f *formats.Safetensors, vars []*tensor.Tensor) (map[string][]*tensor.Tensor, error) {
	out := map[string][]*tensor.Tensor{}
	for name := range o.tensors {
		out[name] = make([]*tensor.Tensor, len(vars))
	}
	for _, name := range f.Names() {
		number, what, _ := strings.Cut(name, ".")
		i, err := strconv.Atoi(number)
		if err != nil || i < 0 || i >= len(vars) || out[what] == nil {
			return nil, fmt.Errorf("%s is not part of the state of %s", name, o.kind)
		}
		t, err := f.Tensor(name, tensor.CPU())
		if err != nil {
			return nil, err
		}
		if want := optim.StateType(vars[i].DType()); !slices.Equal(t.Dims(), vars[i].Dims()) || t.DType() != want {
			return nil, fmt.Errorf("%s has shape %v of %v, and the variable asks for %v of %v", name, t.Dims(),
				t.DType(), vars[i].Dims(), want)
		}
		if out[what][i], err = tensor.Try(func() *tensor.Tensor { return t.ToDevice(vars[i].Device()) }); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Save writes what the optimizer has gathered, the running sums of gradients, and its numbers to a safetensors file, to
// go on with Load another day. The parameters are saved apart, by Params.Save.
func (s *SGD) Save(path string) error {
	nesterov := number(s.Nesterov)
	return s.saved(&nesterov).save(path)
}

// Load sets what Save has written, for an optimizer of as many variables with the same shapes, in the same order; the
// learning rate and the other numbers, too. After an error nothing was changed.
func (s *SGD) Load(path string) error {
	var nesterov float64
	err := s.saved(&nesterov).load(path, s.vars)
	if err == nil {
		s.Nesterov = nesterov != 0
		s.steps.Reset()
	}
	return err
}

func (s *SGD) saved(nesterov *float64) optimizerState {
	return optimizerState{
		"sgd",
		map[string]*float64{"lr": &s.lr, "momentum": &s.Momentum, "weight_decay": &s.WeightDecay, "nesterov": nesterov},
		s.named(s.MasterWeights, "sum"),
	}
}

// Save writes what the optimizer has gathered, the running means and the number of its steps, and its Config to a
// safetensors file, to go on with Load another day. The parameters are saved apart, by Params.Save.
func (a *AdamW) Save(path string) error {
	steps := float64(a.count - a.Skipped())
	return a.saved(&steps).save(path)
}

// Load sets what Save has written, for an optimizer of as many variables with the same shapes, in the same order;
// Config, too. After an error nothing was changed.
func (a *AdamW) Load(path string) error {
	var steps float64
	err := a.saved(&steps).load(path, a.vars)
	if err == nil {
		a.count = int(steps)
		a.steps.Reset()
	}
	return err
}

func (a *AdamW) saved(steps *float64) optimizerState {
	c := &a.Config
	return optimizerState{
		"adamw",
		map[string]*float64{"lr": &c.LR, "beta1": &c.Beta1, "beta2": &c.Beta2, "eps": &c.Eps,
			"weight_decay": &c.WeightDecay, "steps": steps},
		a.named(a.Config.MasterWeights, "mean", "square"),
	}
}

// Save writes what the optimizer has gathered, the running means and sums, and its Config to a safetensors file, to go
// on with Load another day. The parameters are saved apart, by Params.Save.
func (r *RMSprop) Save(path string) error {
	centered := number(r.Config.Centered)
	return r.saved(&centered).save(path)
}

// Load sets what Save has written, for an optimizer of as many variables with the same shapes, in the same order;
// Config, too. After an error nothing was changed.
func (r *RMSprop) Load(path string) error {
	var centered float64
	err := r.saved(&centered).load(path, r.vars)
	if err == nil {
		r.Config.Centered = centered != 0
		r.steps.Reset()
	}
	return err
}

func (r *RMSprop) saved(centered *float64) optimizerState {
	c := &r.Config
	return optimizerState{
		"rmsprop",
		map[string]*float64{"lr": &c.LR, "alpha": &c.Alpha, "eps": &c.Eps, "weight_decay": &c.WeightDecay,
			"momentum": &c.Momentum, "centered": centered},
		r.named(c.MasterWeights, "square", "mean", "sum"),
	}
}

// Save writes what the optimizer has gathered, the sums of squares and the number of its steps, and its Config to a
// safetensors file, to go on with Load another day. The parameters are saved apart, by Params.Save.
func (a *Adagrad) Save(path string) error {
	steps := float64(a.count - a.Skipped())
	return a.saved(&steps).save(path)
}

// Load sets what Save has written, for an optimizer of as many variables with the same shapes, in the same order;
// Config, too. After an error nothing was changed.
func (a *Adagrad) Load(path string) error {
	var steps float64
	err := a.saved(&steps).load(path, a.vars)
	if err == nil {
		a.count = int(steps)
		a.steps.Reset()
	}
	return err
}

func (a *Adagrad) saved(steps *float64) optimizerState {
	c := &a.Config
	return optimizerState{
		"adagrad",
		map[string]*float64{"lr": &c.LR, "lr_decay": &c.LRDecay, "weight_decay": &c.WeightDecay,
			"initial": &c.Initial, "eps": &c.Eps, "steps": steps},
		a.named(c.MasterWeights, "sum"),
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
