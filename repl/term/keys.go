package term

import (
	"bytes"
	"io"
	"strings"
)

// Runes of the private use area that stand in the edited line for what readline would act on.
const (
	newlineRune = '\ue00a' // a newline inside the line, drawn as ␤
	tabRune     = '\ue009' // a pasted tab, drawn as a space; a typed one completes
	deleteRune  = '\ue07f' // the Delete key, which readline takes for Ctrl-D
	pasteRune   = '\ue100' // the first of pasteSlots runes: a pasted block that the editor puts in its place, at once
	pasteSlots  = 16
)

// visible is how a rune of the edited line is drawn; it takes as many columns as the rune itself.
func visible(r rune) rune {
	switch r {
	case newlineRune:
		return '␤'
	case tabRune:
		return ' '
	}
	return r
}

// decode turns the edited line into code, encode code into one line.
func decode(line string) string {
	return strings.NewReplacer(string(newlineRune), "\n", string(tabRune), "\t").Replace(line)
}

func encode(code string) string {
	return strings.NewReplacer("\n", string(newlineRune), "\t", string(tabRune)).Replace(code)
}

// sequences are the keys that readline does not know, and what it does know instead.
var sequences = []struct{ in, out string }{
	{"\x1b[1~", "\x01"}, {"\x1b[7~", "\x01"}, // Home
	{"\x1b[4~", "\x05"}, {"\x1b[8~", "\x05"}, // End
	{"\x1b[3~", string(deleteRune)},
	{"\x1b[1;5C", "\x1bf"}, {"\x1b[1;3C", "\x1bf"}, // Ctrl and Alt with the arrows: by words
	{"\x1b[1;5D", "\x1bb"}, {"\x1b[1;3D", "\x1bb"},
	{"\x1b\r", string(newlineRune)}, {"\x1b\n", string(newlineRune)}, // Alt-Enter
	{"\x1b[5~", ""}, {"\x1b[6~", ""}, {"\x1b[2~", ""}, // Page up, page down, Insert
}

const (
	pasteBegin = "\x1b[200~"
	pasteEnd   = "\x1b[201~"
	pasteOn    = "\x1b[?2004h"
	pasteOff   = "\x1b[?2004l"
)

// keyReader translates what a terminal sends into what readline understands.
type keyReader struct {
	in      io.Reader
	block   func(pasted string) string // what readline gets for a pasted block; nil: the block itself
	held    []byte                     // the start of a sequence whose end has not been read
	ready   []byte
	pasting bool
	paste   strings.Builder // what has come of a block
	cr      bool            // the last pasted byte was a carriage return
	err     error
}

// Read implements io.Reader.
func (k *keyReader) Read(p []byte) (int, error) {
	for len(k.ready) == 0 {
		if k.err != nil {
			return 0, k.err
		}
		buf := make([]byte, 4096)
		n, err := k.in.Read(buf)
		k.err = err
		k.feed(buf[:n])
		if err != nil {
			k.ready = append(append(k.ready, k.paste.String()...), k.held...)
			k.held = nil
			k.paste.Reset()
		}
	}
	n := copy(p, k.ready)
	k.ready = k.ready[n:]
	return n, nil
}

// Close implements io.Closer; the terminal itself stays open.
func (k *keyReader) Close() error { return nil }

func (k *keyReader) feed(b []byte) {
	b = append(k.held, b...)
	k.held = nil
	for len(b) > 0 {
		n, out, complete := k.next(b)
		if !complete {
			k.held = append([]byte(nil), b...)
			return
		}
		k.ready = append(k.ready, out...)
		b = b[n:]
	}
}

// next translates the key at the start of b. It is not complete when b may be the start of a longer sequence.
func (k *keyReader) next(b []byte) (n int, out string, complete bool) {
	if k.pasting {
		return k.pasted(b)
	}
	if b[0] != '\x1b' {
		return 1, string(b[:1]), true
	}
	if bytes.HasPrefix(b, []byte(pasteBegin)) {
		k.pasting, k.cr = true, false
		return len(pasteBegin), "", true
	}
	for _, s := range sequences {
		if bytes.HasPrefix(b, []byte(s.in)) {
			return len(s.in), s.out, true
		}
	}
	if strings.HasPrefix(pasteBegin, string(b)) {
		return 0, "", false
	}
	for _, s := range sequences {
		if strings.HasPrefix(s.in, string(b)) {
			return 0, "", false
		}
	}
	return 1, string(b[:1]), true
}

// pasted translates a piece of a paste: newlines and tabs become part of the line, other control characters are dropped.
func (k *keyReader) pasted(b []byte) (n int, out string, complete bool) {
	if bytes.HasPrefix(b, []byte(pasteEnd)) {
		k.pasting = false
		out = k.paste.String()
		k.paste.Reset()
		if k.block != nil {
			out = k.block(out)
		}
		return len(pasteEnd), out, true
	}
	if strings.HasPrefix(pasteEnd, string(b)) {
		return 0, "", false
	}
	afterCR := k.cr
	k.cr = b[0] == '\r'
	switch c := b[0]; {
	case c == '\n' && afterCR:
	case c == '\n' || c == '\r':
		k.paste.WriteRune(newlineRune)
	case c == '\t':
		k.paste.WriteRune(tabRune)
	case c < ' ' || c == 0x7f:
	default:
		k.paste.WriteByte(c)
	}
	return 1, "", true
}
