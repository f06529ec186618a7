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
	vars    []*tensor.Tensor
	numbers map[string]*float64
	tensors map[string][]*tensor.Tensor
	loaded  func() // what is to be done when numbers and tensors were set; may be nil
}

const (
	kindKey      = "optimizer"
	variablesKey = "variables"
)

// write adds the state to what a file is to have, with a prefix before all names.
func (o optimizerState) write(prefix string, meta map[string]string, list *[]formats.Named) {
	meta[prefix+kindKey], meta[prefix+variablesKey] = o.kind, strconv.Itoa(len(o.vars))
	for name, n := range o.numbers {
		if *n != 0 || !strings.HasPrefix(name, optim.LateNumber) {
			meta[prefix+name] = strconv.FormatFloat(*n, 'g', -1, 64)
		}
	}
	for name, tensors := range o.tensors {
		for i, t := range tensors {
			if t != nil {
				*list = append(*list, formats.Named{Name: fmt.Sprintf("%s%d.%s", prefix, i, name), Tensor: t})
			}
		}
	}
}

// save writes the state to a file.
func (o optimizerState) save(path string) error {
	meta := map[string]string{}
	var list []formats.Named
	o.write("", meta, &list)
	return writeState(path, meta, list)
}

func writeState(path string, meta map[string]string, list []formats.Named) error {
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

// load sets the numbers and tensors of o to those of a file. After an error nothing was changed.
func (o optimizerState) load(path string) error {
	return loadStates(path, []string{""}, []optimizerState{o})
}

// loadStates sets several states, whose names have prefixes, to those of a file.
func loadStates(path string, prefixes []string, states []optimizerState) error {
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
				*o.numbers[name] = n
			}
			for name, list := range tensors {
				copy(o.tensors[name], list)
			}
			if o.loaded != nil {
				o.loaded()
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

func (o optimizerState) numbersOf(meta map[string]string, prefix string) (map[string]float64, error) {
	if kind := meta[prefix+kindKey]; kind != o.kind {
		return nil, fmt.Errorf("the file has the state of the optimizer %q, not of %s", kind, o.kind)
	}
	if n := meta[prefix+variablesKey]; n != strconv.Itoa(len(o.vars)) {
		return nil, fmt.Errorf("the state is for %s variables, the optimizer has %d", n, len(o.vars))
	}
	numbers := map[string]float64{}
	for name := range o.numbers {
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
func (o optimizerState) tensorsOf(f *formats.Safetensors, prefix string) (map[string][]*tensor.Tensor, int, error) {
	out, count := map[string][]*tensor.Tensor{}, 0
	for name := range o.tensors {
		out[name] = make([]*tensor.Tensor, len(o.vars))
	}
	for _, full := range f.Names() {
		name, ok := strings.CutPrefix(full, prefix)
		if !ok {
			continue
		}
		number, what, _ := strings.Cut(name, ".")
		i, err := strconv.Atoi(number)
		if err != nil || i < 0 || i >= len(o.vars) || out[what] == nil {
			return nil, 0, fmt.Errorf("%s is not part of the state of %s", full, o.kind)
		}
		t, err := f.Tensor(full, tensor.CPU())
		if err != nil {
			return nil, 0, err
		}
		v := o.vars[i]
		if want, shape := optim.StateType(v.DType()), stateShape(what, v.Dims()); !slices.Equal(t.Dims(), shape) ||
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

// stateShape is the shape of a state of a variable.
func stateShape(what string, shape []int) []int {
	switch what {
	case rowsState:
		return shape[:len(shape)-1]
	case columnsState:
		return append(slices.Clone(shape[:max(len(shape)-2, 0)]), shape[len(shape)-1])
	}
	return shape
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
