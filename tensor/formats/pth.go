package formats

import (
	"archive/zip"
	"fmt"
	"math"
	"os"
	"path"
	"strings"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/limits"
)

// storageTypes are the names of PyTorch's storages.
var storageTypes = map[string]tensor.DType{
	"FloatStorage": tensor.F32, "DoubleStorage": tensor.F64, "HalfStorage": tensor.F16,
	"BFloat16Storage": tensor.BF16,
	"ByteStorage":     tensor.U8, "BoolStorage": tensor.Bool, "ShortStorage": tensor.I16,
	"IntStorage":  tensor.I32,
	"LongStorage": tensor.I64, "Float8_e4m3fnStorage": tensor.F8E4M3, "CharStorage": tensor.I8,
	"ComplexFloatStorage": tensor.C64, "ComplexDoubleStorage": tensor.C128,
}

// untypedElements are PyTorch's names of the types that it keeps in untyped storages.
var untypedElements = map[string]tensor.DType{
	"uint16": tensor.U16, "uint32": tensor.U32, "uint64": tensor.U64, "float8_e4m3fn": tensor.F8E4M3,
}

const (
	// All tensors together may take limits.PickleExpansion times the bytes of the file, and freeBytes more: tensors
	// that share a storage each have its elements.
	freeBytes = 64 << 20
)

// ReadPth reads the tensors of a file that torch.save wrote since PyTorch 1.6 (a zip archive), onto a device. The file
// holds a dict of tensors, or has it under key; "" takes the whole, which may also be a tensor alone, named "", or a
// list of tensors, named "0", "1" and so on. Tensors in dicts and lists below have the names of all levels, joined by
// points: "optimizer.state.0". Tensors of any strides come back in row-major order. Numbers, texts and objects without
// tensors are left out; a tensor of a kind that is not read is an error that names it. Nothing that the file says is
// run.
func ReadPth(file, key string, dev *tensor.Device) ([]Named, error) {
	z, err := zip.OpenReader(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w (files of PyTorch before 1.6 are not read: load and save them again)", file, err)
	}
	defer z.Close()
	p := &pthFile{entries: map[string]*zip.File{}, storages: map[storageKey][]byte{}, dev: dev}
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	p.left = int64(limits.PickleExpansion.Value())*info.Size() + freeBytes
	for _, f := range z.File {
		p.entries[f.Name] = f
		if path.Base(f.Name) == "data.pkl" {
			p.folder = path.Dir(f.Name)
		}
	}
	list, err := p.read(key)
	return list, named(file, err)
}

// storageKey is the name of a storage and the number of bytes in which its elements were swapped, 1 for none.
type storageKey struct {
	key  string
	size int
}

// pthFile is an open archive.
type pthFile struct {
	folder   string
	entries  map[string]*zip.File
	storages map[storageKey][]byte
	dev      *tensor.Device

	left      int64 // bytes that further tensors may take
	bigEndian bool  // the machine that wrote it had the greater byte of a number first
}

func (p *pthFile) entry(name string, limit *limits.Limit) ([]byte, error) {
	f := p.entries[path.Join(p.folder, name)]
	if f == nil {
		return nil, fmt.Errorf("the archive has no %s", path.Join(p.folder, name))
	}
	if limit != nil {
		n := int(min(f.UncompressedSize64, math.MaxInt))
		if err := limit.Check(n, fmt.Sprintf("%s has %d bytes", f.Name, n)); err != nil {
			return nil, err
		}
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

// read returns the tensors of the file, or of what its dict has under key.
func (p *pthFile) read(key string) ([]Named, error) {
	raw, err := p.entry("data.pkl", limits.PickleBytes)
	if err != nil {
		return nil, err
	}
	root, err := unpickle(raw)
	if err != nil {
		return nil, err
	}
	if p.entries[path.Join(p.folder, "byteorder")] != nil { // since PyTorch 2.1
		order, err := p.entry("byteorder", nil)
		if err != nil {
			return nil, err
		}
		p.bigEndian = string(order) == "big"
	}
	if key != "" {
		dict := asDict(root)
		if dict == nil {
			return nil, fmt.Errorf("the file holds no dict with a key %q but %s", key, brief(root))
		}
		i := -1
		for k, name := range dict.keys {
			if name == key {
				i = k
			}
		}
		if i < 0 {
			return nil, fmt.Errorf("there is no key %q; there are %s", key, keyNames(dict))
		}
		root = dict.values[i]
	}
	c := &pthTree{file: p, names: map[string]bool{}}
	if err := c.collect("", root, 0); err != nil {
		return nil, err
	}
	if dict := asDict(root); len(c.list) == 0 && (dict == nil || len(dict.keys) > 0) {
		return nil, fmt.Errorf("the file holds no tensors but %s; torch.save(model.state_dict(), …) writes those "+
			"of a model", brief(root))
	}
	return c.list, nil
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

// partSize is the size of an element, or of a part of a complex one.
func partSize(dt tensor.DType) int {
	if dt.IsComplex() {
		return dt.Real().Size()
	}
	return dt.Size()
}

// rebuild takes storage, offset, sizes and strides. dtype is that of a tensor whose storage has none, or nil.
func (p *pthFile) rebuild(args []any, dtype any) (*tensor.Tensor, error) {
	if len(args) < 4 {
		return nil, fmt.Errorf("a tensor is made of %d values, not of storage, offset, sizes and strides", len(args))
	}
	is, data, err := p.storage(args[0], dtype)
	if err != nil {
		return nil, err
	}
	offset, ok := args[1].(int64)
	shape, okShape := integers(args[2])
	strides, okStrides := integers(args[3])
	held := len(data) / is.Size()
	if !ok || !okShape || !okStrides || len(shape) != len(strides) || offset < 0 || offset > int64(held) {
		return nil, fmt.Errorf("offset %s, sizes %s and strides %s are not possible", brief(args[1]), brief(args[2]),
			brief(args[3]))
	}
	n, ok := count(shape, math.MaxInt/is.Size())
	if !ok {
		return nil, fmt.Errorf("shape %v is not possible for a storage of %d elements", shape, held)
	}
	if n > held {
		what := fmt.Sprintf("a tensor of shape %v in a storage of %d elements", shape, held)
		if err := limits.PickleRepeated.Check(n, what); err != nil {
			return nil, err
		}
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
	if p.left -= int64(n) * int64(is.Size()); p.left < 0 {
		return nil, limits.PickleExpansion.Reached("the tensors take more than that")
	}
	return p.dev.FromBytes(is, inOrder(data, is.Size(), int(offset), shape, strides, n), shape...), nil
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

// storage reads the elements that ("storage", type, key, place, count) stands for. They have the given dtype if the
// storage is untyped: PyTorch writes it so for the types that are newer than its typed storages.
func (p *pthFile) storage(v, dtype any) (tensor.DType, []byte, error) {
	id, ok := v.(pyID)
	tuple, isTuple := id.of.(pyTuple)
	if !ok || !isTuple || len(tuple) < 5 || tuple[0] != "storage" {
		return 0, nil, fmt.Errorf("a tensor has no storage")
	}
	typ, _ := tuple[1].(pyGlobal)
	is, known := storageTypes[typ.name]
	if known = known && typ.module == "torch"; dtype != nil {
		if typ.name != "UntypedStorage" || typ.module != "torch.storage" && typ.module != "torch" {
			return 0, nil, fmt.Errorf("the storage %s is not read as elements of %s", brief(tuple[1]), brief(dtype))
		}
		name, _ := dtype.(pyGlobal)
		if is, known = untypedElements[name.name]; !known || name.module != "torch" {
			return 0, nil, fmt.Errorf("elements of type %s are not read", brief(dtype))
		}
	}
	key, isText := tuple[2].(string)
	if !known || !isText || strings.ContainsAny(key, "/\\") {
		return 0, nil, fmt.Errorf("the storage %s is not read", brief(tuple[1]))
	}
	at := storageKey{key, 1}
	if p.bigEndian {
		at.size = partSize(is)
	}
	if data, ok := p.storages[at]; ok {
		return is, data, nil
	}
	data, err := p.entry("data/"+key, nil)
	if err != nil {
		return 0, nil, err
	}
	if p.bigEndian {
		if len(data)%at.size != 0 {
			return 0, nil, fmt.Errorf("the storage %s of %d bytes is not one of %v", key, len(data), is)
		}
		swapBytes(data, at.size)
	}
	p.storages[at] = data
	return is, data, nil
}
