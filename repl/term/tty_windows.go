package term

import (
	"image"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/windows"
)

// mode is a state of the console.
type mode int

const (
	savedMode mode = iota // as it was found
	rawMode               // every key is the editor's
	runMode               // a cell runs: keys wait for the next prompt, Ctrl-C is a signal
)

// tty is the console that keys come from.
type tty struct {
	in    windows.Handle
	out   io.Writer
	keys  *consoleReader
	guard *guard

	mu     sync.Mutex
	found  uint32
	closed bool
}

// guard has nothing to restore here: a console that a killed program has left in a mode of its own is set right by the
// shell, which sets the mode that it needs with each prompt.
type guard struct{}

func startGuard(*os.File) *guard { return nil }

func (g *guard) dismiss() {}

func openTTY(in *os.File, out io.Writer) (*tty, error) {
	t := &tty{in: windows.Handle(in.Fd()), out: out}
	if err := windows.GetConsoleMode(t.in, &t.found); err != nil {
		return nil, err
	}
	t.keys = &consoleReader{handle: t.in}
	return t, nil
}

// input is where the editor reads keys, as a Unix terminal would send them.
func (t *tty) input() io.Reader { return t.keys }

func (t *tty) write(text string) { _, _ = io.WriteString(t.out, text) }

// enter changes the mode.
func (t *tty) enter(m mode) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return
	}
	t.apply(m)
}

// apply sets a mode. t.mu is held. Where consoles can, they send keys and pasted blocks as terminals do.
func (t *tty) apply(m mode) {
	if m == savedMode {
		t.write(pasteOff)
		_ = windows.SetConsoleMode(t.in, t.found) // a console that has gone away ends the session by other means
		return
	}
	const line = windows.ENABLE_LINE_INPUT | windows.ENABLE_ECHO_INPUT | windows.ENABLE_PROCESSED_INPUT
	state := t.found&^(line|windows.ENABLE_MOUSE_INPUT) | windows.ENABLE_WINDOW_INPUT
	if m == runMode {
		state |= windows.ENABLE_PROCESSED_INPUT
	}
	if windows.SetConsoleMode(t.in, state|windows.ENABLE_VIRTUAL_TERMINAL_INPUT) != nil {
		_ = windows.SetConsoleMode(t.in, state)
	}
	t.write(pasteOn) // also while a cell runs: what is pasted then is one block, too
}

// readable reports whether there is a key to read within a time.
func (t *tty) readable(within time.Duration) bool { return t.keys.readable(within) }

// cellOf is the size of a character in pixels: consoles do not tell.
func cellOf(*os.File) image.Point { return image.Point{} }

// stop does nothing: Windows has no job control.
func (t *tty) stop() {}

// watch follows the window's size.
func (t *tty) watch(e *editor) { t.keys.resized = e.refresh }

// close restores the console.
func (t *tty) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.closed {
		t.closed = true
		t.apply(savedMode)
	}
}

// understandsEscapes makes a console take escape sequences for styles and for the cursor, and reports whether it does.
// Those of Windows before version 10 cannot.
func understandsEscapes(f *os.File) bool {
	h := windows.Handle(f.Fd())
	var state uint32
	if windows.GetConsoleMode(h, &state) != nil {
		return false
	}
	const escapes = windows.ENABLE_PROCESSED_OUTPUT | windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING
	return state&escapes == escapes || windows.SetConsoleMode(h, state|escapes) == nil
}

// defaultUnicode reports whether characters are Unicode where no variable of the locale is set: those that are written
// to a console are.
const defaultUnicode = true
