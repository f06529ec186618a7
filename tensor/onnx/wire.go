package onnx

import (
	"errors"
	"fmt"
	"math"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/gorocm/gorocm/tensor/internal/wire"
)

// field is one field of a message in protobuf's wire format: a number, or bytes, which are part of the file.
type field struct {
	num    protowire.Number
	typ    protowire.Type
	number uint64 // of a varint, fixed32 or fixed64
	bytes  []byte // of a string, message or packed list
}

// fields calls f for each field of a message.
func fields(b []byte, f func(field) error) error {
	for x, err := range wire.Fields(b) {
		if err != nil {
			return fmt.Errorf("%w: %w", errWire, err)
		}
		if err := f(field{x.Num, x.Type, x.Number, x.Bytes}); err != nil {
			return err
		}
	}
	return nil
}

var errWire = errors.New("this is not an ONNX model, or it was cut off")

func wireError(n int) error { return fmt.Errorf("%w: %w", errWire, protowire.ParseError(n)) }

func (f field) int() int64   { return int64(f.number) }
func (f field) text() string { return string(f.bytes) }

// want returns an error unless the field is bytes.
func (f field) want(what string) error {
	if f.typ != protowire.BytesType {
		return fmt.Errorf("%w: %s is not a message", errWire, what)
	}
	return nil
}

// message parses the message in a field.
func message[T any](f field, what string, depth int, parse func(b []byte, depth int) (T, error)) (T, error) {
	var none T
	if err := f.want(what); err != nil {
		return none, err
	}
	if depth >= maxDepth {
		return none, fmt.Errorf("%s is nested more than %d deep", what, maxDepth)
	}
	m, err := parse(f.bytes, depth+1)
	if err != nil {
		return none, fmt.Errorf("%s: %w", what, err)
	}
	return m, nil
}

// varints appends the numbers of a repeated field, packed or not.
func varints(list []int64, f field) ([]int64, error) {
	if f.typ != protowire.BytesType {
		return append(list, f.int()), nil
	}
	for b := f.bytes; len(b) > 0; {
		v, n := protowire.ConsumeVarint(b)
		if n < 0 {
			return nil, wireError(n)
		}
		list = append(list, int64(v))
		b = b[n:]
	}
	return list, nil
}

// floats32 appends the numbers of a repeated float field, packed or not.
func floats32(list []float32, f field) ([]float32, error) {
	if f.typ != protowire.BytesType {
		return append(list, math.Float32frombits(uint32(f.number))), nil
	}
	for b := f.bytes; len(b) > 0; {
		v, n := protowire.ConsumeFixed32(b)
		if n < 0 {
			return nil, wireError(n)
		}
		list = append(list, math.Float32frombits(v))
		b = b[n:]
	}
	return list, nil
}

// floats64 appends the numbers of a repeated double field, packed or not.
func floats64(list []float64, f field) ([]float64, error) {
	if f.typ != protowire.BytesType {
		return append(list, math.Float64frombits(f.number)), nil
	}
	for b := f.bytes; len(b) > 0; {
		v, n := protowire.ConsumeFixed64(b)
		if n < 0 {
			return nil, wireError(n)
		}
		list = append(list, math.Float64frombits(v))
		b = b[n:]
	}
	return list, nil
}
