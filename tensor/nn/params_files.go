package nn

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/formats"
	"github.com/gorocm/gorocm/tensor/quant"
)

// OpenParams returns the parameters in a file: .safetensors, .gguf, .npz, or PyTorch's .pt, .pth and .bin. A parameter
// of an open safetensors or GGUF file is read when it is taken; Close closes the file.
func OpenParams(path string, dtype tensor.DType, dev *tensor.Device) (*Params, error) {
	source, err := openSource(path)
	if err != nil {
		return nil, err
	}
	return newParams(source, dtype, dev), nil
}

// OpenParamFiles returns the parameters in several files, the parts of one model, of any of the kinds that OpenParams
// takes.
func OpenParamFiles(paths []string, dtype tensor.DType, dev *tensor.Device) (*Params, error) {
	if len(paths) == 0 {
		return nil, fmt.Errorf("nn: there are no files to take parameters from")
	}
	source := &shardedSource{}
	for _, path := range paths {
		part, err := openSource(path)
		if err != nil {
			return nil, errors.Join(err, source.Close())
		}
		source.add(part)
	}
	return newParams(source, dtype, dev), nil
}

// openSource opens a file of parameters, whose kind its name tells.
func openSource(path string) (paramSource, error) {
	switch ending := strings.ToLower(filepath.Ext(path)); ending {
	case ".safetensors":
		f, err := formats.OpenSafetensors(path)
		return safetensorsSource{f}, err
	case ".gguf":
		f, err := formats.OpenGGUF(path)
		return ggufSource{f}, err
	case ".npz":
		return readSource(formats.ReadNpz(path, tensor.CPU()))
	case ".pt", ".pth", ".bin":
		return readSource(formats.ReadPth(path, "", tensor.CPU()))
	default:
		return nil, fmt.Errorf("nn: %s: parameters come in .safetensors, .gguf, .npz, .pt, .pth and .bin, not %q", path,
			ending)
	}
}

// ParamsOfGGUF returns the parameters in an open GGUF file.
func ParamsOfGGUF(f *formats.GGUF, dtype tensor.DType, dev *tensor.Device) *Params {
	return newParams(ggufSource{f}, dtype, dev)
}

func readSource(list []formats.Named, err error) (paramSource, error) {
	return newNamedSource(list), err
}

// Close closes the file that parameters come from, if there is one. Parameters that were taken stay.
func (p *Params) Close() error { return closed(p.source) }

func closed(s paramSource) error {
	if c, ok := s.(io.Closer); ok {
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
type namedSource struct {
	names []string
	of    map[string]*tensor.Tensor
}

func newNamedSource(all []formats.Named) namedSource {
	s := namedSource{of: make(map[string]*tensor.Tensor, len(all))}
	for _, n := range all {
		if s.of[n.Name] == nil { // the first of a name counts
			s.of[n.Name] = n.Tensor
		}
		s.names = append(s.names, n.Name)
	}
	return s
}

func (s namedSource) list() []string { return s.names }

func (s namedSource) stored(name string) (*tensor.Tensor, error) { return s.of[name], nil }

func (s namedSource) tensor(name string, dtype tensor.DType, dev *tensor.Device) (*tensor.Tensor, error) {
	return converted(s, name, dtype, dev)
}

func (namedSource) packed(string) (*quant.QTensor, error) { return nil, nil }

// converted copies a parameter to dtype and device; a device that lacks memory is an error.
func converted(s paramSource, name string, dtype tensor.DType, dev *tensor.Device) (*tensor.Tensor, error) {
	t, err := s.stored(name)
	if err != nil {
		return nil, err
	}
	return tensor.Try(func() *tensor.Tensor { return t.ToDType(dtype).ToDevice(dev) })
}

type safetensorsSource struct{ *formats.Safetensors }

func (s safetensorsSource) list() []string { return s.Names() }

func (s safetensorsSource) stored(name string) (*tensor.Tensor, error) {
	return s.Tensor(name, tensor.CPU())
}

func (s safetensorsSource) tensor(name string, dtype tensor.DType, dev *tensor.Device) (*tensor.Tensor, error) {
	return converted(s, name, dtype, dev)
}

func (s safetensorsSource) packed(name string) (*quant.QTensor, error) { return s.Stored(name) }

type ggufSource struct{ *formats.GGUF }

func (s ggufSource) list() []string { return s.Names() }

func (s ggufSource) stored(name string) (*tensor.Tensor, error) {
	q, err := s.GGUF.Tensor(name)
	if err != nil {
		return nil, err
	}
	return tensor.Try(func() *tensor.Tensor { return q.Dequantize(tensor.CPU()) })
}

func (s ggufSource) tensor(name string, dtype tensor.DType, dev *tensor.Device) (*tensor.Tensor, error) {
	return converted(s, name, dtype, dev)
}

func (s ggufSource) packed(name string) (*quant.QTensor, error) { return s.GGUF.Tensor(name) }

// shardedSource is the files of a model in several parts. A name is that of the first file that has it.
type shardedSource struct {
	parts []paramSource
	names []string
	of    map[string]paramSource // the file with a name
}

func (s *shardedSource) add(part paramSource) {
	if s.of == nil {
		s.of = map[string]paramSource{}
	}
	s.parts = append(s.parts, part)
	for _, name := range part.list() {
		if s.of[name] == nil {
			s.of[name] = part
			s.names = append(s.names, name)
		}
	}
}

func (s *shardedSource) list() []string { return s.names }

func (s *shardedSource) stored(name string) (*tensor.Tensor, error) { return s.of[name].stored(name) }

func (s *shardedSource) tensor(name string, dtype tensor.DType, dev *tensor.Device) (*tensor.Tensor, error) {
	return s.of[name].tensor(name, dtype, dev)
}

func (s *shardedSource) packed(name string) (*quant.QTensor, error) { return s.of[name].packed(name) }

func (s *shardedSource) Close() error {
	var errs []error
	for _, f := range s.parts {
		errs = append(errs, closed(f))
	}
	return errors.Join(errs...)
}
