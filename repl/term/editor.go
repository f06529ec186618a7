package term

import (
	"errors"
	"io"
	"os"
	"strings"
	"sync"

	"golang.org/x/term"

	"github.com/gorocm/gorocm/repl"
)

// errInterrupt is Ctrl-C at a prompt.
var errInterrupt = errors.New("interrupted")

// reader reads what the user types.
type reader interface {
	// Cell reads a cell, which begins as initial. io.EOF ends the session, errInterrupt is Ctrl-C.
	Cell(prompt, further, initial string) (string, error)
	// Ask reads a line for a cell; the errors are as above. A secret one is not shown.
	Ask(prompt string, secret bool) (string, error)
	// Remember adds a cell to those that can be recalled.
	Remember(cell string)
	// Close restores the terminal. A Cell or an Ask may be in progress.
	Close()
}

// oracle is what the editor asks the session.
type oracle interface {
	Complete(code string, cursor int) repl.Completion
	Inspect(code string, cursor, detail int) repl.Inspection
	IsComplete(code string) repl.Completeness
}

// editor is a reader on a terminal. Readline's Terminal gives it keys; a cell of several lines is more than readline's
// own buffer can draw.
type editor struct {
	keys   *typist
	ahead  []rune // of a paste, before what is typed
	kept   string // what had been typed ahead when a cell was interrupted
	tty    *tty
	screen *screen
	look   look
	asks   oracle
	past   *past
	hint   *hint                             // nil: none are wanted
	status func() string                     // asked by F2
	edit   func(text string) (string, error) // in the user's editor

	mu      sync.Mutex // held while a key is acted upon and while the cell is drawn
	editing bool
	stopped bool // by job control
	prompt  string
	further string
	buf     *buffer
	asking  bool // a question of a cell is being answered
	secret  bool
	menu    *menu
	recall  *recall
	search  *search
	prefix  rune   // Ctrl-X
	message string // below the cell, until the next key
	footer  string // below everything
	killed  []rune // of earlier cells
}

// newEditor starts a line editor on a terminal.
func newEditor(in *os.File, out io.Writer, size func() (int, int), l look, asks oracle, hints bool) (*editor, error) {
	t, err := openTTY(in, out)
	if err != nil {
		return nil, err
	}
	keys, err := newTypist(&keyReader{in: t.input(), more: t.readable})
	if err != nil {
		return nil, err
	}
	e := &editor{keys: keys, tty: t, look: l, asks: asks,
		screen: &screen{out: out, size: size}, past: &past{}, buf: newBuffer(""), status: func() string { return "" }}
	if hints {
		e.hint = &hint{changed: e.refresh, ask: func(code string, cursor int) []string {
			found := asks.Inspect(code, cursor, 0)
			if !found.Found {
				return nil
			}
			return summary(found.Data.Text(), l)
		}}
	}
	t.watch(e)
	return e, nil
}

// next waits for a key; 0 is the end of the input.
func (e *editor) next() rune {
	if len(e.ahead) > 0 {
		r := e.ahead[0]
		e.ahead = e.ahead[1:]
		return r
	}
	return e.keys.key()
}

// Cell implements reader.
func (e *editor) Cell(prompt, further, initial string) (string, error) {
	return e.read(func() {
		e.prompt, e.further, e.asking, e.secret = prompt, further, false, false
		e.buf = newBuffer(e.begun(initial))
	})
}

// Ask implements reader.
func (e *editor) Ask(prompt string, secret bool) (string, error) {
	return e.read(func() {
		e.prompt, e.further, e.asking, e.secret = prompt, "", true, secret
		e.buf = newBuffer("")
	})
}

func (e *editor) read(begin func()) (string, error) {
	e.tty.enter(rawMode)
	defer e.tty.enter(runMode)
	e.mu.Lock()
	begin()
	e.buf.killed = e.killed
	e.menu, e.recall, e.search, e.prefix, e.message = nil, nil, nil, 0, ""
	e.editing = true
	e.draw()
	e.mu.Unlock()
	for {
		key := e.next()
		e.mu.Lock()
		done, err := e.key(key)
		if done {
			text := e.finish(err)
			e.mu.Unlock()
			return text, err
		}
		if !e.keys.pending() {
			e.draw()
		}
		e.mu.Unlock()
	}
}

// finish leaves the cell on the screen as it was entered.
func (e *editor) finish(err error) string {
	e.editing = false
	if !e.secret {
		e.killed = e.buf.killed
	}
	f := e.frame(false)
	if n := len(f.rows); n > 1 && f.rows[n-1] == "" {
		f.rows = f.rows[:n-1] // the cursor's, after a full row
	}
	if errors.Is(err, errInterrupt) {
		f.rows[len(f.rows)-1] += "^C"
	}
	e.screen.Finish(f)
	return strings.TrimRight(e.buf.String(), "\n")
}

// refresh draws the cell when something besides keys has changed.
func (e *editor) refresh() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.draw()
}

func (e *editor) draw() {
	if e.editing && !e.stopped {
		e.screen.Show(e.frame(true))
	}
}

// frame draws the cell. While it is being edited, there are lines below it, and what is larger than the terminal is not
// drawn.
func (e *editor) frame(editing bool) frame {
	columns, lines := e.screen.size()
	text, pos := e.buf.text, e.buf.pos
	if e.secret {
		text, pos = nil, 0
	}
	if !editing {
		pos, lines = -1, len(text)+2
	}
	var styles []string
	if e.look.colour && !e.asking {
		styles = highlight(text, pos)
	}
	var below []string
	if editing && !e.asking {
		below = e.below(columns, lines)
	}
	if pos < 0 {
		pos = len(text)
	}
	return layout(e.prompt, e.further, text, styles, pos, below, columns, lines)
}

// below are the lines below the cell.
func (e *editor) below(columns, lines int) (rows []string) {
	switch {
	case e.search != nil:
		rows = []string{e.look.style(bold, e.search.prompt())}
	case e.menu != nil:
		rows = e.menu.rows(e.look, columns, lines)
	case e.message != "":
		rows = []string{e.look.style(dim, e.message)}
	case e.hint != nil:
		for _, row := range e.hint.at(e.buf.text, e.buf.pos) {
			rows = append(rows, e.look.cut(row, columns-1))
		}
	}
	if e.footer != "" {
		rows = append(rows, e.look.style(reverse, " "+e.footer+" "))
	}
	return rows
}

func (e *editor) bell() { e.tty.write("\a") }

// key acts on a key. It reports whether the cell has been entered, or what ends it otherwise.
func (e *editor) key(key rune) (done bool, err error) {
	e.message = ""
	if e.search != nil && e.inSearch(key) {
		return false, nil
	}
	if e.menu != nil && e.inMenu(key) {
		return false, nil
	}
	if e.prefix != 0 {
		e.prefix = 0
		if key == 'e'-'a'+1 && !e.asking {
			e.editOutside()
			return false, nil
		}
	}
	if key != keyUp && key != keyDown {
		e.recall = nil
	}
	b := e.buf
	switch key {
	case 0:
		return true, io.EOF
	case ctrlC:
		return true, errInterrupt
	case ctrlD:
		if len(b.text) == 0 {
			return true, io.EOF
		}
		b.cut(b.pos, b.next(b.pos), deleted)
	case enter, ctrlJ:
		return e.enter(), nil
	case keyRun:
		return true, nil
	case keyPaste:
		text := e.keys.paste()
		switch {
		case e.asking: // each line is an answer
			first, rest, more := strings.Cut(text, "\n")
			if text = first; more {
				e.ahead = append([]rune("\r"+strings.ReplaceAll(rest, "\n", "\r")), e.ahead...)
			}
		case b.pos == len(b.text):
			text = strings.TrimRight(text, "\n")
		}
		b.Insert(text, other)
	default:
		e.change(key)
	}
	return false, nil
}

// change acts on a key that changes the cell or moves the cursor.
func (e *editor) change(key rune) {
	b := e.buf
	switch key {
	case keyLeft:
		b.Move(b.previous(b.pos))
	case keyRight:
		b.Move(b.next(b.pos))
	case keyWordLeft:
		b.Move(b.wordLeft())
	case keyWordRight:
		b.Move(b.wordRight())
	case keyHome:
		e.home()
	case keyEnd:
		b.Move(b.lineEnd(b.pos))
	case keyFirst:
		b.Move(0)
	case keyLast:
		b.Move(len(b.text))
	case keyUp:
		e.up()
	case keyDown:
		e.down()
	case keyDelete:
		b.cut(b.pos, b.next(b.pos), deleted)
	case backspace, ctrlH:
		b.cut(b.previous(b.pos), b.pos, deleted)
	case keyDeleteWord:
		b.kill(b.pos, b.wordRight())
	case keyDeleteWordLeft:
		b.kill(b.wordLeft(), b.pos)
	case ctrlW:
		b.kill(b.blankWord(), b.pos)
	case ctrlK:
		end := b.lineEnd(b.pos)
		if end == b.pos {
			end = b.next(end)
		}
		b.kill(b.pos, end)
	case ctrlU:
		b.kill(b.lineStart(b.pos), b.pos)
	case ctrlY:
		b.Insert(string(b.killed), other)
	case ctrlT:
		b.Transpose()
	case ctrlUnderscore:
		if !b.Undo() {
			e.bell()
		}
	case ctrlL:
		e.screen.Redraw(true)
	case ctrlZ:
		e.stopped = true
		e.screen.Wipe()
		e.tty.stop()
	default:
		e.command(key)
	}
}

// command acts on keys that are not for questions, and inserts characters.
func (e *editor) command(key rune) {
	b := e.buf
	switch {
	case e.asking && (key == tab || !isCharacter(key)):
	case key == tab:
		e.Complete()
	case key == keyBackTab:
		if in := b.indent(); in != "" {
			b.changing(other)
			b.reindent(in[:len(in)-1])
		}
	case key == keyNewline || key == ctrlO:
		e.newline()
	case key == ctrlR || key == ctrlS:
		e.search = newSearch(e.past, b)
	case key == ctrlX:
		e.prefix = key
	case key == keyStatus:
		e.message = e.status()
	case isCharacter(key):
		b.Insert(string(key), typed)
		e.dedent(key)
	}
}

// home goes to the first character of the line, and from there to its very start.
func (e *editor) home() {
	b := e.buf
	start := b.lineStart(b.pos)
	text := start
	for text < len(b.text) && (b.text[text] == '\t' || b.text[text] == ' ') {
		text++
	}
	if b.pos == text {
		text = start
	}
	b.Move(text)
}

func (e *editor) up() {
	if e.recall == nil && e.buf.Up() {
		return
	}
	e.walk((*recall).older)
}

func (e *editor) down() {
	if e.recall == nil && e.buf.Down() {
		return
	}
	if e.recall != nil {
		e.walk((*recall).newer)
	}
}

// walk goes to another cell of the past. Within one of several lines, the arrows move first.
func (e *editor) walk(to func(*recall, string) (string, bool)) {
	if e.asking {
		return
	}
	if e.recall == nil {
		e.recall = newRecall(e.past, e.buf)
		e.buf.changing(other)
	}
	text, ok := to(e.recall, e.buf.String())
	if !ok {
		e.bell()
		return
	}
	e.buf.text = []rune(text)
	e.buf.Move(len(e.buf.text))
}

// inSearch acts on a key while the past is searched. It reports whether the key was the search's; any other key takes
// the match.
func (e *editor) inSearch(key rune) bool {
	s, b := e.search, e.buf
	switch {
	case key == ctrlR || key == keyUp:
		s.find(s.at-1, -1)
	case key == ctrlS || key == keyDown:
		s.find(s.at+1, 1)
	case key == ctrlG || key == ctrlC || key == keyEscape:
		e.search = nil
		b.text = []rune(s.own)
		b.Move(s.pos)
		return true
	case key == backspace || key == ctrlH:
		if s.text != "" {
			runes := []rune(s.text)
			s.text = string(runes[:len(runes)-1])
		}
		s.at = len(s.cells)
		s.find(len(s.cells)-1, -1)
	case key != tab && isCharacter(key):
		s.text += string(key)
		s.find(min(s.at, len(s.cells)-1), -1)
	default:
		e.search = nil
		text, _ := s.cell()
		if key == enter || key == ctrlJ {
			b.pos = len(b.text)
		}
		b.undo = append(b.undo, snapshot{[]rune(s.own), s.pos})
		return text == ""
	}
	text, pos := s.cell()
	b.text = []rune(text)
	b.Move(pos)
	return true
}

// editOutside hands the cell to the user's editor.
func (e *editor) editOutside() {
	if e.edit == nil {
		return
	}
	e.screen.Wipe()
	e.tty.enter(savedMode)
	text, err := e.edit(e.buf.String())
	e.tty.enter(rawMode)
	if err != nil {
		e.message = err.Error()
		return
	}
	e.buf.Set(text, len([]rune(text)))
}

// Remember implements reader.
func (e *editor) Remember(cell string) { e.past.add(strings.TrimRight(cell, "\n")) }

// Close implements reader.
func (e *editor) Close() { e.tty.close() }

// terminalSize never returns 0 columns.
func terminalSize(f *os.File) (columns, lines int) {
	columns, lines, err := term.GetSize(int(f.Fd()))
	if err != nil || columns <= 0 {
		return 80, 24
	}
	return columns, lines
}
