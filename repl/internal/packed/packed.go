// Package packed keeps long lists of what is hardly ever asked for, such as the cells of a session, in little memory:
// all but the newest values are compressed, some hundreds at a time.
//
//	var cells packed.List[Past]
//	cells.Add(p)
//	cells.Last().Failed = true
//	for _, p := range cells.Values() { … }
//
// The values of a List are what gob encodes of them: exported fields. Cells that resemble one another take some ten
// bytes each.
package packed

import (
	"bytes"
	"compress/flate"
	"encoding/gob"
	"fmt"
)

// blockLength is how many values are compressed at once.
const blockLength = 256

// List is a list of values. The zero List is empty. A List must not be used by several goroutines at once.
type List[T any] struct {
	blocks [][]byte // of blockLength values each
	recent []T      // the newest; at least one where there is any
}

// Len returns the number of values.
func (l *List[T]) Len() int { return len(l.blocks)*blockLength + len(l.recent) }

// Add appends a value.
func (l *List[T]) Add(v T) {
	if len(l.recent) == 2*blockLength {
		l.blocks = append(l.blocks, pack(l.recent[:blockLength]))
		n := copy(l.recent, l.recent[blockLength:])
		clear(l.recent[n:])
		l.recent = l.recent[:n]
	}
	l.recent = append(l.recent, v)
}

// Shorten drops the oldest values until n remain, or up to blockLength-1 more.
func (l *List[T]) Shorten(n int) {
	for len(l.blocks) > 0 && l.Len()-blockLength >= n {
		l.blocks[0] = nil
		l.blocks = l.blocks[1:]
	}
	if len(l.blocks) == 0 && len(l.recent) > n {
		l.recent = append([]T(nil), l.recent[len(l.recent)-n:]...)
	}
}

// Last returns the newest value, which can be changed there until the next call of Add; nil when there is none.
func (l *List[T]) Last() *T {
	if len(l.recent) == 0 {
		return nil
	}
	return &l.recent[len(l.recent)-1]
}

// Values returns all values, in a slice of its own.
func (l *List[T]) Values() []T {
	list := make([]T, 0, l.Len())
	for _, b := range l.blocks {
		list = append(list, unpack[T](b)...)
	}
	return append(list, l.recent...)
}

// pack compresses values.
func pack[T any](list []T) []byte {
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.BestSpeed)
	if err == nil {
		err = gob.NewEncoder(w).Encode(list)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		panic(fmt.Sprintf("packed: %v", err)) // gob refuses the type: a mistake of the caller's
	}
	return bytes.Clone(b.Bytes())
}

func unpack[T any](b []byte) (list []T) {
	if err := gob.NewDecoder(flate.NewReader(bytes.NewReader(b))).Decode(&list); err != nil {
		panic(fmt.Sprintf("packed: %v", err)) // what pack has made is decoded
	}
	return list
}
