package term

import (
	"bytes"
	"io"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/chzyer/readline"
)

// Keys that readline decodes are what it makes of them: Up is Ctrl-P, Alt-B is a rune of its own.
const (
	keyUp             = readline.CharPrev
	keyDown           = readline.CharNext
	keyLeft           = readline.CharBackward
	keyRight          = readline.CharForward
	keyHome           = readline.CharLineStart
	keyEnd            = readline.CharLineEnd
	keyWordLeft       = readline.MetaBackward
	keyWordRight      = readline.MetaForward
	keyDeleteWord     = readline.MetaDelete    // to the right
	keyDeleteWordLeft = readline.MetaBackspace // Alt-Backspace
)

// Keys that readline does not know are runes at the end of Unicode's last plane of private use, where no keyboard has
// any.
const (
	keyPageUp rune = 0x10f700 + iota
	keyPageDown
	keyDelete
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

// isCharacter reports whether a key is one to insert; Enter is none.
func isCharacter(key rune) bool {
	return key == tab || key >= ' ' && key != backspace && key != '\ufffd' && (key < keyPageUp || key > keyNone)
}

// Control characters that are keys of the editor, beside those above.
const (
	ctrlC, ctrlD, ctrlG, ctrlH               = 3, 4, 7, 8
	ctrlJ, ctrlK, ctrlL, ctrlO, ctrlR, ctrlS = 10, 11, 12, 15, 18, 19
	ctrlT, ctrlU, ctrlW, ctrlX, ctrlY, ctrlZ = 20, 21, 23, 24, 25, 26
	ctrlUnderscore                           = 31
	tab, enter, backspace                    = 9, 13, 127
)

// Sequences that readline decodes.
const (
	up, down, right, left = "\x1b[A", "\x1b[B", "\x1b[C", "\x1b[D"
	home, end             = "\x1b[H", "\x1b[F"
	wordLeft, wordRight   = "\x1bb", "\x1bf"
	deleteWord            = "\x1bd"
	deleteWordLeft        = "\x1b\x7f"
)

// sequences has what readline is given for what terminals send: a sequence that it decodes, or a key that it does not
// know.
var sequences = map[string]string{
	up: up, down: down, right: right, left: left, home: home, end: end,
	"\x1bOA": up, "\x1bOB": down, "\x1bOC": right, "\x1bOD": left, "\x1bOH": home, "\x1bOF": end,
	"\x1b[1~": home, "\x1b[7~": home, "\x1b[4~": end, "\x1b[8~": end,
	"\x1b[1;5C": wordRight, "\x1b[1;3C": wordRight, wordRight: wordRight, "\x1b\x1b[C": wordRight,
	"\x1b[1;5D": wordLeft, "\x1b[1;3D": wordLeft, wordLeft: wordLeft, "\x1b\x1b[D": wordLeft,
	"\x1b[3;5~": deleteWord, deleteWord: deleteWord, deleteWordLeft: deleteWordLeft, "\x1b\b": deleteWordLeft,
	"\x1b[1;5H": string(keyFirst), "\x1b[1;5F": string(keyLast), "\x1b<": string(keyFirst), "\x1b>": string(keyLast),
	"\x1b[5~": string(keyPageUp), "\x1b[6~": string(keyPageDown), "\x1b[3~": string(keyDelete),
	"\x1b[Z": string(keyBackTab),
	"\x1b\r": string(keyNewline), "\x1b\n": string(keyNewline), "\x1b[13;3u": string(keyNewline),
	"\x1b[27;3;13~": string(keyNewline),
	"\x1b[13;5u":    string(keyRun), "\x1b[13;2u": string(keyRun), "\x1b[27;5;13~": string(keyRun),
	"\x1b[27;2;13~": string(keyRun),
	"\x1bOQ":        string(keyStatus), "\x1b[12~": string(keyStatus), "\x1b[[B": string(keyStatus), // F2
}

const (
	pasteBegin = "\x1b[200~"
	pasteEnd   = "\x1b[201~"
	pasteOn    = "\x1b[?2004h"
	pasteOff   = "\x1b[?2004l"
)

// escapeWait is how long the rest of a key's sequence may take to come.
const escapeWait = 50 * time.Millisecond

// keyReader divides a terminal's bytes into keys, each as readline is to read it; a pasted block is keyPaste.
type keyReader struct {
	in   io.Reader
	more func(time.Duration) bool // whether bytes come within that time; nil: wait for ever

	held    []byte   // the start of a sequence, or of a character, whose end has not been read
	ready   []string // keys
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
func (k *keyReader) next() (string, error) {
	for !k.pending() {
		if k.err != nil {
			return "", k.err
		}
		k.read()
	}
	key := k.ready[0]
	k.ready = k.ready[1:]
	return key, nil
}

// pending reports whether there is a key that has been read already.
func (k *keyReader) pending() bool { return len(k.ready) > 0 }

// read takes what the terminal has.
func (k *keyReader) read() {
	if len(k.held) > 0 && k.held[0] == '\x1b' && !k.pasting && k.more != nil && !k.more(escapeWait) {
		k.give(string(keyEscape)) // nothing follows: it was the Escape key, or a sequence that no terminal sends
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
	if err != nil && len(k.held) > 0 && k.held[0] != '\x1b' && !k.pasting {
		k.give(string(utf8.RuneError)) // a character that is cut off
		k.held = nil
	}
}

// typedAhead takes all keys that have been typed so far, without waiting for more; those that move the cursor are left
// out.
func (k *keyReader) typedAhead() (keys []rune) {
	for k.err == nil && k.more != nil && k.more(0) {
		k.read()
	}
	for _, key := range k.ready {
		r, n := utf8.DecodeRuneInString(key)
		switch {
		case n == len(key):
			keys = append(keys, r)
		case key == deleteWordLeft:
			keys = append(keys, keyDeleteWordLeft)
		}
	}
	k.ready = nil
	return keys
}

func (k *keyReader) give(key string) { k.ready = append(k.ready, key) }

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
		case utf8.FullRune(b):
			var r rune
			if r, n = utf8.DecodeRune(b); r != 0 { // which means the end of the input
				k.give(string(r))
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

// sequenceLen is how many bytes the escape sequence at the start of b has, 0 when it is not all there: ESC [ parameters
// final, ESC O final, or ESC and one character.
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
		if len(b) == 2 { // Alt and an arrow may follow
			return 0
		}
		return 1
	}
	if !utf8.FullRune(b[at:]) {
		return 0
	}
	_, size := utf8.DecodeRune(b[at:])
	return at + size
}

// inPaste reads a piece of a paste, and returns its length: newlines are \n, and control characters other than tabs are
// dropped.
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
	k.give(string(keyPaste))
}
