package formats

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/limits"
)

const maxPthDepth = 64 // of dicts and lists in one another

// pthTree collects the tensors of a value, in order.
type pthTree struct {
	file    *pthFile
	list    []Named
	names   map[string]bool
	visited int
}

// collect adds the tensors in v, which has a name. What holds tensors and cannot be read is an error.
func (c *pthTree) collect(name string, v any, depth int) error {
	if c.visited++; c.visited > limits.PickleValues.Value() { // values may contain each other many times over
		return limits.PickleValues.Reached(fmt.Sprintf("there are more values, up to %.60q", name))
	}
	if depth > maxPthDepth {
		return fmt.Errorf("%.60q is nested too deeply", name)
	}
	if dict := asDict(v); dict != nil {
		for i, k := range dict.keys {
			if err := c.collect(below(name, keyName(k)), dict.values[i], depth+1); err != nil {
				return err
			}
		}
		return nil
	}
	switch v := v.(type) {
	case pyTuple:
		return c.items(name, v, depth)
	case *pyList:
		return c.items(name, v.items, depth)
	case pyID:
		return fmt.Errorf("%.60q is a storage, not a tensor", name)
	case *pyCall:
		t, err := c.file.tensor(v)
		if err != nil {
			return fmt.Errorf("tensor %.60q: %w", name, err)
		}
		if t == nil {
			if c.holds(v, depth) {
				return fmt.Errorf("%.60q holds tensors in %s, which is not read; save a dict of them, as "+
					"model.state_dict() is", name, brief(v))
			}
			return nil
		}
		if c.names[name] {
			return fmt.Errorf("two tensors have the name %.60q", name)
		}
		c.names[name] = true
		c.list = append(c.list, Named{name, t})
	}
	return nil
}

func (c *pthTree) items(name string, items []any, depth int) error {
	for i, item := range items {
		if err := c.collect(below(name, strconv.Itoa(i)), item, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// below is the name of something in what is called name.
func below(name, key string) string {
	if name == "" {
		return key
	}
	return name + "." + key
}

// keyName is the key of a dict as a part of a name.
func keyName(k any) string {
	switch k := k.(type) {
	case string:
		return k
	case int64:
		return strconv.FormatInt(k, 10)
	}
	return brief(k)
}

// holds reports whether a value has storages of tensors somewhere.
func (c *pthTree) holds(v any, depth int) bool {
	if c.visited++; c.visited > limits.PickleValues.Value() || depth > maxPthDepth {
		return true // it may, and is an error then
	}
	oneOf := func(items ...any) bool {
		for _, item := range items {
			if c.holds(item, depth+1) {
				return true
			}
		}
		return false
	}
	switch v := v.(type) {
	case pyID:
		return true
	case pyTuple:
		return oneOf(v...)
	case *pyList:
		return oneOf(v.items...)
	case *pyDict:
		return oneOf(v.keys...) || oneOf(v.values...)
	case *pyCall:
		return oneOf(v.args...) || oneOf(v.state) || v.items != nil && oneOf(v.items)
	}
	return false
}

// tensor makes the tensor that a call stands for, or nil if it stands for something else.
func (p *pthFile) tensor(c *pyCall) (*tensor.Tensor, error) {
	switch c.fn {
	case pyGlobal{"torch._utils", "_rebuild_parameter"}, pyGlobal{"torch._utils", "_rebuild_parameter_with_state"}:
		if len(c.args) > 0 {
			if inner, ok := c.args[0].(*pyCall); ok {
				t, err := p.tensor(inner)
				if t != nil || err != nil {
					return t, err
				}
			}
		}
		return nil, fmt.Errorf("a parameter without a tensor")
	case pyGlobal{"torch._utils", "_rebuild_tensor_v2"}:
		t, err := p.rebuild(c.args, nil)
		if err != nil || len(c.args) < 7 {
			return t, err
		}
		return lazily(t, asDict(c.args[6]))
	case pyGlobal{"torch._utils", "_rebuild_tensor_v3"}: // as v2, with the dtype before what is done lazily
		if len(c.args) < 7 || c.args[6] == nil {
			return nil, fmt.Errorf("a tensor is made of %d values, without its type", len(c.args))
		}
		t, err := p.rebuild(c.args, c.args[6])
		if err != nil || len(c.args) < 8 {
			return t, err
		}
		return lazily(t, asDict(c.args[7]))
	}
	if c.fn.module == "torch._utils" && strings.HasPrefix(c.fn.name, "_rebuild_") ||
		c.fn.module == "torch._tensor" && strings.HasPrefix(c.fn.name, "_rebuild") {
		return nil, fmt.Errorf("%s is not read: only dense tensors are (x.to_dense(), x.dequantize())", brief(c))
	}
	if strings.HasPrefix(c.fn.module, "numpy.") && strings.HasSuffix(c.fn.module, ".multiarray") &&
		c.fn.name == "_reconstruct" {
		return nil, fmt.Errorf("an array of NumPy is not read: torch.from_numpy(x) is a tensor")
	}
	return nil, nil
}

// lazily applies what PyTorch does when the elements are read: a view that is the conjugate, or negative.
func lazily(t *tensor.Tensor, bits *pyDict) (*tensor.Tensor, error) {
	if bits == nil {
		return t, nil
	}
	for i, name := range bits.keys {
		switch {
		case bits.values[i] != true:
		case name == "conj":
			t = t.Conj()
		case name == "neg":
			t = t.Neg()
		default:
			return nil, fmt.Errorf("a tensor with the property %s is not read", brief(name))
		}
	}
	return t, nil
}
