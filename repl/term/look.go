package term

import (
	"os"
	"strings"
)

// look is what the terminal can show.
type look struct {
	colour   bool // ANSI styles
	unicode  bool // characters other than ASCII
	ellipsis string
}

func newLook(colour bool) look {
	l := look{colour: colour, unicode: unicodeLocale(), ellipsis: "…"}
	if !l.unicode {
		l.ellipsis = "..."
	}
	return l
}

// unicodeLocale reports whether the locale's characters are Unicode, as C libraries decide it.
func unicodeLocale() bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := os.Getenv(name); v != "" {
			v = strings.ToLower(v)
			return strings.Contains(v, "utf-8") || strings.Contains(v, "utf8")
		}
	}
	return defaultUnicode
}

func (l look) style(style, s string) string {
	if !l.colour || s == "" {
		return s
	}
	return style + s + reset
}

// cut shortens a row with styles to a number of columns.
func (l look) cut(s string, columns int) string {
	s = l.text(s)
	if styledWidth(s) <= columns {
		return s
	}
	return truncateStyled(s, max(0, columns-len([]rune(l.ellipsis)))) + l.ellipsis
}

// ascii are characters of our own making, and what stands for them where there is ASCII only.
var ascii = strings.NewReplacer("…", "...", "·", "-", "×", "x", "█", "#", "▌", "#", "░", ".", "–", "-", "‹", "<", "›",
	">", "µ", "u", "±", "+-", "→", "->")

// text is a text of the session's own making, in characters that the terminal shows.
func (l look) text(s string) string {
	if l.unicode {
		return s
	}
	return ascii.Replace(s)
}
