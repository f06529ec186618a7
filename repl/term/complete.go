package term

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/mattn/go-runewidth"

	"github.com/gorocm/gorocm/repl"
)

// completer answers TAB from the session. It implements readline.AutoCompleter with at most one candidate, the text that is
// certain, and lists several matches itself, below the signature of the call that is being written.
type completer struct {
	complete func(code string, cursor int) repl.Completion
	before   func() string // the cell's earlier lines
	show     func(string)  // writes above the line that is being edited
	columns  func() int
	replace  func(line string) // the whole line, with the cursor at its end
}

// What is listed of many matches.
const (
	detailed  = 16 // up to here each on a line of its own, with its signature
	maxListed = 200
)

// Do implements readline.AutoCompleter.
func (c completer) Do(line []rune, pos int) ([][]rune, int) {
	head := string(line[:pos])
	if strings.TrimSpace(head) == "" {
		return [][]rune{[]rune("\t")}, 0
	}
	code := c.before() + decode(head)
	cursor := len(code)
	code += decode(string(line[pos:]))
	found := c.complete(code, cursor)
	if found.Start < 0 || found.Start > cursor || found.End < cursor || found.End > len(code) {
		return nil, 0
	}
	typed, after := code[found.Start:cursor], code[cursor:found.End]
	matches := withPrefix(found.Matches, typed)
	if len(matches) == 0 && typed != "" && len(found.Matches) > 0 {
		// What is typed is in another case, or from the middle of the names.
		if start := cursor - len(typed); len(found.Matches) == 1 && pos == len(line) && start >= len(code)-len(decode(head)) {
			c.replace(encode(code[len(code)-len(decode(head)):start] + found.Matches[0].Text))
		} else {
			c.show(list(found.Matches, c.columns()))
		}
		return nil, 0
	}
	if found.Hint != "" && typed == "" {
		if len(matches) > detailed {
			matches = matches[:detailed] // those that fit best
		}
		c.show(runewidth.Truncate(found.Hint, max(1, c.columns()-1), "…") + "\n" + list(matches, c.columns()))
		return nil, 0
	}
	if len(matches) == 0 {
		return nil, 0
	}
	more := commonPrefix(matches)[len(typed):]
	if len(matches) == 1 {
		more = strings.TrimSuffix(more, after)
	}
	if more != "" {
		return [][]rune{[]rune(more)}, utf8.RuneCountInString(typed)
	}
	if len(matches) > 1 {
		c.show(list(matches, c.columns()))
	}
	return nil, 0
}

func withPrefix(matches []repl.Match, prefix string) (out []repl.Match) {
	for _, m := range matches {
		if strings.HasPrefix(m.Text, prefix) {
			out = append(out, m)
		}
	}
	return out
}

func commonPrefix(matches []repl.Match) string {
	prefix := matches[0].Text
	for _, m := range matches[1:] {
		for !strings.HasPrefix(m.Text, prefix) {
			_, size := utf8.DecodeLastRuneInString(prefix)
			prefix = prefix[:len(prefix)-size]
		}
	}
	return prefix
}

// list draws matches for a terminal of that many columns, every line ended.
func list(matches []repl.Match, columns int) string {
	var b strings.Builder
	rest := 0
	if len(matches) > maxListed {
		matches, rest = matches[:maxListed], len(matches)-maxListed
	}
	widest := 0
	for _, m := range matches {
		widest = max(widest, runewidth.StringWidth(m.Text))
	}
	if len(matches) <= detailed {
		for _, m := range matches {
			detail := m.Signature
			if detail == "" {
				detail = m.Kind
			}
			line := runewidth.FillRight(m.Text, widest) + "  " + strings.ReplaceAll(detail, "\n", " ")
			b.WriteString(runewidth.Truncate(strings.TrimRight(line, " "), max(1, columns-1), "…") + "\n")
		}
		return b.String()
	}
	across := max(1, (columns-1)/(widest+2))
	down := (len(matches) + across - 1) / across
	for row := range down {
		line := ""
		for i := row; i < len(matches); i += down {
			line += runewidth.FillRight(matches[i].Text, widest+2)
		}
		b.WriteString(runewidth.Truncate(strings.TrimRight(line, " "), max(1, columns-1), "…") + "\n")
	}
	if rest > 0 {
		fmt.Fprintf(&b, "… and %d more\n", rest)
	}
	return b.String()
}
