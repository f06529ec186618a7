// Package saved writes what an optimizer has gathered to a file, and reads it.
package saved

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

// State is what an optimizer has gathered, as its file has it: numbers by name in the metadata, and tensors by
// name, one for each variable, or nil for a variable that has had no gradient yet. In the file these are 0.mean,
// 1.mean, … in the order of the variables, whose names an optimizer does not know.
type State struct {
	Kind    string
	Vars    []*tensor.Tensor
	Numbers map[string]*float64
	Tensors map[string][]*tensor.Tensor
	Loaded  func() // what is to be done when numbers and tensors were set; may be nil
}

// States of a variable of which the shape is not that of the variable: see Shape.
const (
	Rows    = "rows"
	Columns = "columns"
)

const (
	kindKey      = "optimizer"
	variablesKey = "variables"
)

// Add adds the state to what a file is to have, with a prefix before all names.
func (o State) Add(prefix string, meta map[string]string, list *[]formats.Named) {
	meta[prefix+kindKey], meta[prefix+variablesKey] = o.Kind, strconv.Itoa(len(o.Vars))
	for name, n := range o.Numbers {
		if *n != 0 || !strings.HasPrefix(name, optim.LateNumber) {
			meta[prefix+name] = strconv.FormatFloat(*n, 'g', -1, 64)
		}
	}
	for name, tensors := range o.Tensors {
		for i, t := range tensors {
			if t != nil {
				*list = append(*list, formats.Named{Name: fmt.Sprintf("%s%d.%s", prefix, i, name), Tensor: t})
			}
		}
	}
}

// Save writes the state to a file.
func (o State) Save(path string) error {
	meta := map[string]string{}
	var list []formats.Named
	o.Add("", meta, &list)
	return Write(path, meta, list)
}

// Write writes what Add has added to a file.
func Write(path string, meta map[string]string, list []formats.Named) error {
	if err := isSafetensors(path); err != nil {
		return err
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

// Load sets the numbers and tensors of o to those of a file. After an error nothing was changed.
func (o State) Load(path string) error {
	return Load(path, []string{""}, []State{o})
}

// Load sets several states, whose names have prefixes, to those of a file.
func Load(path string, prefixes []string, states []State) error {
	if err := isSafetensors(path); err != nil {
		return err
	}
	f, err := formats.OpenSafetensors(path)
	if err != nil {
		return err
	}
	defer f.Close()
	var set []func()
	taken := 0
	for i, o := range states {
		numbers, err := o.numbersOf(f.Metadata, prefixes[i])
		if err != nil {
			return fmt.Errorf("nn: %s: %w", path, err)
		}
		tensors, n, err := o.tensorsOf(f, prefixes[i])
		if err != nil {
			return fmt.Errorf("nn: %s: %w", path, err)
		}
		taken += n
		set = append(set, func() {
			for name, n := range numbers {
				*o.Numbers[name] = n
			}
			for name, list := range tensors {
				copy(o.Tensors[name], list)
			}
			if o.Loaded != nil {
				o.Loaded()
			}
		})
	}
	if n := len(f.Names()); n != taken {
		return fmt.Errorf("nn: %s: of its %d tensors %d are not part of the state", path, n, n-taken)
	}
	for _, f := range set {
		f()
	}
	return nil
}

func (o State) numbersOf(meta map[string]string, prefix string) (map[string]float64, error) {
	if kind := meta[prefix+kindKey]; kind != o.Kind {
		return nil, fmt.Errorf("the file has the state of the optimizer %q, not of %s", kind, o.Kind)
	}
	if n := meta[prefix+variablesKey]; n != strconv.Itoa(len(o.Vars)) {
		return nil, fmt.Errorf("the state is for %s variables, the optimizer has %d", n, len(o.Vars))
	}
	numbers := map[string]float64{}
	for name := range o.Numbers {
		text, ok := meta[prefix+name]
		if !ok && slices.Contains(laterNumbers, name) {
			continue
		} else if !ok && strings.HasPrefix(name, optim.LateNumber) {
			text = "0"
		}
		n, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return nil, fmt.Errorf("%s is %q, not a number", name, text)
		}
		numbers[name] = n
	}
	return numbers, nil
}

// laterNumbers are those that files of earlier versions have not: they stay as they are.
var laterNumbers = []string{"amsgrad"}

// tensorsOf returns the tensors with a prefix, and how many there are.
func (o State) tensorsOf(f *formats.Safetensors, prefix string) (map[string][]*tensor.Tensor, int, error) {
	out, count := map[string][]*tensor.Tensor{}, 0
	for name := range o.Tensors {
		out[name] = make([]*tensor.Tensor, len(o.Vars))
	}
	for _, full := range f.Names() {
		name, ok := strings.CutPrefix(full, prefix)
		if !ok {
			continue
		}
		number, what, _ := strings.Cut(name, ".")
		i, err := strconv.Atoi(number)
		if err != nil || i < 0 || i >= len(o.Vars) || out[what] == nil {
			return nil, 0, fmt.Errorf("%s is not part of the state of %s", full, o.Kind)
		}
		t, err := f.Tensor(full, tensor.CPU())
		if err != nil {
			return nil, 0, err
		}
		v := o.Vars[i]
		if want, shape := optim.StateType(v.DType()), Shape(what, v.Dims()); !slices.Equal(t.Dims(), shape) ||
			t.DType() != want {
			return nil, 0, fmt.Errorf("%s has shape %v of %v, and the variable asks for %v of %v", full, t.Dims(),
				t.DType(), shape, want)
		}
		if out[what][i], err = tensor.Try(func() *tensor.Tensor { return t.ToDevice(v.Device()) }); err != nil {
			return nil, 0, err
		}
		count++
	}
	return out, count, nil
}

// Shape is the shape of a state of a variable.
func Shape(what string, shape []int) []int {
	switch what {
	case Rows:
		return shape[:len(shape)-1]
	case Columns:
		return append(slices.Clone(shape[:max(len(shape)-2, 0)]), shape[len(shape)-1])
	}
	return shape
}
