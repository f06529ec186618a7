// Package thrift checks structures of Thrift's compact protocol, which Parquet files have their metadata in, before a
// library decodes them. The format is that of
// https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md.
package thrift

import (
	"encoding/binary"
	"fmt"
	"io"
)

// maxDepth is how deep values may be in one another. Parquet's metadata has less than ten levels.
const maxDepth = 64

// Length returns how many bytes the structure has with which b begins. The error is io.ErrUnexpectedEOF where b ends
// before the structure does, or a list in it declares more elements than b has bytes; values that are too deep in one
// another, or of an unknown type, are one, too.
func Length(b []byte) (int, error) {
	r := reader{rest: b}
	err := r.structure(0)
	return len(b) - len(r.rest), err
}

type reader struct{ rest []byte }

// The types of values.
const (
	stop = iota // the end of a structure
	yes         // true, and any boolean in lists
	no
	int8Type
	int16Type
	int32Type
	int64Type
	double
	bytes
	list
	set
	mapType
	structure
	uuid
)

func (r *reader) skip(n uint64) error {
	if n > uint64(len(r.rest)) {
		return io.ErrUnexpectedEOF
	}
	r.rest = r.rest[n:]
	return nil
}

func (r *reader) byte() (byte, error) {
	if len(r.rest) == 0 {
		return 0, io.ErrUnexpectedEOF
	}
	b := r.rest[0]
	r.rest = r.rest[1:]
	return b, nil
}

func (r *reader) varint() (uint64, error) {
	v, n := binary.Uvarint(r.rest)
	if n == 0 {
		return 0, io.ErrUnexpectedEOF
	} else if n < 0 {
		return 0, fmt.Errorf("thrift: a number of more than 64 bits")
	}
	r.rest = r.rest[n:]
	return v, nil
}

func (r *reader) structure(depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("thrift: values are more than %d deep in one another", maxDepth)
	}
	for {
		field, err := r.byte()
		if err != nil || field&15 == stop {
			return err
		}
		if field>>4 == 0 { // its number follows
			if _, err := r.varint(); err != nil {
				return err
			}
		}
		if t := field & 15; t != yes && t != no {
			if err := r.value(t, depth); err != nil {
				return err
			}
		}
	}
}

// value skips a value, or a boolean of a list.
func (r *reader) value(t byte, depth int) error {
	switch t {
	case yes, no, int8Type:
		return r.skip(1)
	case int16Type, int32Type, int64Type:
		_, err := r.varint()
		return err
	case double:
		return r.skip(8)
	case uuid:
		return r.skip(16)
	case bytes:
		n, err := r.varint()
		if err != nil {
			return err
		}
		return r.skip(n)
	case list, set:
		return r.list(depth + 1)
	case mapType:
		return r.pairs(depth + 1)
	case structure:
		return r.structure(depth + 1)
	}
	return fmt.Errorf("thrift: a value of type %d, which is none", t)
}

func (r *reader) list(depth int) error {
	head, err := r.byte()
	if err != nil {
		return err
	}
	n := uint64(head >> 4)
	if n == 15 {
		if n, err = r.varint(); err != nil {
			return err
		}
	}
	return r.values(n, depth, head&15)
}

func (r *reader) pairs(depth int) error {
	n, err := r.varint()
	if err != nil || n == 0 {
		return err
	}
	types, err := r.byte()
	if err != nil {
		return err
	}
	return r.values(n, depth, types>>4, types&15)
}

// values skips n times a value of each type. Each has one byte at least.
func (r *reader) values(n uint64, depth int, types ...byte) error {
	if depth > maxDepth {
		return fmt.Errorf("thrift: values are more than %d deep in one another", maxDepth)
	}
	if n > uint64(len(r.rest)) {
		return io.ErrUnexpectedEOF
	}
	for range n {
		for _, t := range types {
			if err := r.value(t, depth); err != nil {
				return err
			}
		}
	}
	return nil
}
