// Package arrowfile checks the schemas of Arrow files before a library reads them.
package arrowfile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow-go/v18/arrow/ipc"
	flatbuffers "github.com/google/flatbuffers/go"
	"github.com/gorocm/gorocm/tensor/limits"
)

// Schemas of Arrow files are FlatBuffers, whose lists say how long they are; the library takes memory for as many
// elements before it reads them. Lists that do not fit in the bytes that there are end here.

const maxDepth = 64

// The offsets of members in tables of FlatBuffers (4 and 2 for each member before), by Arrow's Schema.fbs and
// Message.fbs.
const (
	footerSchema       = 6
	footerDictionaries = 8
	footerBatches      = 10
	blockSize          = 24 // bytes of an entry of these
	messageType        = 6
	messageBody        = 10
	messageHeader      = 8
	messageMeta        = 12
	schemaFields       = 6
	schemaMeta         = 8
	fieldChildren      = 14
	fieldMeta          = 16
	schemaMessage      = 1 // the type of a message that has a schema
	continuation       = 0xffffffff
	trailerLength      = 4 + 6 // of a file: the length of its footer, and the magic bytes
)

// Check checks the schema and the messages of an Arrow file or stream of size bytes. Reading beyond a table
// panics, as for other malformed files.
func Check(r io.ReaderAt, size int64, isFile bool) error {
	if isFile {
		return checkArrowFile(r, size)
	}
	for pos, first := int64(0), true; pos < size; first = false {
		message, length, err := arrowMessage(r, pos, size)
		if err != nil {
			return err
		}
		if length == 0 { // the end of the stream
			return nil
		}
		root := rootOf(message)
		if err := checkList(root, messageMeta, 4); err != nil {
			return err
		}
		if first {
			o := flatbuffers.UOffsetT(root.Offset(messageType))
			if o == 0 || root.GetByte(root.Pos+o) != schemaMessage {
				return errors.New("arrow: a stream that does not begin with a schema")
			}
			if err := checkSchema(member(root, messageHeader)); err != nil {
				return err
			}
		}
		body := int64(0)
		if o := root.Offset(messageBody); o != 0 {
			body = root.GetInt64(root.Pos + flatbuffers.UOffsetT(o))
		}
		if body < 0 || body > size-pos-length {
			return fmt.Errorf("arrow: a message of %d bytes, where %d are left", body, size-pos-length)
		}
		pos += length + body
	}
	return nil
}

func checkArrowFile(r io.ReaderAt, size int64) error {
	var end [trailerLength]byte
	if size < int64(len(end)+len(ipc.Magic)) {
		return errors.New("arrow: a file that is cut off")
	}
	if _, err := r.ReadAt(end[:], size-int64(len(end))); err != nil {
		return err
	}
	length := int64(int32(binary.LittleEndian.Uint32(end[:])))
	footer, err := readPart(r, size-int64(len(end))-length, length, size)
	if err != nil {
		return err
	}
	root := rootOf(footer)
	for _, blocks := range []flatbuffers.VOffsetT{footerDictionaries, footerBatches} {
		if err := checkList(root, blocks, blockSize); err != nil {
			return err
		}
		o := flatbuffers.UOffsetT(root.Offset(blocks))
		if o == 0 {
			continue
		}
		for i := range root.VectorLen(o) {
			at := root.GetInt64(root.Vector(o) + flatbuffers.UOffsetT(blockSize*i))
			message, length, err := arrowMessage(r, at, size)
			if err != nil || length == 0 {
				return errors.Join(err, errors.New("arrow: a malformed file"))
			}
			if err := checkList(rootOf(message), messageMeta, 4); err != nil {
				return err
			}
		}
	}
	return checkSchema(member(root, footerSchema))
}

func rootOf(b []byte) flatbuffers.Table {
	return flatbuffers.Table{Bytes: b, Pos: flatbuffers.GetUOffsetT(b)}
}

// readPart reads a part of a file.
func readPart(r io.ReaderAt, at, n, size int64) ([]byte, error) {
	if n < 8 || at < 0 || n > size-at {
		return nil, fmt.Errorf("arrow: neither an Arrow file nor a stream: %d bytes at byte %d of %d", n, at, size)
	}
	if err := limits.ArrowSchema.Check(int(n), fmt.Sprintf("arrow: %d bytes at byte %d", n, at)); err != nil {
		return nil, err
	}
	buf := make([]byte, n)
	_, err := r.ReadAt(buf, at)
	return buf, err
}

// arrowMessage reads the metadata of a message, and returns its length with what says how long it is; 0 at the end of a
// stream.
func arrowMessage(r io.ReaderAt, pos, size int64) (meta []byte, length int64, err error) {
	var start [8]byte
	if pos < 0 || size-pos < 4 {
		return nil, 0, errors.New("arrow: a message that is cut off")
	}
	if _, err := r.ReadAt(start[:min(8, size-pos)], pos); err != nil {
		return nil, 0, err
	}
	prefix, n := int64(4), int64(int32(binary.LittleEndian.Uint32(start[:4])))
	if binary.LittleEndian.Uint32(start[:4]) == continuation {
		prefix, n = 8, int64(int32(binary.LittleEndian.Uint32(start[4:])))
	}
	if n == 0 {
		return nil, 0, nil
	}
	meta, err = readPart(r, pos+prefix, n, size)
	return meta, prefix + n, err
}

func checkSchema(schema flatbuffers.Table) error {
	if err := checkList(schema, schemaMeta, 4); err != nil {
		return err
	}
	left := limits.Columns.Value()
	return checkFields(schema, schemaFields, &left, 0)
}

// member returns a table inside of a table.
func member(t flatbuffers.Table, slot flatbuffers.VOffsetT) flatbuffers.Table {
	o := t.Offset(slot)
	if o == 0 {
		panic("a table without a schema")
	}
	return flatbuffers.Table{Bytes: t.Bytes, Pos: t.Indirect(t.Pos + flatbuffers.UOffsetT(o))}
}

// checkList checks that a list of elements of a size fits in the bytes.
func checkList(t flatbuffers.Table, slot flatbuffers.VOffsetT, elem int64) error {
	o := t.Offset(slot)
	if o == 0 {
		return nil
	}
	start, n := int64(t.Vector(flatbuffers.UOffsetT(o))), int64(t.VectorLen(flatbuffers.UOffsetT(o)))
	if n < 0 || start+elem*n > int64(len(t.Bytes)) {
		return fmt.Errorf("arrow: a list of %d elements in a schema of %d bytes", n, len(t.Bytes))
	}
	return nil
}

// checkFields checks the fields of a schema, or the children of a field.
func checkFields(t flatbuffers.Table, slot flatbuffers.VOffsetT, left *int, depth int) error {
	if err := checkList(t, slot, 4); err != nil {
		return err
	}
	o := t.Offset(slot)
	if o == 0 {
		return nil
	}
	start := t.Vector(flatbuffers.UOffsetT(o))
	for i := range t.VectorLen(flatbuffers.UOffsetT(o)) {
		if depth == maxDepth {
			return fmt.Errorf("arrow: types nested more than %d deep", maxDepth)
		}
		if *left--; *left < 0 {
			return limits.Columns.Reached("arrow: more columns")
		}
		f := flatbuffers.Table{Bytes: t.Bytes, Pos: t.Indirect(start + flatbuffers.UOffsetT(4*i))}
		if err := checkList(f, fieldMeta, 4); err != nil {
			return err
		}
		if err := checkFields(f, fieldChildren, left, depth+1); err != nil {
			return err
		}
	}
	return nil
}
