//go:build unix

package term

import (
	"errors"
	"image"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// mode is a state of the terminal.
type mode int

const (
	savedMode mode = iota // as it was found
	rawMode               // every key is the editor's
	runMode               // a cell runs: keys wait for the next prompt, Ctrl-C and Ctrl-Z are signals
)

// tty is the terminal that keys come from. Its modes carry a mark, a character for Ctrl-_ as a second end of line,
// which raw modes do not use: who finds the mark after a crash knows that the mode is ours.
type tty struct {
	in  *os.File
	out io.Writer

	mu     sync.Mutex
	found  unix.Termios
	mode   mode
	closed bool
	guard  *guard
	events chan os.Signal
}

func openTTY(in *os.File, out io.Writer) (*tty, error) {
	found, err := unix.IoctlGetTermios(int(in.Fd()), getTermios)
	if err != nil {
		return nil, err
	}
	return &tty{in: in, out: out, found: *found}, nil
}

// input is where the editor reads keys.
func (t *tty) input() io.Reader { return t.in }

func (t *tty) write(text string) { _, _ = io.WriteString(t.out, text) }

// enter changes the mode.
func (t *tty) enter(m mode) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return
	}
	t.mode = m
	t.apply(m)
}

// apply sets a mode. t.mu is held.
func (t *tty) apply(m mode) {
	state := t.found
	if m != savedMode {
		const input = unix.IGNBRK | unix.BRKINT | unix.PARMRK | unix.ISTRIP | unix.INLCR | unix.IGNCR | unix.ICRNL
		state.Iflag &^= input | unix.IXON
		state.Lflag &^= unix.ECHO | unix.ECHONL | unix.ICANON | unix.IEXTEN
		state.Cflag = state.Cflag&^(unix.CSIZE|unix.PARENB) | unix.CS8
		state.Cc[unix.VMIN], state.Cc[unix.VTIME] = 1, 0
		state.Cc[unix.VEOL2] = ctrlUnderscore
		if m == rawMode {
			state.Lflag &^= unix.ISIG
		} else {
			state.Lflag |= unix.NOFLSH // Ctrl-C does not drop what was typed ahead
		}
		t.write(pasteOn) // also while a cell runs: what is pasted then is one block, too
	} else {
		t.write(pasteOff)
	}
	// a terminal that has gone away ends the session by other means
	_ = unix.IoctlSetTermios(int(t.in.Fd()), setTermios, &state)
}

// readable reports whether there is something to read within a time.
func (t *tty) readable(within time.Duration) bool {
	fds := []unix.PollFd{{Fd: int32(t.in.Fd()), Events: unix.POLLIN}}
	for {
		n, err := unix.Poll(fds, int(within.Milliseconds()))
		if !errors.Is(err, unix.EINTR) {
			return n > 0 || err != nil
		}
	}
}

// cellOf is the size of a character of a terminal in pixels, zero where it does not tell.
func cellOf(f *os.File) image.Point {
	w, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	if err != nil || w.Col == 0 || w.Row == 0 {
		return image.Point{}
	}
	return image.Pt(int(w.Xpixel/w.Col), int(w.Ypixel/w.Row))
}

// stop asks the shell's job control to stop this process and its workers.
func (t *tty) stop() { _ = unix.Kill(0, unix.SIGTSTP) }

// watch follows job control and the window's size.
func (t *tty) watch(e *editor) {
	t.events = make(chan os.Signal, 8)
	signal.Notify(t.events, syscall.SIGTSTP, syscall.SIGCONT, syscall.SIGWINCH)
	go func() {
		for s := range t.events {
			switch s {
			case syscall.SIGTSTP:
				t.mu.Lock()
				t.apply(savedMode)
				t.mu.Unlock()
				_ = unix.Kill(os.Getpid(), unix.SIGSTOP)
			case syscall.SIGCONT:
				t.mu.Lock()
				if !t.closed {
					t.apply(t.mode)
				}
				t.mu.Unlock()
				e.mu.Lock()
				e.stopped = false
				e.screen.Forget()
				e.draw()
				e.mu.Unlock()
			case syscall.SIGWINCH:
				e.refresh()
			}
		}
	}()
}

// close restores the terminal.
func (t *tty) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return
	}
	t.closed = true
	t.apply(savedMode)
	t.guard.dismiss()
	if t.events != nil {
		signal.Stop(t.events)
	}
}

// understandsEscapes reports whether a terminal takes escape sequences: see dumb.
func understandsEscapes(*os.File) bool { return true }

// defaultUnicode reports whether characters are Unicode where no variable of the locale is set.
const defaultUnicode = false
