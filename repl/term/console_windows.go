package term

import (
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"
	"unsafe"

	"golang.org/x/sys/windows"
)

// consoleReader reads a console's events and makes of them what a terminal sends.
type consoleReader struct {
	handle  windows.Handle
	resized func()
	high    rune   // the first half of a character
	rest    []byte // of what the last event stands for
}

// consoleEvent is an INPUT_RECORD, for the kinds that are used here.
type consoleEvent struct {
	kind uint16
	_    uint16
	key  consoleKey
}

// consoleKey is a KEY_EVENT_RECORD.
type consoleKey struct {
	down    int32
	repeat  uint16
	virtual uint16
	scan    uint16
	char    uint16
	state   uint32
}

const (
	keyEvent, sizeEvent = 1, 4

	altKeys, ctrlKeys, shiftKey = 0x3, 0xc, 0x10
	rightAlt, leftCtrl          = 0x1, 0x8
)

var (
	kernel32          = windows.NewLazySystemDLL("kernel32.dll")
	readConsoleInput  = kernel32.NewProc("ReadConsoleInputW")
	peekConsoleInput  = kernel32.NewProc("PeekConsoleInputW")
	consoleArrows     = map[uint16]string{0x25: "D", 0x26: "A", 0x27: "C", 0x28: "B", 0x23: "F", 0x24: "H"}
	consoleNumbered   = map[uint16]string{0x21: "5", 0x22: "6", 0x2d: "2", 0x2e: "3"} // pages, Insert, Delete
	consoleWithCtrl   = map[uint16]string{0x0d: "\x1b[13;5u", 0x08: "\x1b\x7f"}       // Enter, Backspace
	consoleWithShift  = map[uint16]string{0x0d: "\x1b[13;2u", 0x09: "\x1b[Z"}         // Enter, Tab
	consoleFunctionF2 = uint16(0x71)
)

// event takes the next event, or looks at it, as call does. It is false when there is none, or the console has gone.
func (r *consoleReader) event(call *windows.LazyProc) (e consoleEvent, ok bool) {
	var n uint32
	done, _, _ := call.Call(uintptr(r.handle), uintptr(unsafe.Pointer(&e)), 1, uintptr(unsafe.Pointer(&n)))
	return e, done != 0 && n == 1
}

// Read implements io.Reader. It waits for a key.
func (r *consoleReader) Read(p []byte) (int, error) {
	for len(r.rest) == 0 {
		e, ok := r.event(readConsoleInput)
		if !ok {
			return 0, windows.GetLastError()
		}
		r.take(e)
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

func (r *consoleReader) take(e consoleEvent) {
	switch {
	case e.kind == keyEvent:
		r.rest = append(r.rest, r.text(e.key)...)
	case e.kind == sizeEvent && r.resized != nil:
		r.resized()
	}
}

// readable reports whether there is something to read within a time. Events that are no keys are taken.
func (r *consoleReader) readable(within time.Duration) bool {
	for end := time.Now().Add(within); len(r.rest) == 0; {
		if _, ok := r.event(peekConsoleInput); ok {
			e, ok := r.event(readConsoleInput)
			if !ok {
				return true // the error is for who reads
			}
			r.take(e)
			continue
		}
		left := time.Until(end)
		if left <= 0 {
			return false
		}
		_, _ = windows.WaitForSingleObject(r.handle, uint32(left.Milliseconds())+1)
	}
	return true
}

// text is what a terminal sends for a key, "" for one that is let go and for modifiers. A console that knows the
// sequences of terminals sends their characters one by one.
func (r *consoleReader) text(k consoleKey) string {
	const menu = 0x12 // Alt: when it is let go after digits, it stands for their character
	if k.down == 0 && !(k.virtual == menu && k.char != 0) {
		return ""
	}
	one := r.once(k)
	return strings.Repeat(one, max(1, int(k.repeat)))
}

func (r *consoleReader) once(k consoleKey) string {
	alt, ctrl, shift := k.state&altKeys != 0, k.state&ctrlKeys != 0, k.state&shiftKey != 0
	if k.state&rightAlt != 0 && k.state&leftCtrl != 0 { // Alt Gr, for characters
		alt, ctrl = false, false
	}
	if s, ok := consoleWithCtrl[k.virtual]; ok && ctrl && !alt {
		return s
	}
	if s, ok := consoleWithShift[k.virtual]; ok && shift {
		return s
	}
	if k.char == 0 {
		return named(k.virtual, alt, ctrl, shift)
	}
	char := rune(k.char)
	switch {
	case utf16.IsSurrogate(char) && r.high == 0:
		r.high = char
		return ""
	case r.high != 0:
		char = utf16.DecodeRune(r.high, char)
		r.high = 0
	case char == ctrlH && k.virtual == 0x08:
		char = backspace
	}
	text := string(utf8.AppendRune(nil, char))
	if alt {
		return "\x1b" + text
	}
	return text
}

// named is the sequence of a key without a character.
func named(virtual uint16, alt, ctrl, shift bool) string {
	modifier := 1
	for i, is := range []bool{shift, alt, ctrl} {
		if is {
			modifier += 1 << i
		}
	}
	with := ""
	if modifier > 1 {
		with = ";" + string(rune('0'+modifier))
	}
	if s := consoleArrows[virtual]; s != "" {
		if with != "" {
			with = "1" + with
		}
		return "\x1b[" + with + s
	}
	if s := consoleNumbered[virtual]; s != "" {
		return "\x1b[" + s + with + "~"
	}
	if virtual == consoleFunctionF2 {
		return "\x1bOQ"
	}
	return ""
}
