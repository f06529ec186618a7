package group

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
)

// The wire between processes. A rank greets rank 0 with a hello; everything else is frames.
//
//	hello: magic (8 bytes), version, world, rank (4 bytes each, little endian)
//	frame: magic (4 bytes), kind, exchange (4 bytes each), length (8 bytes), data

// version is that of the wire.
const version = 1

var helloMagic, frameMagic = [8]byte{'g', 'o', 'r', 'o', 'c', 'm', 0, 'g'}, [4]byte{'g', 'r', 'p', 0xf0}

const (
	helloSize  = 8 + 3*4
	headerSize = 4 + 2*4 + 8
	maxData    = 1 << 40 // bytes of a frame; more is not a frame
	chunk      = 16 << 20
)

// errStrange is the error of bytes that are not the wire's.
var errStrange = errors.New("not the protocol of a group")

// hello is what a process says of itself.
type hello struct{ version, world, rank uint32 }

func writeHello(w io.Writer, h hello) error {
	le := binary.LittleEndian
	b := le.AppendUint32(le.AppendUint32(le.AppendUint32(helloMagic[:], h.version), h.world), h.rank)
	_, err := w.Write(b)
	return err
}

func readHello(r io.Reader) (hello, error) {
	var b [helloSize]byte
	if _, err := io.ReadFull(r, b[:]); err != nil {
		return hello{}, err
	}
	if [8]byte(b[:8]) != helloMagic {
		return hello{}, errStrange
	}
	le := binary.LittleEndian
	return hello{le.Uint32(b[8:]), le.Uint32(b[12:]), le.Uint32(b[16:])}, nil
}

// kind says what a frame carries.
type kind uint32

const (
	kindInvitation kind = 1 + iota // rank 0's answer to hello, when all have joined
	kindPart                       // the data of one rank in an exchange
	kindFailed                     // the error that ends the group, as text
)

// frame is a message.
type frame struct {
	kind     kind
	exchange uint32 // the number of the exchange, from 1; 0 before
	data     []byte
}

func writeFrame(w io.Writer, f frame) error {
	le := binary.LittleEndian
	b := le.AppendUint32(le.AppendUint32(frameMagic[:], uint32(f.kind)), f.exchange)
	b = le.AppendUint64(b, uint64(len(f.data)))
	if _, err := w.Write(b); err != nil {
		return err
	}
	_, err := w.Write(f.data)
	return err
}

// readFrame reads a frame. Memory is allocated as data arrives: the length that a header claims may be a lie.
func readFrame(r io.Reader) (frame, error) {
	var b [headerSize]byte
	if _, err := io.ReadFull(r, b[:]); err != nil {
		return frame{}, err
	}
	le := binary.LittleEndian
	f := frame{kind: kind(le.Uint32(b[4:])), exchange: le.Uint32(b[8:])}
	length := le.Uint64(b[12:])
	if [4]byte(b[:4]) != frameMagic || f.kind < kindInvitation || f.kind > kindFailed {
		return frame{}, errStrange
	}
	if length > maxData {
		return frame{}, fmt.Errorf("%w: a frame of %d bytes", errStrange, length)
	}
	for left := int(length); left > 0; {
		n, have := min(left, max(chunk, len(f.data))), len(f.data)
		f.data = slices.Grow(f.data, n)[:have+n]
		if _, err := io.ReadFull(r, f.data[have:]); err != nil {
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return frame{}, err
		}
		left -= n
	}
	return f, nil
}
