package printing

import (
	"regexp"
	"strings"

	"github.com/mattn/go-runewidth"
)

// Escapes matches an ANSI sequence.
var Escapes = regexp.MustCompile("\x1b(\\[[0-9;?]*[ -/]*[@-~]|\\][^\a\x1b]*(\a|\x1b\\\\)|[P_][^\x1b]*\x1b\\\\|[78])")

// Plain removes ANSI sequences, which take no columns.
func Plain(s string) string {
	if strings.IndexByte(s, '\x1b') < 0 {
		return s
	}
	return Escapes.ReplaceAllString(s, "")
}

// Width is how many columns of a terminal a line takes.
func Width(s string) int { return runewidth.StringWidth(Plain(s)) }

// Fold breaks lines that are longer than that many columns at spaces; those of an indented line go on two columns
// further in. Lines that are indented by four columns or more are code and stay. With no columns all lines stay.
func Fold(text string, columns int) string {
	if columns <= 0 {
		return text
	}
	var out []string
	for _, line := range strings.Split(text, "\n") {
		plain := Plain(line)
		if Width(plain) <= columns || strings.HasPrefix(plain, "\t") || strings.HasPrefix(plain, "    ") {
			out = append(out, line)
			continue
		}
		indent := ""
		if n := len(plain) - len(strings.TrimLeft(plain, " ")); n > 0 {
			indent = strings.Repeat(" ", n+2)
		}
		row := ""
		for i, word := range strings.Split(line, " ") {
			switch {
			case i == 0:
				row = word
			case Width(row)+1+Width(word) > columns && strings.TrimSpace(Plain(row)) != "":
				out = append(out, row)
				row = indent + word
			default:
				row += " " + word
			}
		}
		out = append(out, row)
	}
	return strings.Join(out, "\n")
}

// Document breaks the lines of documentation for that many columns, and undoes breaks in prose that were made for a
// wider page: those after a line that is too long, and in the rest of its paragraph.
func Document(text string, columns int) string { return Fold(rejoined(text, columns), columns) }

func rejoined(text string, columns int) string {
	if columns <= 0 {
		return text
	}
	lines := strings.Split(text, "\n")
	var out []string
	const full = 70 // columns of a line that was broken because it was full
	joining := false
	for _, line := range lines {
		width, prose := Width(line), line != "" && line[0] != '\t' && line[0] != ' '
		goesOn := joining && prose
		if goesOn {
			out[len(out)-1] += " " + line
		} else {
			out = append(out, line)
		}
		joining = prose && (width > columns || goesOn && width >= full)
	}
	return strings.Join(out, "\n")
}

// Table writes rows in columns. Where a row is wider than a terminal of that many columns, its last cell is broken
// between words, beside the others or, where they leave too little room, below them. 0 stands for any width.
func Table(rows [][]string, columns int) string {
	var widths []int
	for _, r := range rows {
		for i, c := range r {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], Width(c))
		}
	}
	var text strings.Builder
	for _, r := range rows {
		var b strings.Builder
		at := 0
		for i, c := range r {
			if i == len(r)-1 {
				last := lastCell(c, at, columns)
				if strings.HasPrefix(last, "\n") {
					text.WriteString(strings.TrimRight(b.String(), " "))
					b.Reset()
				}
				b.WriteString(last)
				break
			}
			b.WriteString(c + strings.Repeat(" ", widths[i]-Width(c)+2))
			at += widths[i] + 2
		}
		text.WriteString(strings.TrimRight(b.String(), " ") + "\n")
	}
	return text.String()
}

// lastCell is the last cell of a row, from a column on.
func lastCell(c string, at, columns int) string {
	const least = 22 // columns in which text can be read
	if columns <= 0 || at == 0 || at+Width(c) <= columns {
		return Fold(c, columns)
	}
	if columns-at < least && at > 4 {
		at = 4
		return "\n" + strings.Repeat(" ", at) + hanging(c, at, columns)
	}
	return hanging(c, at, columns)
}

func hanging(c string, at, columns int) string {
	return strings.ReplaceAll(Fold(c, max(1, columns-at)), "\n", "\n"+strings.Repeat(" ", at))
}
