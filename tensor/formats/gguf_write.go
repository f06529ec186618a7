package formats

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"

	"github.com/gorocm/gorocm/tensor/quant"
)

// Packed is a tensor of packed blocks with the name that it has in a file. One that is not packed is quant.Quantize(x,
// quant.F32), or F16, or BF16.
type Packed struct {
	Name   string
	Tensor *quant.QTensor
}

// WriteGGUF writes a GGUF file of version 3. Metadata may be bool, string, numbers of any Go type, and slices of one of
// them, nested too, as OpenGGUF gives them. Numbers of 64 bits are written in 32 where they fit, as programs that read
// such files expect. The file is complete or not there.
func WriteGGUF(path string, tensors []Packed, metadata map[string]any) error {
	var b bytes.Buffer
	le := func(v any) { binary.Write(&b, binary.LittleEndian, v) } // to memory: it cannot fail
	text := func(s string) {
		le(uint64(len(s)))
		b.WriteString(s)
	}
	if err := there(len(tensors), func(i int) (string, bool) {
		return tensors[i].Name,
			tensors[i].Tensor != nil
	}); err != nil {
		return named(path, err)
	}
	align := uint64(ggufAlignment)
	if v, ok := metadata["general.alignment"]; ok {
		kind, number := ggufKind(v)
		n, ok := number.(uint32)
		if i, signed := number.(int32); signed && i > 0 {
			n, ok = uint32(i), true
		}
		if !ok || n == 0 || n > 1<<20 {
			return fmt.Errorf("%s: an alignment of %v (type %d) is not possible", path, v, kind)
		}
		metadata = maps.Clone(metadata)
		metadata["general.alignment"] = n
		align = uint64(n)
	}
	le(uint32(ggufMagic))
	le(uint32(3))
	le(uint64(len(tensors)))
	le(uint64(len(metadata)))
	for _, key := range slices.Sorted(maps.Keys(metadata)) {
		text(key)
		if err := ggufValue(&b, metadata[key]); err != nil {
			return fmt.Errorf("%s: metadata %q: %w", path, key, err)
		}
	}
	pad := func(n uint64) uint64 { return (n + align - 1) / align * align }
	offset := uint64(0)
	for _, t := range tensors {
		text(t.Name)
		dims := t.Tensor.Dims()
		le(uint32(len(dims)))
		for _, d := range slices.Backward(dims) {
			le(uint64(d))
		}
		le(uint32(t.Tensor.Type()))
		le(offset)
		offset = pad(offset + uint64(t.Tensor.Bytes()))
	}
	zeros := make([]byte, align)
	return named(path, writeFile(path, func(w io.Writer) error {
		at := uint64(b.Len())
		if _, err := w.Write(append(b.Bytes(), zeros[:pad(at)-at]...)); err != nil {
			return err
		}
		for _, t := range tensors {
			n := uint64(t.Tensor.Bytes())
			if _, err := w.Write(t.Tensor.Data()); err != nil {
				return err
			}
			if _, err := w.Write(zeros[:pad(n)-n]); err != nil {
				return err
			}
		}
		return nil
	}))
}

// ggufValue writes the type of a value, and the value.
func ggufValue(b *bytes.Buffer, v any) error { return ggufTyped(b, v, true, 0) }

// ggufTyped writes a value inside of so many slices, with its type or without.
func ggufTyped(b *bytes.Buffer, v any, typed bool, depth int) error {
	kind, v := ggufKind(v)
	if kind < 0 {
		return fmt.Errorf("a %T is not written", v)
	}
	put := func(parts ...any) {
		for _, p := range parts {
			binary.Write(b, binary.LittleEndian, p) // to memory: it cannot fail
		}
	}
	if typed {
		put(uint32(kind))
	}
	switch v := v.(type) {
	case string:
		put(uint64(len(v)), []byte(v))
	case reflect.Value:
		return ggufSlice(b, v, depth+1)
	default:
		put(v)
	}
	return nil
}

// ggufSlice writes the type of elements, how many there are, and these.
func ggufSlice(b *bytes.Buffer, v reflect.Value, depth int) error {
	if depth > maxGGUFDepth {
		return fmt.Errorf("slices have a nesting depth of more than %d", maxGGUFDepth)
	}
	elems := make([]any, v.Len())
	for i := range elems {
		elems[i] = v.Index(i).Interface()
	}
	kind := ggufString // of no elements
	if len(elems) > 0 {
		kind, _ = ggufKind(elems[0])
	}
	for i, e := range elems {
		k, _ := ggufKind(e)
		if k != kind { // a number does not fit in 32 bits, or has a sign: all take 64
			kind = wider(kind, k)
		}
		if kind < 0 {
			return fmt.Errorf("element %d is a %T, and the first is a %T: those of an array have one type", i, e,
				elems[0])
		}
	}
	binary.Write(b, binary.LittleEndian, uint32(kind))
	binary.Write(b, binary.LittleEndian, uint64(len(elems)))
	for _, e := range elems {
		switch kind {
		case ggufI64, ggufU64, ggufF64:
			binary.Write(b, binary.LittleEndian, reflect.ValueOf(e).Convert(ggufWide[kind]).Interface())
		default:
			if err := ggufTyped(b, e, false, depth); err != nil {
				return err
			}
		}
	}
	return nil
}

var ggufWide = map[int]reflect.Type{ggufI64: reflect.TypeFor[int64](), ggufU64: reflect.TypeFor[uint64](),
	ggufF64: reflect.TypeFor[float64]()}

// wider is the type that has the numbers of two, or -1.
func wider(a, b int) int {
	in := func(k int, list ...int) bool { return slices.Contains(list, k) }
	switch {
	case in(a, ggufI32, ggufI64) && in(b, ggufI32, ggufI64):
		return ggufI64
	case in(a, ggufU32, ggufU64) && in(b, ggufU32, ggufU64):
		return ggufU64
	case in(a, ggufF32, ggufF64) && in(b, ggufF32, ggufF64):
		return ggufF64
	}
	return -1
}

// ggufKind returns the type that a value is written as, and the value as one that fits it; a slice as its
// reflect.Value. The type of what is not written is -1.
func ggufKind(v any) (kind int, as any) {
	r := reflect.ValueOf(v)
	switch r.Kind() {
	case reflect.Bool:
		return ggufBool, r.Bool()
	case reflect.String:
		return ggufString, r.String()
	case reflect.Int8:
		return ggufI8, int8(r.Int())
	case reflect.Int16:
		return ggufI16, int16(r.Int())
	case reflect.Int, reflect.Int32, reflect.Int64:
		if n := r.Int(); n == int64(int32(n)) {
			return ggufI32, int32(n)
		}
		return ggufI64, r.Int()
	case reflect.Uint8:
		return ggufU8, uint8(r.Uint())
	case reflect.Uint16:
		return ggufU16, uint16(r.Uint())
	case reflect.Uint, reflect.Uint32, reflect.Uint64:
		if n := r.Uint(); n == uint64(uint32(n)) {
			return ggufU32, uint32(n)
		}
		return ggufU64, r.Uint()
	case reflect.Float32:
		return ggufF32, float32(r.Float())
	case reflect.Float64:
		if f := r.Float(); f == float64(float32(f)) || f != f {
			return ggufF32, float32(f)
		}
		return ggufF64, r.Float()
	case reflect.Slice:
		return ggufArray, r
	}
	return -1, v
}
