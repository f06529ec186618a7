package formats

import (
	"archive/zip"
	"fmt"
	"path"
	"strings"

	"github.com/gorocm/gorocm/tensor"
)

// storageTypes are the names of PyTorch's storages.
var storageTypes = map[string]tensor.DType{
	"FloatStorage": tensor.F32, "DoubleStorage": tensor.F64, "HalfStorage": tensor.F16, "BFloat16Storage": tensor.BF16,
	"ByteStorage": tensor.U8, "BoolStorage": tensor.U8, "ShortStorage": tensor.I16, "IntStorage": tensor.I32, "LongStorage": tensor.I64,
	"Float8_e4m3fnStorage": tensor.F8E4M3,
}

const (
	maxPickle   = 256 << 20
	maxRepeated = 4 << 20 // elements of a tensor that repeats those of its storage
)

// ReadPth reads the tensors of a file that torch.save wrote since PyTorch 1.6 (a zip archive), onto a device. The file holds a
// dict of tensors, or has it under key; "" takes the whole. Tensors of any strides come back in row-major order. Other
// values are left out. Nothing that the file says is run.
func ReadPth(file, key string, dev *tensor.Device) ([]Named, error) {
	z, err := zip.OpenReader(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w (files of PyTorch before 1.6 are not read: load and save them again)", file, err)
	}
	defer z.Close()
	p := &pthFile{entries: map[string]*zip.File{}, storages: map[string][]byte{}, dev: dev}
	for _, f := range z.File {
		p.entries[f.Name] = f
		if path.Base(f.Name) == "data.pkl" {
			p.folder = path.Dir(f.Name)
		}
	}
	list, err := p.read(key)
	return list, named(file, err)
}

// pthFile is an open archive.
type pthFile struct {
	folder   string
	entries  map[string]*zip.File
	storages map[string][]byte
	dev      *tensor.Device
}

func (p *pthFile) entry(name string, limit uint64) ([]byte, error) {
	f := p.entries[path.Join(p.folder, name)]
	if f == nil {
		return nil, fmt.Errorf("the archive has no %s", path.Join(p.folder, name))
	}
	if f.UncompressedSize64 > limit {
		return nil, fmt.Errorf("%s has %d bytes, more than %d", f.Name, f.UncompressedSize64, limit)
	}
	if f.Method != zip.Store { // PyTorch writes no others, and a few bytes could stand for gigabytes
		return nil, fmt.Errorf("%s is compressed, which torch.save does not do", f.Name)
	}
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	data, err := readExactly(r, int(f.UncompressedSize64))
	if at, wrong := f.DataOffset(); err != nil && wrong == nil {
		return nil, fmt.Errorf("%s, from byte %d on: %w", f.Name, at, err)
	}
	return data, err
}

func (p *pthFile) read(key string) ([]Named, error) {
	raw, err := p.entry("data.pkl", maxPickle)
	if err != nil {
		return nil, err
	}
	root, err := unpickle(raw)
	if err != nil {
		return nil, err
	}
	dict := asDict(root)
	if key != "" && dict != nil {
		i := -1
		for k, name := range dict.keys {
			if name == key {
				i = k
			}
		}
		if i < 0 {
			return nil, fmt.Errorf("there is no key %q; there are %s", key, keyNames(dict))
		}
		dict = asDict(dict.values[i])
	}
	if dict == nil {
		return nil, fmt.Errorf("the file holds no dict of tensors")
	}
	var list []Named
	for i, k := range dict.keys {
		name, ok := k.(string)
		call, called := dict.values[i].(*pyCall)
		if !ok || !called {
			continue
		}
		t, err := p.tensor(call)
		if err != nil {
			return nil, fmt.Errorf("tensor %q: %w", name, err)
		}
		if t != nil {
			list = append(list, Named{name, t})
		}
	}
	return list, nil
}

// keyNames lists the first keys of a dict.
func keyNames(d *pyDict) string {
	var names []string
	for i, k := range d.keys {
		if i == 20 {
			names = append(names, "…")
			break
		}
		names = append(names, brief(k))
	}
	return strings.Join(names, ", ")
}

// asDict returns the items of a dict or of an OrderedDict, or nil.
func asDict(v any) *pyDict {
	if c, ok := v.(*pyCall); ok && c.fn.name == "OrderedDict" {
		if c.items == nil {
			return &pyDict{}
		}
		return c.items
	}
	d, _ := v.(*pyDict)
	return d
}

// tensor makes the tensor that a call stands for, or nil if it stands for something else.
func (p *pthFile) tensor(c *pyCall) (*tensor.Tensor, error) {
	switch c.fn {
	case pyGlobal{"torch._utils", "_rebuild_parameter"}:
		if len(c.args) > 0 {
			if inner, ok := c.args[0].(*pyCall); ok {
				return p.tensor(inner)
			}
		}
		return nil, fmt.Errorf("a parameter without a tensor")
	case pyGlobal{"torch._utils", "_rebuild_tensor_v2"}:
		return p.rebuild(c.args)
	}
	return nil, nil
}

// rebuild takes storage, offset, sizes and strides.
func (p *pthFile) rebuild(args []any) (*tensor.Tensor, error) {
	if len(args) < 4 {
		return nil, fmt.Errorf("a tensor is made of %d values, not of storage, offset, sizes and strides", len(args))
	}
	dt, data, err := p.storage(args[0])
	if err != nil {
		return nil, err
	}
	offset, ok := args[1].(int64)
	shape, okShape := integers(args[2])
	strides, okStrides := integers(args[3])
	held := len(data) / dt.Size()
	if !ok || !okShape || !okStrides || len(shape) != len(strides) || offset < 0 || offset > int64(held) {
		return nil, fmt.Errorf("offset %s, sizes %s and strides %s are not possible", brief(args[1]), brief(args[2]), brief(args[3]))
	}
	n, ok := count(shape, max(held, maxRepeated))
	if !ok {
		return nil, fmt.Errorf("shape %v is not possible for a storage of %d elements", shape, held)
	}
	last := int(offset) // the place of the last element
	for d, size := range shape {
		if n == 0 {
			break
		}
		if strides[d] < 0 || size > 1 && strides[d] > (held-1-last)/(size-1) {
			return nil, fmt.Errorf("sizes %v and strides %v go beyond a storage of %d elements", shape, strides, held)
		}
		last += (size - 1) * strides[d]
	}
	if n > 0 && last >= held {
		return nil, fmt.Errorf("offset %d goes beyond a storage of %d elements", offset, held)
	}
	return tensor.FromBytes(inOrder(data, dt.Size(), int(offset), shape, strides, n), dt, shape, p.dev), nil
}

// inOrder copies n elements to row-major order.
func inOrder(data []byte, size, offset int, shape, strides []int, n int) []byte {
	out := make([]byte, 0, n*size)
	index := make([]int, len(shape))
	at := offset
	for range n {
		out = append(out, data[at*size:(at+1)*size]...)
		for d := len(shape) - 1; d >= 0; d-- {
			index[d]++
			at += strides[d]
			if index[d] < shape[d] {
				break
			}
			at -= shape[d] * strides[d]
			index[d] = 0
		}
	}
	return out
}

func integers(v any) ([]int, bool) {
	tuple, ok := v.(pyTuple)
	if list, isList := v.(*pyList); isList {
		tuple, ok = list.items, true
	}
	if !ok {
		return nil, false
	}
	out := make([]int, len(tuple))
	for i, x := range tuple {
		n, ok := x.(int64)
		if !ok {
			return nil, false
		}
		out[i] = int(n)
	}
	return out, true
}

// storage reads the elements that ("storage", type, key, place, count) stands for.
func (p *pthFile) storage(v any) (tensor.DType, []byte, error) {
	id, ok := v.(pyID)
	tuple, isTuple := id.of.(pyTuple)
	if !ok || !isTuple || len(tuple) < 5 || tuple[0] != "storage" {
		return 0, nil, fmt.Errorf("a tensor has no storage")
	}
	typ, _ := tuple[1].(pyGlobal)
	dt, known := storageTypes[typ.name]
	key, isText := tuple[2].(string)
	if !known || typ.module != "torch" || !isText || strings.ContainsAny(key, "/\\") {
		return 0, nil, fmt.Errorf("the storage %s is not read", brief(tuple[1]))
	}
	if data, ok := p.storages[key]; ok {
		return dt, data, nil
	}
	data, err := p.entry("data/"+key, 1<<40)
	if err != nil {
		return 0, nil, err
	}
	p.storages[key] = data
	return dt, data, nil
}
