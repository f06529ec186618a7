package codeobject

import (
	"encoding/binary"
	"errors"
	"math"
)

// Metadata in a code object is MessagePack. This decodes the part of it that compilers emit: maps with string keys,
// arrays, strings, integers, floats and booleans.

var errMsgpack = errors.New("metadata is not well-formed MessagePack")

const msgpackDepth = 32 // deeper nesting than any compiler emits; bounds the recursion

type msgpackReader struct{ b []byte }

func decodeMsgpack(b []byte) (any, error) {
	r := msgpackReader{b}
	return r.value(0)
}

func (r *msgpackReader) take(n uint64) ([]byte, error) {
	if n > uint64(len(r.b)) {
		return nil, errMsgpack
	}
	b := r.b[:n]
	r.b = r.b[n:]
	return b, nil
}

// uint reads a big-endian integer of n bytes.
func (r *msgpackReader) uint(n uint64) (uint64, error) {
	b, err := r.take(n)
	if err != nil {
		return 0, err
	}
	var v uint64
	for _, c := range b {
		v = v<<8 | uint64(c)
	}
	return v, nil
}

func (r *msgpackReader) value(depth int) (any, error) {
	tag, err := r.uint(1)
	if err != nil {
		return nil, err
	}
	if depth > msgpackDepth {
		return nil, errMsgpack
	}
	switch {
	case tag < 0x80:
		return tag, nil
	case tag < 0x90:
		return r.object(tag&15, depth)
	case tag < 0xa0:
		return r.array(tag&15, depth)
	case tag < 0xc0:
		return r.text(tag & 31)
	case tag >= 0xe0:
		return int64(int8(tag)), nil
	}
	switch tag {
	case 0xc0:
		return nil, nil
	case 0xc2, 0xc3:
		return tag == 0xc3, nil
	case 0xca:
		v, err := r.uint(4)
		return float64(math.Float32frombits(uint32(v))), err
	case 0xcb:
		b, err := r.take(8)
		if err != nil {
			return nil, err
		}
		return math.Float64frombits(binary.BigEndian.Uint64(b)), nil
	case 0xcc, 0xcd, 0xce, 0xcf:
		return r.sized(1<<(tag-0xcc), func(v uint64) (any, error) { return v, nil })
	case 0xd0, 0xd1, 0xd2, 0xd3:
		n := uint64(1) << (tag - 0xd0)
		return r.sized(n, func(v uint64) (any, error) { return int64(v<<(64-8*n)) >> (64 - 8*n), nil })
	case 0xd9, 0xda, 0xdb:
		return r.sized(1<<(tag-0xd9), r.text)
	case 0xdc, 0xdd:
		return r.sized(2<<(tag-0xdc), func(n uint64) (any, error) { return r.array(n, depth) })
	case 0xde, 0xdf:
		return r.sized(2<<(tag-0xde), func(n uint64) (any, error) { return r.object(n, depth) })
	}
	return nil, errMsgpack
}

// sized reads an integer of n bytes and hands it on.
func (r *msgpackReader) sized(n uint64, next func(uint64) (any, error)) (any, error) {
	v, err := r.uint(n)
	if err != nil {
		return nil, err
	}
	return next(v)
}

func (r *msgpackReader) text(n uint64) (any, error) {
	b, err := r.take(n)
	return string(b), err
}

func (r *msgpackReader) array(n uint64, depth int) (any, error) {
	if n > uint64(len(r.b)) {
		return nil, errMsgpack
	}
	list := make([]any, 0, n)
	for range n {
		v, err := r.value(depth + 1)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return list, nil
}

func (r *msgpackReader) object(n uint64, depth int) (any, error) {
	if n > uint64(len(r.b)) {
		return nil, errMsgpack
	}
	object := make(map[string]any, n)
	for range n {
		k, err := r.value(depth + 1)
		if err != nil {
			return nil, err
		}
		key, ok := k.(string)
		if !ok {
			return nil, errMsgpack
		}
		if object[key], err = r.value(depth + 1); err != nil {
			return nil, err
		}
	}
	return object, nil
}
