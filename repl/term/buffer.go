package term

import (
	"slices"
	"strings"
	"unicode"

	"github.com/mattn/go-runewidth"

	"github.com/gorocm/gorocm/internal/visible"
)

// buffer is a cell that is being edited: text with newlines in it, and a cursor. Positions count runes.
type buffer struct {
	text   []rune
	pos    int
	killed []rune // what Ctrl-Y inserts
	goal   int    // the column that the cursor keeps to when it goes up and down; -1 for its own

	undo []snapshot
	last change // the kind of the last change: typing is undone as a whole
}

type snapshot struct {
	text []rune
	pos  int
}

type change int

const (
	moved change = iota
	typed
	deleted
	killed
	other
)

// undoDepth is how many changes can be undone.
const undoDepth = 500

func newBuffer(text string) *buffer {
	b := &buffer{text: []rune(text), goal: -1}
	b.pos = len(b.text)
	return b
}

func (b *buffer) String() string { return string(b.text) }

// before is the text before the cursor.
func (b *buffer) before() string { return string(b.text[:b.pos]) }

// changing notes the state before a change.
func (b *buffer) changing(kind change) {
	b.goal = -1
	if kind != b.last || kind == other {
		b.undo = append(b.undo, snapshot{slices.Clone(b.text), b.pos})
		if len(b.undo) > undoDepth {
			b.undo = slices.Delete(b.undo, 0, len(b.undo)-undoDepth)
		}
	}
	b.last = kind
}

// Undo takes the last change back. It reports whether there was one.
func (b *buffer) Undo() bool {
	if len(b.undo) == 0 {
		return false
	}
	s := b.undo[len(b.undo)-1]
	b.undo = b.undo[:len(b.undo)-1]
	b.text, b.pos, b.last, b.goal = s.text, s.pos, moved, -1
	return true
}

// Set replaces everything.
func (b *buffer) Set(text string, pos int) {
	b.changing(other)
	b.text = []rune(text)
	b.pos = min(max(pos, 0), len(b.text))
}

// Insert puts text at the cursor.
func (b *buffer) Insert(text string, kind change) {
	b.changing(kind)
	b.text = slices.Insert(b.text, b.pos, []rune(text)...)
	b.pos += len([]rune(text))
}

func (b *buffer) cut(from, to int, kind change) []rune {
	if from >= to {
		return nil
	}
	b.changing(kind)
	gone := slices.Clone(b.text[from:to])
	b.text = slices.Delete(b.text, from, to)
	b.pos = from
	return gone
}

// kill is cut for what Ctrl-Y brings back. Kills that follow each other become one.
func (b *buffer) kill(from, to int) {
	again, forward := b.last == killed, from == b.pos
	gone := b.cut(from, to, killed)
	switch {
	case len(gone) == 0:
	case !again:
		b.killed = gone
	case forward:
		b.killed = append(b.killed, gone...)
	default:
		b.killed = append(gone, b.killed...)
	}
}

// Move puts the cursor elsewhere.
func (b *buffer) Move(pos int) {
	b.pos, b.last, b.goal = min(max(pos, 0), len(b.text)), moved, -1
}

// lineStart and lineEnd are the ends of the line that a position is in.
func (b *buffer) lineStart(pos int) int {
	for pos > 0 && b.text[pos-1] != '\n' {
		pos--
	}
	return pos
}

func (b *buffer) lineEnd(pos int) int {
	for pos < len(b.text) && b.text[pos] != '\n' {
		pos++
	}
	return pos
}

func (b *buffer) onLastLine() bool { return b.lineEnd(b.pos) == len(b.text) }

// Up and Down go to the next line, as near to the same column as can be. They report whether there is one.
func (b *buffer) Up() bool {
	start := b.lineStart(b.pos)
	if start == 0 {
		return false
	}
	b.vertical(start, b.lineStart(start-1))
	return true
}

func (b *buffer) Down() bool {
	end := b.lineEnd(b.pos)
	if end == len(b.text) {
		return false
	}
	b.vertical(b.lineStart(b.pos), end+1)
	return true
}

func (b *buffer) vertical(start, to int) {
	goal := b.goal
	if goal < 0 {
		goal = textWidth(b.text[start:b.pos])
	}
	end, pos := b.lineEnd(to), to
	for pos < end {
		next := b.next(pos)
		if textWidth(b.text[to:next]) > goal {
			break
		}
		pos = next
	}
	b.Move(pos)
	b.goal = goal
}

// next and previous are the ends of what is drawn as one character.
func (b *buffer) next(pos int) int {
	if pos >= len(b.text) {
		return len(b.text)
	}
	return pos + cluster(b.text[pos:])
}

func (b *buffer) previous(pos int) int {
	if pos <= 0 {
		return 0
	}
	start := b.lineStart(pos - 1)
	if b.text[pos-1] == '\n' {
		return pos - 1
	}
	for {
		next := b.next(start)
		if next >= pos {
			return start
		}
		start = next
	}
}

// wordLeft and wordRight are the ends of the words beside the cursor.
func (b *buffer) wordLeft() int {
	pos := b.pos
	for pos > 0 && !isWord(b.text[pos-1]) {
		pos--
	}
	for pos > 0 && isWord(b.text[pos-1]) {
		pos--
	}
	return pos
}

func (b *buffer) wordRight() int {
	pos := b.pos
	for pos < len(b.text) && !isWord(b.text[pos]) {
		pos++
	}
	for pos < len(b.text) && isWord(b.text[pos]) {
		pos++
	}
	return pos
}

func isWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == '_'
}

// blankWord is where the word before the cursor begins that spaces delimit, for Ctrl-W.
func (b *buffer) blankWord() int {
	pos := b.pos
	for pos > 0 && unicode.IsSpace(b.text[pos-1]) {
		pos--
	}
	for pos > 0 && !unicode.IsSpace(b.text[pos-1]) {
		pos--
	}
	return pos
}

// Transpose exchanges the two characters before the cursor, or around it.
func (b *buffer) Transpose() bool {
	pos := b.pos
	if pos == b.lineEnd(pos) {
		pos--
	}
	if pos <= b.lineStart(b.pos) || pos >= len(b.text) || b.text[pos] == '\n' {
		return false
	}
	b.changing(other)
	b.text[pos-1], b.text[pos] = b.text[pos], b.text[pos-1]
	b.pos = pos + 1
	return true
}

// indent is the white space that the line of the cursor begins with.
func (b *buffer) indent() string {
	line := string(b.text[b.lineStart(b.pos):b.pos])
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}

// reindent gives the line of the cursor another indentation.
func (b *buffer) reindent(to string) {
	start := b.lineStart(b.pos)
	end := start
	for end < len(b.text) && (b.text[end] == ' ' || b.text[end] == '\t') {
		end++
	}
	if string(b.text[start:end]) == to {
		return
	}
	b.text = slices.Replace(b.text, start, end, []rune(to)...)
	b.pos += len([]rune(to)) - (end - start)
}

// tabColumns is how wide a tab is drawn.
const tabColumns = 4

// cluster is how many runes at the start of text are drawn as one character: with accents, joined emoji and flags.
func cluster(text []rune) int {
	if isControl(text[0]) {
		return 1
	}
	n := 1
	if isFlag(text[0]) && len(text) > 1 && isFlag(text[1]) {
		n = 2
	}
	for n < len(text) {
		r := text[n]
		if text[n-1] != joiner && runewidth.RuneWidth(r) > 0 && !(r >= 0x1f3fb && r <= 0x1f3ff) || isControl(r) {
			break
		}
		n++
	}
	return n
}

const joiner = '\u200d'

// isControl reports whether a terminal obeys a character in place of showing it.
func isControl(r rune) bool { return r < ' ' || r >= 0x7f && r < 0xa0 }

func isFlag(r rune) bool { return r >= 0x1f1e6 && r <= 0x1f1ff }

// clusterWidth is how many columns a cluster takes.
func clusterWidth(c []rune) int {
	switch {
	case c[0] == '\t':
		return tabColumns
	case len(c) == 1 && isControl(c[0]):
		return len(visible.Text(string(c)))
	case len(c) == 1:
		return runewidth.RuneWidth(c[0])
	}
	return runewidth.StringWidth(string(c))
}

// textWidth is how many columns a line takes.
func textWidth(text []rune) (w int) {
	for len(text) > 0 {
		n := cluster(text)
		w += clusterWidth(text[:n])
		text = text[n:]
	}
	return w
}
