package formats

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
)

// cursor reads little-endian numbers one after the other. After a first error everything is zero; the error says where
// it was.
type cursor struct {
	r      *bufio.Reader
	at     int64 // bytes read
	end    int64 // of the file
	narrow bool  // lengths have 32 bits, not 64
	err    error
}

func newCursor(r io.Reader, size int64) *cursor { return &cursor{r: bufio.NewReader(r), end: size} }

func (r *cursor) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("at byte %d: %w", r.at, fmt.Errorf(format, args...))
	}
}

// take reads n bytes, which the caller knows to be in the file.
func (r *cursor) take(n int) []byte {
	if r.err != nil {
		return nil
	}
	if int64(n) > r.end-r.at {
		r.fail("%d bytes are missing: %w", int64(n)-(r.end-r.at), io.ErrUnexpectedEOF)
		return nil
	}
	data, err := readExactly(r.r, n)
	if err != nil {
		r.fail("%w", err)
		return nil
	}
	r.at += int64(n)
	return data
}

// number reads n bytes as a number.
func (r *cursor) number(n int) uint64 {
	var raw [8]byte
	copy(raw[:], r.take(n))
	return binary.LittleEndian.Uint64(raw[:])
}

func (r *cursor) u8() uint8   { return uint8(r.number(1)) }
func (r *cursor) u16() uint16 { return uint16(r.number(2)) }
func (r *cursor) u32() uint32 { return uint32(r.number(4)) }
func (r *cursor) u64() uint64 { return r.number(8) }

// size reads a length as the version of the file has it.
func (r *cursor) size() uint64 {
	if r.narrow {
		return uint64(r.u32())
	}
	return r.u64()
}

// length reads how many things follow that take at least so many bytes each, and checks that the file can have them.
func (r *cursor) length(what string, each int64) int {
	n := r.size()
	if left := r.end - r.at; r.err == nil && n > uint64(left/each) {
		r.fail("%s is %d, and %d bytes remain", what, n, left)
	}
	if r.err != nil {
		return 0
	}
	return int(n)
}
