// Package visible makes text harmless that a terminal is to show, and that files, servers or other programs may have
// written: in errors, notes and names.
package visible

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Text returns s with what a terminal would obey in place of showing it written as Go writes it in a string: control
// characters but new lines and tabs, those of Latin-1 among them, and bytes that are not UTF-8.
func Text(s string) string {
	if !strings.ContainsFunc(s, obeyed) && utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for s = strings.ReplaceAll(s, "\r\n", "\n"); s != ""; {
		r, n := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[0])
		case r == '\r':
			b.WriteString(`\r`)
		case obeyed(r) && r < 0x80:
			fmt.Fprintf(&b, `\x%02x`, r)
		case obeyed(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteString(s[:n])
		}
		s = s[n:]
	}
	return b.String()
}

// obeyed reports whether a terminal obeys a character: ESC and the other controls of ASCII and Latin-1.
func obeyed(r rune) bool {
	return r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0
}
