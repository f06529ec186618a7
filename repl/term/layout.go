package term

import (
	"strings"

	"github.com/gorocm/gorocm/internal/printing"
	"github.com/gorocm/gorocm/internal/visible"
)

// layout draws a cell: its prompts, its text with styles, and lines below it, in that many columns and at most that
// many rows.
func layout(prompt, further string, text []rune, styles []string, pos int, below []string, columns, lines int) frame {
	columns, lines = max(columns, 2), max(lines, 2)
	l := liner{columns: columns}
	l.begin(prompt)
	var f frame
	for i := 0; i < len(text); {
		if i == pos {
			f.row, f.col = l.cursor()
		}
		if text[i] == '\n' {
			l.end()
			l.begin(further)
			i++
			continue
		}
		n := cluster(text[i:])
		style := ""
		if styles != nil {
			style = styles[i]
		}
		l.put(text[i:i+n], style)
		i += n
	}
	if pos >= len(text) {
		f.row, f.col = l.cursor()
	}
	l.end()
	f.rows = l.rows
	for len(f.rows) <= f.row { // the cursor stands after a full row
		f.rows = append(f.rows, "")
	}
	if most := max(0, min(len(below), lines-min(len(f.rows), lines*2/3))); len(below) > most {
		below = below[:most]
	}
	if room := lines - len(below); len(f.rows) > room { // a window around the cursor
		top := min(max(0, f.row-room/2), len(f.rows)-room)
		f.rows, f.row = f.rows[top:top+room], f.row-top
	}
	for _, line := range below {
		f.rows = append(f.rows, truncateStyled(line, columns-1))
	}
	return f
}

// liner fills rows of a number of columns.
type liner struct {
	columns int
	rows    []string
	row     strings.Builder
	width   int
	style   string
}

// begin starts a line with a prompt, which may have styles.
func (l *liner) begin(prompt string) {
	prompt = truncateStyled(prompt, l.columns-1)
	l.row.WriteString(prompt)
	l.width = styledWidth(prompt)
}

func (l *liner) put(c []rune, style string) {
	width := clusterWidth(c)
	if l.width+width > l.columns && l.width > 0 {
		l.end()
	}
	if style != l.style {
		if l.style != "" {
			l.row.WriteString(reset)
		}
		l.row.WriteString(style)
		l.style = style
	}
	if c[0] == '\t' {
		l.row.WriteString(strings.Repeat(" ", min(width, l.columns)))
	} else {
		l.row.WriteString(visible.Text(string(c))) // of a name that was completed, or of what was pasted
	}
	l.width += width
}

func (l *liner) end() {
	if l.style != "" {
		l.row.WriteString(reset)
		l.style = ""
	}
	l.rows = append(l.rows, l.row.String())
	l.row.Reset()
	l.width = 0
}

// cursor is where the next character will stand.
func (l *liner) cursor() (row, col int) {
	if l.width >= l.columns {
		return len(l.rows) + 1, 0
	}
	return len(l.rows), l.width
}

// styledWidth is how many columns text with styles takes.
func styledWidth(s string) int { return printing.Width(s) }

// truncateStyled cuts text with styles at a number of columns.
func truncateStyled(s string, columns int) string {
	if styledWidth(s) <= columns {
		return s
	}
	var b strings.Builder
	width, styled := 0, false
	for len(s) > 0 {
		if at := printing.Escapes.FindStringIndex(s); at != nil && at[0] == 0 {
			b.WriteString(s[:at[1]])
			styled = s[:at[1]] != reset
			s = s[at[1]:]
			continue
		}
		end := len(s)
		if at := printing.Escapes.FindStringIndex(s); at != nil {
			end = at[0]
		}
		runes := []rune(s[:end])
		n := cluster(runes)
		if width += clusterWidth(runes[:n]); width > columns {
			break
		}
		piece := string(runes[:n])
		b.WriteString(piece)
		s = s[len(piece):]
	}
	if styled {
		b.WriteString(reset)
	}
	return b.String()
}
