package term

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/chzyer/readline"
	"github.com/mattn/go-runewidth"
	"golang.org/x/term"
)

// errInterrupt is Ctrl-C at a prompt.
var errInterrupt = errors.New("interrupted")

// lineReader reads lines of cells. ReadLine returns a line without its newline, which may have newlines inside when it was
// pasted; io.EOF at the end of input, errInterrupt for Ctrl-C.
type lineReader interface {
	ReadLine(prompt, indent string) (string, error)
	// Ask reads a line for a cell; errInterrupt and io.EOF as above. A secret one is not shown.
	Ask(prompt string, secret bool) (string, error)
	// Remember adds a whole cell to the history.
	Remember(cell string)
	// Close restores the terminal. A ReadLine may be in progress.
	Close()
}

// editor is a lineReader on a terminal.
type editor struct {
	rl     *readline.Instance
	out    *os.File
	fd     int
	saved  *term.State
	length atomic.Int64 // runes in the line that is being edited
	blocks blocks

	// What the front end says about the line before it is read.
	before  string // the cell's earlier lines, for completion
	further string // the prompt of the cell's further lines
}

// newEditor starts a line editor on two terminals.
func newEditor(in, out *os.File, colour bool, complete completer) (*editor, error) {
	e := &editor{out: out, fd: int(in.Fd())}
	saved, err := term.GetState(e.fd)
	if err != nil {
		return nil, err
	}
	e.saved = saved
	complete.before = func() string { return e.before }
	complete.show = func(s string) { fmt.Fprint(e.rl.Stdout(), s) }
	complete.columns = func() int { return columnsOf(out) }
	complete.replace = func(line string) { e.rl.Operation.SetBuffer(line) }
	e.rl, err = readline.NewEx(&readline.Config{
		Stdin:                  &keyReader{in: in, block: e.blocks.put},
		Stdout:                 upward{out},
		Stderr:                 out,
		HistoryLimit:           5000,
		DisableAutoSaveHistory: true,
		HistorySearchFold:      true,
		AutoComplete:           complete,
		Painter:                painter{colour},
		InterruptPrompt:        "^C",
		EOFPrompt:              "\n",
		FuncGetWidth:           func() int { return columnsOf(out) },
		FuncFilterInputRune:    e.filter,
		Listener:               readline.FuncListener(e.changed),
	})
	if err != nil {
		return nil, err
	}
	return e, nil
}

// upward corrects how readline moves the cursor to the end of the row above: it writes a backspace at column 0 first, which
// tmux follows upwards by itself, so that the row would be one too high.
type upward struct{ w io.Writer }

func (u upward) Write(b []byte) (int, error) {
	if _, err := u.w.Write(bytes.ReplaceAll(b, []byte("\b\x1b[A\r"), []byte("\x1b[A\r"))); err != nil {
		return 0, err
	}
	return len(b), nil
}

// columnsOf never returns 0: readline divides by it.
func columnsOf(f *os.File) int {
	if columns, _, err := term.GetSize(int(f.Fd())); err == nil && columns > 0 {
		return columns
	}
	return 80
}

// filter acts on keys that readline handles badly.
func (e *editor) filter(r rune) (rune, bool) {
	switch r {
	case deleteRune:
		return readline.CharDelete, e.length.Load() > 0
	case readline.CharCtrlL:
		fmt.Fprint(e.out, "\x1b[H\x1b[2J")
		return r, false
	case readline.CharCtrlZ:
		e.suspend()
		return r, false
	}
	return r, true
}

// suspend stops this process and its workers, as the shell's job control expects.
func (e *editor) suspend() {
	fmt.Fprint(e.out, pasteOff)
	_ = e.rl.Terminal.ExitRawMode()
	stopProcessGroup()
	_ = e.rl.Terminal.EnterRawMode()
	fmt.Fprint(e.out, pasteOn)
}

// blocks are pasted texts on their way into the line, in a ring: a block that was pasted where nothing can be inserted, as
// during a search in the history, does not come up later.
type blocks struct {
	mu   sync.Mutex
	next int
	text [pasteSlots]string
}

// put keeps a long block back and returns the rune that stands for it: readline draws the whole line for each rune that it
// reads, and would take minutes.
func (b *blocks) put(text string) string {
	if len(text) < 80 {
		return text
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	slot := b.next % pasteSlots
	b.next++
	b.text[slot] = text
	return string(rune(pasteRune + slot))
}

// take returns the block that a rune stands for.
func (b *blocks) take(r rune) (text string, ok bool) {
	if r < pasteRune || r >= pasteRune+pasteSlots {
		return "", false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text[r-pasteRune], true
}

// changed follows the line, puts pasted blocks into it, and takes a tab away before a closing brace.
func (e *editor) changed(line []rune, pos int, key rune) ([]rune, int, bool) {
	if text, ok := e.blocks.take(key); ok && pos > 0 && line[pos-1] == key {
		block := []rune(text)
		whole := append(append(append([]rune(nil), line[:pos-1]...), block...), line[pos:]...)
		e.length.Store(int64(len(whole)))
		return whole, pos - 1 + len(block), true
	}
	e.length.Store(int64(len(line)))
	if key != '}' && key != ')' || pos != len(line) || pos < 2 {
		return nil, 0, false
	}
	before := line[:pos-1]
	if strings.Trim(string(before), "\t") != "" {
		return nil, 0, false
	}
	e.length.Store(int64(len(line) - 1))
	return append(append([]rune(nil), before[1:]...), key), pos - 1, true
}

// ReadLine implements lineReader.
func (e *editor) ReadLine(prompt, indent string) (string, error) {
	e.rl.SetPrompt(prompt)
	fmt.Fprint(e.out, pasteOn)
	defer fmt.Fprint(e.out, pasteOff)
	_ = e.rl.SaveHistory("") // back to the end of the history; saves nothing
	var line string
	var err error
	if indent != "" {
		if strings.Contains(indent, "\n") {
			indent = encode(indent) // a cell to edit
		}
		line, err = e.rl.ReadlineWithDefault(indent)
	} else {
		line, err = e.rl.Readline()
	}
	e.length.Store(0)
	switch {
	case errors.Is(err, readline.ErrInterrupt):
		return "", errInterrupt
	case err != nil:
		return "", io.EOF
	}
	code := strings.TrimRight(decode(line), "\n")
	if strings.Contains(code, "\n") {
		e.spread(prompt, line, code)
	}
	return code, nil
}

// Ask implements lineReader.
func (e *editor) Ask(prompt string, secret bool) (string, error) {
	c := e.rl.GenPasswordConfig() // without history and completion
	c.Prompt, c.EnableMask, c.FuncGetWidth = prompt, secret, e.rl.Config.FuncGetWidth
	line, err := e.rl.ReadPasswordWithConfig(c)
	switch {
	case errors.Is(err, readline.ErrInterrupt):
		return "", errInterrupt
	case err != nil:
		return "", io.EOF
	}
	return decode(string(line)), nil
}

// spread draws a line with newlines inside again, as lines, once it has been entered.
func (e *editor) spread(prompt, line, code string) {
	columns, rows, err := term.GetSize(e.fd)
	if err != nil || columns <= 0 {
		return
	}
	width := runewidth.StringWidth(withoutEscapes(prompt))
	for _, r := range line {
		width += runeWidth(r)
	}
	used := width/columns + 1
	if used >= rows {
		return // its start has left the screen
	}
	painted := prompt
	for i, l := range strings.Split(code, "\n") {
		if i > 0 {
			painted += "\n" + e.further
		}
		shown := []rune(strings.ReplaceAll(l, "\t", "    "))
		if e.rl.Config.Painter.(painter).colour {
			shown = highlight(shown, shown)
		}
		painted += string(shown)
	}
	fmt.Fprintf(e.out, "\x1b[%dA\r\x1b[J%s\n", used, painted)
}

// runeWidth is the columns that readline gives to a rune of the edited line.
func runeWidth(r rune) int {
	switch r {
	case '\t':
		return readline.TabWidth
	case newlineRune, tabRune:
		return 1
	}
	return runewidth.RuneWidth(r)
}

// Remember implements lineReader.
func (e *editor) Remember(cell string) {
	_ = e.rl.SaveHistory("")
	_ = e.rl.SaveHistory(encode(cell)) // a history that cannot be written is no reason to stop
}

// Close implements lineReader. It does not close readline, which would wait for a line.
func (e *editor) Close() {
	fmt.Fprint(e.out, pasteOff)
	_ = term.Restore(e.fd, e.saved)
}
