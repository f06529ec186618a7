package frame

import (
	"fmt"
	"strings"

	"github.com/gorocm/gorocm/internal/edits"
	"github.com/gorocm/gorocm/tensor"
)

// fail panics with an error of an operation, as the methods of package tensor do. The note says what to do.
func fail(op string, kind error, note, format string, args ...any) {
	e := &tensor.Error{Op: op, Kind: kind, Message: fmt.Sprintf(format, args...)}
	if note != "" {
		e.Notes = []string{note}
	}
	panic(e)
}

// column returns a column by its name, or panics with ErrIndex and the name that is nearest to it.
func (f *Frame) column(op, name string) *Column {
	if i, ok := f.index[name]; ok {
		return f.cols[i]
	}
	fail(op, tensor.ErrIndex, nearestNote(name, f.Names()), "no column %q: the columns are %s", name, listOf(f.Names()))
	return nil
}

// listOf quotes names, the first of many.
func listOf(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	const most = 12
	var quoted []string
	for _, n := range names[:min(len(names), most)] {
		quoted = append(quoted, fmt.Sprintf("%.40q", n))
	}
	s := strings.Join(quoted, ", ")
	if len(names) > most {
		s += fmt.Sprintf(" and %d more", len(names)-most)
	}
	return s
}

// nearestNote proposes the name that a wrong one was meant to be, if one is near.
func nearestNote(name string, names []string) string {
	best, at := max(1, len(name)/3)+1, -1
	for i, n := range names {
		if strings.EqualFold(strings.TrimSpace(n), strings.TrimSpace(name)) {
			best, at = 0, i
			break
		}
		if d := distance(strings.ToLower(name), strings.ToLower(n)); d < best {
			best, at = d, i
		}
	}
	if at < 0 {
		return ""
	}
	return fmt.Sprintf("did you mean %q?", names[at])
}

// distance is the number of bytes to insert, delete, replace or swap to turn a into b (Damerau's and Levenshtein's).
func distance(a, b string) int {
	if len(a) > 64 || len(b) > 64 {
		return 64
	}
	return edits.DistanceSwapping([]byte(a), []byte(b))
}
