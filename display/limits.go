package display

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Limits on the display of large values. Beyond a limit only the first and the last elements are displayed.
const (
	maxList                = 100  // elements of a list; of a longer one, listHead and listTail are shown
	listHead               = 12   //
	listTail               = 4    //
	maxRows                = 30   // rows of a table; of a longer one, rowsHead and rowsTail
	rowsHead               = 10   //
	rowsTail               = 5    //
	maxCols                = 16   // columns of a table; of a wider one, colsHead and colsTail
	colsHead               = 8    //
	colsTail               = 4    //
	narrowHead, narrowTail = 4, 3 // columns of rows that would be wider than lineWidth
	maxDepth               = 8    // nested structs, pointers and lists
	maxLevels              = 64   // lists in one another; a type may be its own element
	maxCell                = 60   // characters in a table's cell or in a reported panic
	cellElements           = 6    // of a tensor that a table's cell has room for
	maxString              = 4000 // bytes of one string
	maxText                = 1 << 16
	// maxSort is the largest map whose keys are all sorted; of a larger one, arbitrary entries are shown.
	maxSort = 1 << 16
)

// span returns the displayed indices of n from first on: all, or the first head and the last tail with a gap between.
type span struct{ first, head, tail, n int }

func spanOf(n, limit, head, tail int) span {
	if n <= limit {
		return span{0, n, 0, n}
	}
	return span{0, head, tail, n}
}

func (s span) whole() bool { return s.head+s.tail == s.n }

// each calls f for the displayed indices, and gap once where some are omitted.
func (s span) each(f func(i int), gap func()) {
	for i := range s.head {
		f(s.first + i)
	}
	if !s.whole() {
		gap()
	}
	for i := s.n - s.tail; i < s.n; i++ {
		f(s.first + i)
	}
}

// elide shortens s to about limit bytes and appends its length.
func elide(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	return fmt.Sprintf("%s… (%d bytes)", cut(s, limit), len(s))
}

// cut returns at most limit bytes of s, whole runes only.
func cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit]
}

// cellText makes s fit a table's cell: one line, no control characters, at most limit characters.
func cellText(s string, limit int) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\n':
			return '↵'
		case r == '\t':
			return ' '
		case r < ' ' || r == 0x7f || r == 0x9b:
			return utf8.RuneError
		}
		return r
	}, cut(s, 4*limit))
	if utf8.RuneCountInString(s) <= limit {
		return s
	}
	return string([]rune(s)[:limit-1]) + "…"
}
