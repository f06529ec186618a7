// Package wire reads messages in protobuf's wire format, field by field: those of ONNX and of SentencePiece. It is one
// file.
package wire

import (
	"fmt"
	"iter"

	"google.golang.org/protobuf/encoding/protowire"
)

// Field is a field of a message: a number, or bytes, which are part of the message's.
type Field struct {
	Num    protowire.Number
	Type   protowire.Type
	Number uint64 // of a varint, fixed32 or fixed64
	Bytes  []byte // of a string, message or packed list
}

// Fields are the fields of a message. An error, which says where the bytes are no fields, is the last.
func Fields(b []byte) iter.Seq2[Field, error] {
	return func(yield func(Field, error) bool) {
		for len(b) > 0 {
			f, n := next(b)
			if n < 0 {
				err := protowire.ParseError(n)
				if f.Num > 0 {
					err = fmt.Errorf("field %d: %w", f.Num, err)
				}
				yield(f, err)
				return
			}
			if b = b[n:]; !yield(f, nil) {
				return
			}
		}
	}
}

// next reads the first field, and returns how many bytes it has, or an error of package protowire as a number below 0.
func next(b []byte) (f Field, size int) {
	num, typ, tag := protowire.ConsumeTag(b)
	if tag < 0 {
		return f, tag
	}
	f.Num, f.Type, b = num, typ, b[tag:]
	n := 0
	switch typ {
	case protowire.VarintType:
		f.Number, n = protowire.ConsumeVarint(b)
	case protowire.Fixed32Type:
		var v uint32
		v, n = protowire.ConsumeFixed32(b)
		f.Number = uint64(v)
	case protowire.Fixed64Type:
		f.Number, n = protowire.ConsumeFixed64(b)
	case protowire.BytesType:
		f.Bytes, n = protowire.ConsumeBytes(b)
	default: // groups, which neither format has
		n = protowire.ConsumeFieldValue(num, typ, b)
	}
	if n < 0 {
		return f, n
	}
	return f, tag + n
}
