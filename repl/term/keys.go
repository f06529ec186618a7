package term

import (
	"bytes"
	"io"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// Keys that are no characters are runes at the end of Unicode's last plane of private use, where no keyboard has any.
const (
	keyUp rune = 0x10f700 + iota
	keyDown
	keyLeft
	keyRight
	keyHome
	keyEnd
	keyWordLeft
	keyWordRight
	keyPageUp
	keyPageDown
	keyDelete
	keyDeleteWord     // to the right
	keyDeleteWordLeft // Alt-Backspace
	keyBackTab
	keyNewline // Alt-Enter
	keyRun     // Ctrl-Enter and Shift-Enter, where the terminal tells them from Enter
	keyEscape
	keyFirst // Alt-<
	keyLast  // Alt->
	keyStatus
	keyPaste // the next of the pasted blocks
	keyNone
)

// Control characters that are keys of the editor.
const (
	ctrlA, ctrlB, ctrlC, ctrlD, ctrlE, ctrlF, ctrlG, ctrlH = 1, 2, 3, 4, 5, 6, 7, 8
	ctrlJ, ctrlK, ctrlL, ctrlN, ctrlO, ctrlP, ctrlR, ctrlS = 10, 11, 12, 14, 15, 16, 18, 19
	ctrlT, ctrlU, ctrlW, ctrlX, ctrlY, ctrlZ               = 20, 21, 23, 24, 25, 26
	ctrlUnderscore                                         = 31
	tab, enter, backspace                                  = 9, 13, 127
)

// sequences are what terminals send for keys.
var sequences = map[string]rune{
	"\x1b[A": keyUp, "\x1b[B": keyDown, "\x1b[C": keyRight, "\x1b[D": keyLeft,
	"\x1bOA": keyUp, "\x1bOB": keyDown, "\x1bOC": keyRight, "\x1bOD": keyLeft,
	"\x1b[H": keyHome, "\x1b[F": keyEnd, "\x1bOH": keyHome, "\x1bOF": keyEnd,
	"\x1b[1~": keyHome, "\x1b[7~": keyHome, "\x1b[4~": keyEnd, "\x1b[8~": keyEnd,
	"\x1b[1;5H": keyFirst, "\x1b[1;5F": keyLast, "\x1b<": keyFirst, "\x1b>": keyLast,
	"\x1b[1;5C": keyWordRight, "\x1b[1;3C": keyWordRight, "\x1bf": keyWordRight, "\x1b\x1b[C": keyWordRight,
	"\x1b[1;5D": keyWordLeft, "\x1b[1;3D": keyWordLeft, "\x1bb": keyWordLeft, "\x1b\x1b[D": keyWordLeft,
	"\x1b[5~": keyPageUp, "\x1b[6~": keyPageDown, "\x1b[3~": keyDelete, "\x1b[3;5~": keyDeleteWord, "\x1bd": keyDeleteWord,
	"\x1b\x7f": keyDeleteWordLeft, "\x1b\b": keyDeleteWordLeft, "\x1b[Z": keyBackTab,
	"\x1b\r": keyNewline, "\x1b\n": keyNewline, "\x1b[13;3u": keyNewline, "\x1b[27;3;13~": keyNewline,
	"\x1b[13;5u": keyRun, "\x1b[13;2u": keyRun, "\x1b[27;5;13~": keyRun, "\x1b[27;2;13~": keyRun,
	"\x1bOQ": keyStatus, "\x1b[12~": keyStatus, "\x1b[[B": keyStatus, // F2
}

const (
	pasteBegin = "\x1b[200~"
	pasteEnd   = "\x1b[201~"
	pasteOn    = "\x1b[?2004h"
	pasteOff   = "\x1b[?2004l"
)

// escapeWait is how long the rest of a key's sequence may take to come.
const escapeWait = 50 * time.Millisecond

// keyReader makes keys of a terminal's bytes: every key is one rune, and a pasted block is keyPaste.
type keyReader struct {
	in   io.Reader
	more func(time.Duration) bool // whether bytes come within that time; nil: wait for ever

	held    []byte // the start of a sequence whose end has not been read
	ready   []byte // keys as UTF-8
	pasting bool
	block   strings.Builder // what has come of a block
	cr      bool            // the last pasted byte was a carriage return
	err     error

	mu     sync.Mutex
	pasted []string
}

// paste returns the block that a keyPaste stands for; they come in order.
func (k *keyReader) paste() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.pasted) == 0 {
		return ""
	}
	text := k.pasted[0]
	k.pasted = k.pasted[1:]
	return text
}

// next waits for a key. It reads no further than it must.
func (k *keyReader) next() (rune, error) {
	for !k.pending() {
		if k.err != nil {
			if len(k.ready) == 0 {
				return 0, k.err
			}
			break // a character that is cut off
		}
		k.read()
	}
	r, n := utf8.DecodeRune(k.ready)
	k.ready = k.ready[n:]
	return r, nil
}

// pending reports whether there is a key that has been read already.
func (k *keyReader) pending() bool { return utf8.FullRune(k.ready) }

// read takes what the terminal has.
func (k *keyReader) read() {
	if len(k.held) > 0 && !k.pasting && k.more != nil && !k.more(escapeWait) {
		k.give(rune(keyEscape)) // nothing follows: it was the Escape key, or a sequence that no terminal sends
		k.held = nil
		return
	}
	buf := make([]byte, 4096)
	n, err := k.in.Read(buf)
	k.err = err
	k.feed(buf[:n])
	if err != nil && k.block.Len() > 0 {
		k.endPaste()
	}
}

// typedAhead takes all keys that have been typed so far, without waiting for more.
func (k *keyReader) typedAhead() (keys []rune) {
	for k.err == nil && k.more != nil && k.more(0) {
		k.read()
	}
	for k.pending() {
		r, n := utf8.DecodeRune(k.ready)
		k.ready = k.ready[n:]
		keys = append(keys, r)
	}
	return keys
}

func (k *keyReader) give(r rune) { k.ready = utf8.AppendRune(k.ready, r) }

func (k *keyReader) feed(b []byte) {
	b = append(k.held, b...)
	k.held = nil
	for len(b) > 0 {
		var n int
		switch {
		case k.pasting:
			n = k.inPaste(b)
		case b[0] == '\x1b':
			n = k.sequence(b)
		default:
			n = 1
			if b[0] != 0 { // which means the end of the input
				k.ready = append(k.ready, b[0])
			}
		}
		if n == 0 {
			k.held = bytes.Clone(b)
			return
		}
		b = b[n:]
	}
}

// sequence reads a key that begins with an escape, and returns its length; 0 where more must be read first.
func (k *keyReader) sequence(b []byte) int {
	if bytes.HasPrefix(b, []byte(pasteBegin)) {
		k.pasting, k.cr = true, false
		return len(pasteBegin)
	}
	n := sequenceLen(b)
	if n == 0 {
		return 0
	}
	if key, ok := sequences[string(b[:n])]; ok {
		k.give(key)
	}
	return n
}

// sequenceLen is how many bytes the escape sequence at the start of b has, 0 when it is not all there: ESC [ parameters final, ESC O final,
// or ESC and one character.
func sequenceLen(b []byte) int {
	at := 1
	if bytes.HasPrefix(b, []byte("\x1b\x1b[")) { // Alt and an arrow, in some terminals
		at = 2
	}
	switch {
	case len(b) <= at:
		return 0
	case b[at] == 'O':
		if len(b) < at+2 {
			return 0
		}
		return at + 2
	case b[at] == '[':
		for i := at + 1; i < len(b); i++ {
			if b[i] == '[' && i == at+1 { // a function key of the Linux console
				continue
			}
			if b[i] >= 0x40 && b[i] <= 0x7e {
				return i + 1
			}
			if b[i] < 0x20 || b[i] > 0x7e { // no sequence after all
				return i
			}
		}
		return 0
	case b[at] == '\x1b':
		return 1
	}
	if !utf8.FullRune(b[at:]) {
		return 0
	}
	_, size := utf8.DecodeRune(b[at:])
	return at + size
}

// inPaste reads a piece of a paste, and returns its length: newlines are \n, and control characters other than tabs are dropped.
func (k *keyReader) inPaste(b []byte) int {
	if bytes.HasPrefix(b, []byte(pasteEnd)) {
		k.endPaste()
		return len(pasteEnd)
	}
	if strings.HasPrefix(pasteEnd, string(b)) {
		return 0
	}
	afterCR := k.cr
	k.cr = b[0] == '\r'
	switch c := b[0]; {
	case c == '\n' && afterCR:
	case c == '\n' || c == '\r':
		k.block.WriteByte('\n')
	case c < ' ' && c != '\t' || c == 0x7f:
	default:
		k.block.WriteByte(c)
	}
	return 1
}

func (k *keyReader) endPaste() {
	k.pasting = false
	k.mu.Lock()
	k.pasted = append(k.pasted, strings.ToValidUTF8(k.block.String(), ""))
	k.mu.Unlock()
	k.block.Reset()
	k.give(keyPaste)
}
