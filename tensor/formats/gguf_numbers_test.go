package formats_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/formats"
)

// numbersGGUF is a file of version 3 with tensors of three elements, as gguf-py writes them.
func numbersGGUF(order binary.AppendByteOrder) []byte {
	tensors := []struct {
		name   string
		kind   uint32
		values any
	}{
		{"f32", 0, []float32{1, 2, 3}}, {"i8", 24, []int8{-1, 2, 127}}, {"i16", 25, []int16{-1, 2, 1 << 14}},
		{"i32", 26, []int32{-1, 2, 1 << 30}}, {"i64", 27, []int64{-1, 2, 1<<53 + 1}}, {"f64", 28, []float64{0.1, -2, 1e300}},
	}
	head := order.AppendUint32([]byte("GGUF"), 3)
	head = order.AppendUint64(order.AppendUint64(head, uint64(len(tensors))), 0)
	data := new(bytes.Buffer)
	for _, t := range tensors {
		head = append(order.AppendUint64(head, uint64(len(t.name))), t.name...)
		head = order.AppendUint64(order.AppendUint32(head, 1), 3)
		head = order.AppendUint64(order.AppendUint32(head, t.kind), uint64(data.Len()))
		_ = binary.Write(data, order.(binary.ByteOrder), t.values) // to a buffer
		data.Write(make([]byte, -data.Len()&31))
	}
	return append(append(head, make([]byte, -len(head)&31)...), data.Bytes()...)
}

// TestGGUFNumbers: integers and F64 beside weights are read by Numbers, and do not keep the weights from being read.
func TestGGUFNumbers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "numbers.gguf")
	if err := os.WriteFile(path, numbersGGUF(binary.LittleEndian), 0o600); err != nil {
		t.Fatal(err)
	}
	g, err := formats.OpenGGUF(path)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	if q, err := g.Tensor("f32"); err != nil || fmt.Sprint(q.Dequantize(tensor.CPU()).ToVec1()) != "[1 2 3]" {
		t.Error(q, err)
	}
	for name, want := range map[string]string{"i8": "i8 [-1 2 127]", "i16": "i16 [-1 2 16384]", "i32": "i32 [-1 2 1.073741824e+09]",
		"i64": "i64 [-1 2 9007199254740993]", "f64": "f64 [0.1 -2 1e+300]"} {
		x, err := g.Numbers(name, tensor.CPU())
		if err != nil {
			t.Error(err)
			continue
		}
		got := fmt.Sprint(x.DType(), " ")
		if name == "i64" {
			got += fmt.Sprint(tensor.ToVec1[int64](x))
		} else {
			got += fmt.Sprint(x.Float64s())
		}
		if got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
		if _, err := g.Tensor(name); err == nil || !strings.Contains(err.Error(), `g.Numbers("`+name+`", dev) reads it`) {
			t.Error(err)
		}
		if !strings.Contains(g.String(), " "+name) || strings.Contains(g.String(), "Type(") {
			t.Error(g)
		}
	}
	if _, err := g.Numbers("f32", tensor.CPU()); err == nil || !strings.Contains(err.Error(), `g.Tensor("f32") reads it`) {
		t.Error(err)
	}
	if err := os.WriteFile(path, numbersGGUF(binary.BigEndian), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := formats.OpenGGUF(path); err == nil || !strings.Contains(err.Error(), "big-endian") {
		t.Error(err)
	}
}
