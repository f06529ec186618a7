package formats

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/quant"
)

const (
	ggufMagic     = 0x46554747 // GGUF
	ggufAlignment = 32         // of tensors, unless the file says another
	maxGGUFDims   = 8
	maxGGUFDepth  = 4 // of arrays in arrays
)

// GGUF is an open GGUF file: metadata, and tensors, which lie in the mapped file until they are used. Whole numbers of
// the metadata are uint64 or int64 as they are unsigned or signed in the file: programs write counts as unsigned ones,
// uint32 for WriteGGUF.
type GGUF struct {
	Version  int
	Metadata map[string]any // uint64, int64, float64, bool, string, or []any of these
	path     string
	mapping  *mapping
	start    int64 // of the elements
	entries  []ggufTensor
	byName   map[string]int
}

type ggufTensor struct {
	name   string
	format quant.Type
	shape  []int
	offset int64 // from start
	bytes  int64
	in     *GGUF // the file that has it
}

// OpenGGUF opens a GGUF file of version 1, 2 or 3, little-endian, and reads everything but the elements. Of a model in
// several files (name-00001-of-00003.gguf) it opens all, given the first one.
func OpenGGUF(path string) (*GGUF, error) {
	g, err := openOneGGUF(path)
	if err != nil {
		return nil, err
	}
	if err := g.joinParts(); err != nil {
		return nil, named(path, err)
	}
	return g, nil
}

func openOneGGUF(path string) (*GGUF, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() // a mapping needs it no longer
	m, err := mapFile(f)
	if err != nil {
		return nil, named(path, err)
	}
	g := &GGUF{path: path, mapping: m, Metadata: map[string]any{}, byName: map[string]int{}}
	if err := g.readHeader(); err != nil {
		return nil, named(path, err)
	}
	return g, nil
}

// Close forgets the file. Tensors that were read stay.
func (g *GGUF) Close() error {
	g.entries, g.byName = nil, nil
	return nil
}

func (g *GGUF) readHeader() error {
	r := newCursor(bytes.NewReader(g.mapping.data), int64(len(g.mapping.data)))
	if magic := r.u32(); r.err == nil && magic != ggufMagic {
		return fmt.Errorf("gguf: the file begins with %#x, not with GGUF", magic)
	}
	if g.Version = int(r.u32()); r.err == nil && g.Version != 0 && g.Version&0xffff == 0 {
		return fmt.Errorf("gguf: the file is big-endian, which is not read: gguf-py's gguf_convert_endian.py converts it")
	}
	if r.err == nil && (g.Version < 1 || g.Version > 3) {
		return fmt.Errorf("gguf: version %d is unknown: 1, 2 and 3 are read", g.Version)
	}
	r.narrow = g.Version == 1
	const leastTensor, leastPair = 4 + 4 + 4 + 8, 4 + 4 + 1 // bytes that one takes
	tensors := r.length("tensor_count", leastTensor)
	pairs := r.length("metadata_kv_count", leastPair)
	for range pairs {
		key := r.text("key")
		value := r.value(r.u32(), 0)
		if r.err != nil {
			return fmt.Errorf("gguf: metadata %q: %w", key, r.err)
		}
		if _, twice := g.Metadata[key]; twice {
			return fmt.Errorf("gguf: at byte %d: metadata %q occurs twice", r.at, key)
		}
		g.Metadata[key] = value
	}
	for range tensors {
		if err := g.readEntry(r); err != nil {
			return err
		}
	}
	if r.err != nil {
		return fmt.Errorf("gguf: %w", r.err)
	}
	return g.place(r.at)
}

func (g *GGUF) readEntry(r *cursor) error {
	e := ggufTensor{name: r.text("name of a tensor")}
	dims := r.u32()
	if r.err == nil && dims > maxGGUFDims {
		return fmt.Errorf("gguf: tensor %q has %d dimensions, more than %d", e.name, dims, maxGGUFDims)
	}
	for range dims {
		d := r.size()
		if d > math.MaxInt {
			return fmt.Errorf("gguf: tensor %q has a dimension of %d", e.name, d)
		}
		e.shape = append(e.shape, int(d))
	}
	slices.Reverse(e.shape) // the file has the fastest dim first
	e.format = quant.Type(r.u32())
	offset := r.u64()
	if r.err != nil {
		return fmt.Errorf("gguf: tensor %q: %w", e.name, r.err)
	}
	block, size := e.format.BlockSize(), e.format.BlockBytes()
	if dt, ok := ggufNumbers[e.format]; ok {
		block, size = 1, dt.Size()
	} else if !e.format.Known() {
		return fmt.Errorf("gguf: tensor %q has the type %d, which is unknown; %v are read", e.name, uint32(e.format),
			quant.Types())
	}
	n, ok := count(e.shape, math.MaxInt/size)
	if !ok || offset > math.MaxInt {
		return fmt.Errorf("gguf: tensor %q of shape %v at %d is not possible", e.name, e.shape, offset)
	}
	last := 1
	if len(e.shape) > 0 {
		last = e.shape[len(e.shape)-1]
	}
	if last%block != 0 {
		return fmt.Errorf("gguf: tensor %q: rows of %d elements are not whole blocks of %v, which have %d", e.name, last,
			e.format, block)
	}
	e.offset, e.bytes = int64(offset), int64(n/block*size)
	if _, twice := g.byName[e.name]; twice {
		return fmt.Errorf("gguf: at byte %d: there are two tensors %q", r.at, e.name)
	}
	g.byName[e.name] = len(g.entries)
	e.in = g
	g.entries = append(g.entries, e)
	return nil
}

// place finds where the elements begin, and checks that those of every tensor are in the file.
func (g *GGUF) place(end int64) error {
	align := int64(ggufAlignment)
	if v, ok := g.Metadata["general.alignment"]; ok {
		n, ok := v.(uint64)
		if !ok || n == 0 || n > 1<<20 {
			return fmt.Errorf("gguf: an alignment of %v is not possible", v)
		}
		align = int64(n)
	}
	g.start = (end + align - 1) / align * align
	for _, e := range g.entries {
		if left := int64(len(g.mapping.data)) - g.start; e.offset > left || e.bytes > left-e.offset {
			return fmt.Errorf("gguf: tensor %q takes %d bytes from %d on, and %d remaining ones are in the file",
				e.name, e.bytes, e.offset, max(left, 0))
		}
	}
	return g.checkOverlap()
}

// checkOverlap checks that no two tensors share bytes.
func (g *GGUF) checkOverlap() error {
	inOrder := slices.Clone(g.entries)
	slices.SortStableFunc(inOrder, func(a, b ggufTensor) int { return cmp.Compare(a.offset, b.offset) })
	end, last := int64(0), ""
	for _, e := range inOrder {
		if e.bytes == 0 {
			continue
		}
		if e.offset < end {
			return fmt.Errorf("gguf: at byte %d: tensor %q begins before %q ends, at byte %d", g.start+e.offset, e.name,
				last, g.start+end)
		}
		end, last = e.offset+e.bytes, e.name
	}
	return nil
}

// Names lists the tensors in the order of the file.
func (g *GGUF) Names() []string {
	names := make([]string, len(g.entries))
	for i, e := range g.entries {
		names[i] = e.name
	}
	return names
}

// Type returns the format of a tensor and its shape, without reading it; of numbers that are no format, GGUF's number
// of their type. The error says so when there is none of that name.
func (g *GGUF) Type(name string) (quant.Type, []int, error) {
	e, err := g.entry(name)
	if err != nil {
		return 0, nil, err
	}
	return e.format, slices.Clone(e.shape), nil
}

func (g *GGUF) entry(name string) (ggufTensor, error) {
	i, ok := g.byName[name]
	if !ok {
		return ggufTensor{}, fmt.Errorf("%s: there is no tensor %q; there are %s", g.path, name, listed(g.Names()))
	}
	return g.entries[i], nil
}

// ggufNumbers are types of tensors that are numbers of more digits than F32 has, or integers: no model computes with
// them, but files may have some beside its weights.
var ggufNumbers = map[quant.Type]tensor.DType{24: tensor.I8, 25: tensor.I16, 26: tensor.I32, 27: tensor.I64,
	28: tensor.F64}

// Numbers returns a tensor of I8, I16, I32, I64 or F64 on a device; Tensor returns those of all other types. The error
// says so when there is none of that name, or it has another type.
func (g *GGUF) Numbers(name string, dev *tensor.Device) (*tensor.Tensor, error) {
	e, err := g.entry(name)
	if err != nil {
		return nil, err
	}
	dt, ok := ggufNumbers[e.format]
	if !ok {
		return nil, fmt.Errorf("%s: tensor %q is %s: g.Tensor(%q) reads it", g.path, name, e.kind(), name)
	}
	data, err := e.in.mapping.part(e.in.start+e.offset, e.bytes)
	if err != nil {
		return nil, fmt.Errorf("%s: tensor %q: %w", g.path, name, err)
	}
	return tensor.Try(func() *tensor.Tensor { return dev.FromBytes(dt, data, e.shape...) })
}

// kind names the type of a tensor.
func (e ggufTensor) kind() string {
	if dt, ok := ggufNumbers[e.format]; ok {
		return dt.String()
	}
	return e.format.String()
}

// Tensor returns a tensor on the host, whose packed blocks stay in the mapped file: they are read when they are used.
// q.To(dev) brings them to a device. The error says so when there is none of that name.
func (g *GGUF) Tensor(name string) (*quant.QTensor, error) {
	e, err := g.entry(name)
	if err != nil {
		return nil, err
	}
	if _, ok := ggufNumbers[e.format]; ok {
		return nil, fmt.Errorf("%s: tensor %q is %s, which is not packed: g.Numbers(%q, dev) reads it", g.path, name,
			e.kind(), name)
	}
	data, err := e.in.mapping.part(e.in.start+e.offset, e.bytes)
	if err != nil {
		return nil, fmt.Errorf("%s: tensor %q: %w", g.path, name, err)
	}
	q, err := quant.NewOwned(e.format, e.shape, data, e.in.mapping)
	return q, named(g.path, err)
}

// The types of metadata.
const (
	ggufU8 = iota
	ggufI8
	ggufU16
	ggufI16
	ggufU32
	ggufI32
	ggufF32
	ggufBool
	ggufString
	ggufArray
	ggufU64
	ggufI64
	ggufF64
)

// value reads metadata of a type, inside of so many arrays.
func (r *cursor) value(kind uint32, depth int) any {
	switch kind {
	case ggufU8:
		return uint64(r.u8())
	case ggufI8:
		return int64(int8(r.u8()))
	case ggufU16:
		return uint64(r.u16())
	case ggufI16:
		return int64(int16(r.u16()))
	case ggufU32:
		return uint64(r.u32())
	case ggufI32:
		return int64(int32(r.u32()))
	case ggufF32:
		return float64(math.Float32frombits(r.u32()))
	case ggufBool:
		return r.u8() != 0
	case ggufString:
		return r.text("string")
	case ggufArray:
		return r.array(depth + 1)
	case ggufU64:
		return r.u64()
	case ggufI64:
		return int64(r.u64())
	case ggufF64:
		return math.Float64frombits(r.u64())
	}
	r.fail("a value has the type %d, which is unknown", kind)
	return nil
}

func (r *cursor) array(depth int) []any {
	if depth > maxGGUFDepth {
		r.fail("arrays have a nesting depth of more than %d", maxGGUFDepth)
		return nil
	}
	kind := r.u32()
	list := []any{}
	for range r.length("array length", 1) {
		v := r.value(kind, depth)
		if r.err != nil {
			return nil
		}
		list = append(list, v)
	}
	return list
}

// text reads a string. Zeros at its end are cut off.
func (r *cursor) text(what string) string {
	n := r.length("string length of a "+what, 1)
	return strings.TrimRight(string(r.take(n)), "\x00")
}
