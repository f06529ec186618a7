// Package plain reads text files that other programs write otherwise than as lines of UTF-8.
package plain

import (
	"bufio"
	"bytes"
	"io"

	"golang.org/x/text/encoding/unicode"
)

// peeked is how many bytes of a text tell how its lines end.
const peeked = 64 << 10

// Reader reads the text of r as UTF-8 with lines that end in \n: UTF-16 is decoded, if the text begins with its mark,
// and where \r ends the first lines, none of which ends in \n, it is read as \n. What is in quotes stays as it is. same
// reports whether the bytes are those of r.
func Reader(r io.Reader) (text io.Reader, same bool) {
	b := bufio.NewReaderSize(r, peeked)
	begin, _ := b.Peek(2)
	if bytes.Equal(begin, []byte{0xff, 0xfe}) || bytes.Equal(begin, []byte{0xfe, 0xff}) {
		decoded := unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM).NewDecoder().Reader(b)
		text, _ = Reader(decoded)
		return text, false
	}
	first, _ := b.Peek(peeked)
	quoted, returns := false, false
	for _, x := range bytes.TrimSuffix(first, []byte("\r")) {
		switch {
		case x == '"':
			quoted = !quoted
		case x == '\n' && !quoted:
			return b, true
		case x == '\r' && !quoted:
			returns = true
		}
	}
	if !returns {
		return b, true
	}
	return &carriageReturns{r: b}, false
}

// carriageReturns reads \r, and \r\n, as \n, but in quotes.
type carriageReturns struct {
	r      *bufio.Reader
	quoted bool
}

func (c *carriageReturns) Read(p []byte) (n int, err error) {
	n, err = c.r.Read(p)
	to := 0
	for i, x := range p[:n] {
		if x == '"' {
			c.quoted = !c.quoted
		} else if x == '\r' && !c.quoted {
			next := []byte(nil)
			if i+1 < n {
				next = p[i+1 : i+2]
			} else {
				next, _ = c.r.Peek(1)
			}
			if len(next) == 1 && next[0] == '\n' {
				continue
			}
			x = '\n'
		}
		p[to] = x
		to++
	}
	return to, err
}
