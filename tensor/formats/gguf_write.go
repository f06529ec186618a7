package formats

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"

	"github.com/gorocm/gorocm/tensor/quant"
)

// Packed is a tensor of packed blocks with the name that it has in a file.
type Packed struct {
	Name   string
	Tensor *quant.QTensor
}

// WriteGGUF writes a GGUF file of version 3. Metadata may be bool, string, int32, int64, uint32, uint64, float32, float64, and
// slices of string, int32, uint32 and float32. The file is complete or not there.
func WriteGGUF(path string, tensors []Packed, metadata map[string]any) error {
	var b bytes.Buffer
	le := func(v any) { binary.Write(&b, binary.LittleEndian, v) } // to memory: it cannot fail
	text := func(s string) {
		le(uint64(len(s)))
		b.WriteString(s)
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
	align := uint64(ggufAlignment)
	if v, ok := metadata["general.alignment"].(uint32); ok && v > 0 {
		align = uint64(v)
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
func ggufValue(b *bytes.Buffer, v any) error {
	le := func(parts ...any) {
		for _, p := range parts {
			binary.Write(b, binary.LittleEndian, p)
		}
	}
	switch v := v.(type) {
	case bool:
		le(uint32(ggufBool), v)
	case string:
		le(uint32(ggufString), uint64(len(v)), []byte(v))
	case int32:
		le(uint32(ggufI32), v)
	case int64:
		le(uint32(ggufI64), v)
	case uint32:
		le(uint32(ggufU32), v)
	case uint64:
		le(uint32(ggufU64), v)
	case float32:
		le(uint32(ggufF32), math.Float32bits(v))
	case float64:
		le(uint32(ggufF64), math.Float64bits(v))
	case []string:
		le(uint32(ggufArray), uint32(ggufString), uint64(len(v)))
		for _, s := range v {
			le(uint64(len(s)), []byte(s))
		}
	case []int32:
		le(uint32(ggufArray), uint32(ggufI32), uint64(len(v)), v)
	case []uint32:
		le(uint32(ggufArray), uint32(ggufU32), uint64(len(v)), v)
	case []float32:
		le(uint32(ggufArray), uint32(ggufF32), uint64(len(v)), v)
	default:
		return fmt.Errorf("a %T is not written", v)
	}
	return nil
}
