package term

import (
	"io"

	"github.com/chzyer/readline"
)

// typist is readline's Terminal, which decodes keys, as the editor's source of them. It reads one key for each that the
// editor waits for: what comes after is the terminal's, for another program such as the user's editor, or for
// typedAhead.
type typist struct {
	*keyReader
	terminal *readline.Terminal
	wanted   chan struct{}
	asleep   bool // readline waits to be told to go on reading
}

func newTypist(k *keyReader) (*typist, error) {
	t := &typist{keyReader: k, wanted: make(chan struct{}, 1), asleep: true}
	nothing := func() error { return nil } // modes are the tty's
	var err error
	t.terminal, err = readline.NewTerminal(&readline.Config{Stdin: t, Stdout: io.Discard, Stderr: io.Discard,
		FuncMakeRaw: nothing, FuncExitRaw: nothing,
		FuncOnWidthChanged: func(func()) {}})
	return t, err
}

// key waits for a key; 0 is the end of the input.
func (t *typist) key() rune {
	if t.asleep {
		t.asleep = false
		t.terminal.KickRead()
	}
	t.wanted <- struct{}{}
	r := t.terminal.ReadRune()
	switch r {
	case ctrlC, ctrlD, ctrlJ, enter: // after these readline waits
		t.asleep = true
	case 0:
		select {
		case <-t.wanted: // nobody reads any more
		default:
		}
	}
	return r
}

// Read implements io.Reader for readline: a key, when one is wanted.
func (t *typist) Read(p []byte) (int, error) {
	<-t.wanted
	key, err := t.next()
	return copy(p, key), err
}

// Close implements io.Closer; the terminal itself stays open.
func (t *typist) Close() error { return nil }
