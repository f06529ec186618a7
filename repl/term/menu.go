package term

import (
	"fmt"
	"strings"

	"github.com/mattn/go-runewidth"

	"github.com/gorocm/gorocm/internal/visible"
	"github.com/gorocm/gorocm/repl"
)

// menu is the list of what may stand at the cursor, below the cell. What is chosen stands in the cell at once.
type menu struct {
	matches  []repl.Match
	from, to int    // what a match replaces, in runes of the cell as it was
	text     string // the cell as it was
	pos      int
	chosen   int // -1: none yet
	top      int // the first match of the page
}

// How large the menu is.
const (
	menuRows  = 10
	menuNames = 32 // columns of the names; longer ones are cut
)

// page is how many matches are shown at once, on a terminal of that many lines.
func page(lines int) int { return max(1, min(menuRows, lines/2-2)) }

// move chooses another match, by one or by pages, and goes round at the ends.
func (m *menu) move(by, lines int) {
	n := len(m.matches)
	switch {
	case m.chosen < 0 && by < 0:
		m.chosen = n - 1
	case m.chosen < 0:
		m.chosen = min(by, n) - 1
	case by == 1 || by == -1:
		m.chosen = (m.chosen + by + n) % n
	default:
		m.chosen = min(max(m.chosen+by, 0), n-1)
	}
	if rows := page(lines); m.chosen < m.top || m.chosen >= m.top+rows {
		m.top = m.chosen / rows * rows
	}
}

// cell is the cell with the chosen match in it, and the cursor behind that.
func (m *menu) cell() (text string, pos int) {
	if m.chosen < 0 {
		return m.text, m.pos
	}
	runes := []rune(m.text)
	match := m.matches[m.chosen].Text
	return string(runes[:m.from]) + match + string(runes[m.to:]), m.from + len([]rune(match))
}

// rows draw the page: name, kind and signature of each match, and below them where in the list that is, with what the
// chosen one does.
func (m *menu) rows(l look, columns, lines int) (out []string) {
	shown := m.matches[m.top:min(m.top+page(lines), len(m.matches))]
	names, kinds := 0, 0
	for _, match := range shown {
		names = max(names, runewidth.StringWidth(lastLine(match.Text)))
		kinds = max(kinds, runewidth.StringWidth(match.Kind))
	}
	names = min(names, menuNames)
	for i, match := range shown {
		name := runewidth.FillRight(runewidth.Truncate(lastLine(match.Text), names, l.ellipsis), names)
		mark := "  "
		if m.top+i == m.chosen {
			mark = "> "
			name = l.style(reverse, name)
		}
		signature := strings.ReplaceAll(visible.Text(match.Signature), "\n", " ")
		row := mark + name + "  " + l.style(magenta, runewidth.FillRight(match.Kind, kinds)) + "  " +
			l.style(dim, signature)
		out = append(out, l.cut(strings.TrimRight(row, " "), columns-1))
	}
	place := fmt.Sprintf("%d of %d", m.chosen+1, len(m.matches))
	if m.chosen < 0 {
		place = fmt.Sprintf("%d names", len(m.matches))
	}
	if len(m.matches) > len(shown) {
		place += ", PgUp PgDn"
	}
	if m.chosen >= 0 && m.matches[m.chosen].Doc != "" {
		place += ": " + visible.Text(m.matches[m.chosen].Doc)
	}
	return append(out, l.style(dim, l.cut("  "+place, columns-1)))
}

// lastLine is the end of a match, which may begin with an import.
func lastLine(s string) string { return visible.Text(s[strings.LastIndexByte(s, '\n')+1:]) }

func withPrefix(matches []repl.Match, prefix string) (out []repl.Match) {
	for _, m := range matches {
		if strings.HasPrefix(m.Text, prefix) {
			out = append(out, m)
		}
	}
	return out
}

func commonPrefix(matches []repl.Match) string {
	prefix := []rune(matches[0].Text)
	for _, m := range matches[1:] {
		for !strings.HasPrefix(m.Text, string(prefix)) {
			prefix = prefix[:len(prefix)-1]
		}
	}
	return string(prefix)
}

// Complete opens the menu, or puts in what is certain.
func (e *editor) Complete() {
	b := e.buf
	if line := b.text[b.lineStart(b.pos):b.pos]; strings.TrimSpace(string(line)) == "" && !e.asking {
		b.Insert("\t", typed)
		return
	}
	code := b.String()
	cursor := len(b.before())
	found := e.asks.Complete(code, cursor)
	if found.Start < 0 || found.Start > cursor || found.End < cursor || found.End > len(code) ||
		len(found.Matches) == 0 {
		e.bell()
		return
	}
	from, to := len([]rune(code[:found.Start])), len([]rune(code[:found.End]))
	typedText, after := code[found.Start:cursor], code[cursor:found.End]
	certain := withPrefix(found.Matches, typedText)
	switch {
	case len(found.Matches) == 1 && (len(certain) == 1 || b.pos == to):
		text := found.Matches[0].Text
		b.Set(code[:found.Start]+text+code[found.End:], from+len([]rune(text)))
		return
	case len(certain) == len(found.Matches) && len(certain) > 0:
		more := commonPrefix(certain)[len(typedText):]
		if more = strings.TrimSuffix(more, after); more != "" && after == "" {
			b.Insert(more, other)
			return
		}
	}
	b.changing(other)
	e.menu = &menu{matches: found.Matches, from: from, to: to, text: code, pos: b.pos, chosen: -1}
}

// inMenu acts on a key while the menu is open. It reports whether the key was the menu's; any other key takes what is
// chosen.
func (e *editor) inMenu(key rune) bool {
	_, lines := e.screen.size()
	m := e.menu
	switch key {
	case tab, keyDown:
		m.move(1, lines)
	case keyBackTab, keyUp:
		m.move(-1, lines)
	case keyPageDown:
		m.move(page(lines), lines)
	case keyPageUp:
		m.move(-page(lines), lines)
	case keyEscape, ctrlG, ctrlC:
		m.chosen = -1
		e.menu = nil
	case enter, ctrlJ:
		e.menu = nil
		return m.chosen >= 0
	default:
		e.menu = nil
		return false
	}
	text, pos := m.cell()
	e.buf.text, e.buf.pos = []rune(text), pos
	return true
}
