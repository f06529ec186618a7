package nn

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/formats"
	"github.com/gorocm/gorocm/tensor/quant"
)

// OpenParams returns the parameters in a file: .safetensors, .gguf, .npz, or .pt and .pth. A parameter of an open
// safetensors or GGUF file is read when it is taken; Close closes the file.
func OpenParams(path string, dtype tensor.DType, dev *tensor.Device) (*Params, error) {
	var source paramSource
	var err error
	switch ending := strings.ToLower(filepath.Ext(path)); ending {
	case ".safetensors":
		var f *formats.Safetensors
		f, err = formats.OpenSafetensors(path)
		source = safetensorsSource{f}
	case ".gguf":
		var f *formats.GGUF
		f, err = formats.OpenGGUF(path)
		source = ggufSource{f}
	case ".npz":
		source, err = readSource(formats.ReadNpz(path, tensor.CPU()))
	case ".pt", ".pth":
		source, err = readSource(formats.ReadPth(path, "", tensor.CPU()))
	default:
		return nil, fmt.Errorf("nn: %s: parameters come in .safetensors, .gguf, .npz, .pt and .pth, not %q", path,
			ending)
	}
	if err != nil {
		return nil, err
	}
	return newParams(source, dtype, dev), nil
}

// OpenParamFiles returns the parameters in several safetensors files, the parts of one model.
func OpenParamFiles(paths []string, dtype tensor.DType, dev *tensor.Device) (*Params, error) {
	if len(paths) == 0 {
		return nil, fmt.Errorf("nn: there are no files to take parameters from")
	}
	var source shardedSource
	for _, path := range paths {
		f, err := formats.OpenSafetensors(path)
		if err != nil {
			return nil, errors.Join(err, source.Close())
		}
		source = append(source, safetensorsSource{f})
	}
	return newParams(source, dtype, dev), nil
}

// ParamsOfGGUF returns the parameters in an open GGUF file.
func ParamsOfGGUF(f *formats.GGUF, dtype tensor.DType, dev *tensor.Device) *Params {
	return newParams(ggufSource{f}, dtype, dev)
}

func readSource(list []formats.Named, err error) (paramSource, error) {
	return namedSource(list), err
}

// Close closes the file that parameters come from, if there is one. Parameters that were taken stay.
func (p *Params) Close() error {
	if c, ok := p.source.(interface{ Close() error }); ok {
		return c.Close()
	}
	return nil
}

// Save writes the parameters that were taken to a safetensors file, whose name must end in .safetensors: Load goes by
// it.
func (p *Params) Save(path string) error {
	if ending := strings.ToLower(filepath.Ext(path)); ending != ".safetensors" {
		return fmt.Errorf("nn: %s: parameters are saved in .safetensors, not %q; formats.WriteNpz(path, p.All()) "+
			"writes .npz", path, ending)
	}
	return formats.WriteSafetensors(path, p.All(), nil)
}

// Load sets the variables and buffers that were taken from a file of the kinds that OpenParams knows. They must be
// exactly those of the file, in any dtype: the error is a *ParamsError otherwise, and nothing was changed.
func (p *Params) Load(path string) error {
	from, err := OpenParams(path, p.dtype, p.dev)
	if err != nil {
		return err
	}
	defer from.Close()
	all := p.All()
	loaded := make([]*tensor.Tensor, len(all))
	err = from.Build(func() {
		from.Ignore(p.ignore...)
		for i, v := range all {
			loaded[i] = from.Get(v.Name, v.Tensor.Dims(), nil)
		}
	})
	if err != nil {
		return err
	}
	for i, v := range all {
		v.Tensor.CopySet(loaded[i])
	}
	return nil
}

// namedSource is tensors in memory.
type namedSource []formats.Named

func (s namedSource) list() []string {
	names := make([]string, len(s))
	for i, n := range s {
		names[i] = n.Name
	}
	return names
}

func (s namedSource) tensor(name string, dtype tensor.DType, dev *tensor.Device) (*tensor.Tensor, error) {
	i := slices.IndexFunc(s, func(n formats.Named) bool { return n.Name == name })
	return converted(func() *tensor.Tensor { return s[i].Tensor }, dtype, dev)
}

func (namedSource) packed(string) (*quant.QTensor, error) { return nil, nil }

// converted copies a tensor to dtype and device; a device that lacks memory is an error.
func converted(f func() *tensor.Tensor, dtype tensor.DType, dev *tensor.Device) (*tensor.Tensor, error) {
	return tensor.Try(func() *tensor.Tensor { return f().ToDType(dtype).ToDevice(dev) })
}

type safetensorsSource struct{ *formats.Safetensors }

func (s safetensorsSource) list() []string { return s.Names() }

func (s safetensorsSource) tensor(name string, dtype tensor.DType, dev *tensor.Device) (*tensor.Tensor, error) {
	t, err := s.Safetensors.Tensor(name, tensor.CPU())
	if err != nil {
		return nil, err
	}
	return converted(func() *tensor.Tensor { return t }, dtype, dev)
}

func (s safetensorsSource) packed(name string) (*quant.QTensor, error) { return s.Stored(name) }

type ggufSource struct{ *formats.GGUF }

func (s ggufSource) list() []string { return s.Names() }

func (s ggufSource) tensor(name string, dtype tensor.DType, dev *tensor.Device) (*tensor.Tensor, error) {
	q, err := s.GGUF.Tensor(name)
	if err != nil {
		return nil, err
	}
	return converted(func() *tensor.Tensor { return q.Dequantize(tensor.CPU()) }, dtype, dev)
}

func (s ggufSource) packed(name string) (*quant.QTensor, error) { return s.GGUF.Tensor(name) }

// shardedSource is the files of a model in several parts.
type shardedSource []safetensorsSource

func (s shardedSource) list() []string {
	var names []string
	for _, f := range s {
		names = append(names, f.Names()...)
	}
	return names
}

func (s shardedSource) tensor(name string, dtype tensor.DType, dev *tensor.Device) (*tensor.Tensor, error) {
	for _, f := range s {
		if slices.Contains(f.Names(), name) {
			return f.tensor(name, dtype, dev)
		}
	}
	return nil, fmt.Errorf("nn: there is no %s", name)
}

func (s shardedSource) packed(name string) (*quant.QTensor, error) {
	for _, f := range s {
		if slices.Contains(f.Names(), name) {
			return f.packed(name)
		}
	}
	return nil, nil
}

func (s shardedSource) Close() error {
	var errs []error
	for _, f := range s {
		errs = append(errs, f.Close())
	}
	return errors.Join(errs...)
}
