package assist

import (
	"go/doc/comment"
	"html"
	"strings"
)

// Text is the description as plain text.
func (d Description) Text() string {
	parts := []string{d.Decl}
	if d.Call != "" {
		parts = []string{d.Call}
	}
	for _, f := range d.Facts {
		parts[0] += "\n" + f.Name + ": " + f.Text
	}
	for _, n := range d.Notes {
		parts[0] += "\n" + wrap(n)
	}
	if t := d.docText(); t != "" {
		parts = append(parts, t)
	}
	if d.Cell != "" {
		parts = append(parts, "declared in "+d.Cell)
	}
	if d.Source != "" {
		parts = append(parts, d.Source)
	}
	return strings.Join(parts, "\n\n")
}

// HTML is the description for front ends that show HTML.
func (d Description) HTML() string {
	var b strings.Builder
	code := func(s string) { b.WriteString("<pre><code>" + s + "</code></pre>\n") }
	if d.Call != "" {
		code(strings.NewReplacer("‹", "<b>", "›", "</b>").Replace(html.EscapeString(d.Call)))
	} else {
		code(html.EscapeString(d.Decl))
	}
	if len(d.Facts) > 0 {
		b.WriteString("<table>")
		for _, f := range d.Facts {
			b.WriteString("<tr><th style=\"text-align:left\">" + html.EscapeString(f.Name) +
				"</th><td style=\"text-align:left\"><code>" + html.EscapeString(f.Text) + "</code></td></tr>")
		}
		b.WriteString("</table>\n")
	}
	for _, n := range d.Notes {
		b.WriteString("<p>" + html.EscapeString(n) + "</p>\n")
	}
	if d.Doc != "" {
		pr := comment.Printer{DocLinkURL: d.link, HeadingLevel: 4}
		b.Write(pr.HTML(d.parsed()))
	}
	if d.Cell != "" {
		b.WriteString("<p>declared in " + html.EscapeString(d.Cell) + "</p>\n")
	}
	if d.Source != "" {
		code(html.EscapeString(d.Source))
	}
	return b.String()
}

func (d Description) docText() string {
	if d.Doc == "" {
		return ""
	}
	pr := comment.Printer{TextWidth: textWidth}
	return strings.TrimSpace(string(pr.Text(d.parsed())))
}

// parsed is the documentation with names in brackets as links, where they may be names of its package.
func (d Description) parsed() *comment.Doc {
	p := comment.Parser{LookupSym: func(recv, name string) bool { return d.Import != "" && d.Import != "main" }}
	return p.Parse(d.Doc)
}

// textWidth is how long lines of plain text are.
const textWidth = 100

// wrap breaks a line between words.
func wrap(s string) string {
	var b strings.Builder
	n := 0
	for i, w := range strings.Split(s, " ") {
		switch {
		case i == 0:
		case n+1+len(w) > textWidth:
			b.WriteString("\n")
			n = 0
		default:
			b.WriteString(" ")
			n++
		}
		b.WriteString(w)
		n += len(w)
	}
	return b.String()
}

// link is where a name in brackets is documented.
func (d Description) link(l *comment.DocLink) string {
	if l.ImportPath == "" {
		l.ImportPath = d.Import
	}
	return l.DefaultURL("https://pkg.go.dev")
}
