package frame

import (
	"fmt"
	"strings"
)

// String returns how many groups there are, and the keys.
func (g *Groups) String() string {
	names := make([]string, len(g.by))
	for i, c := range g.by {
		names[i] = fmt.Sprintf("%q", c.name)
	}
	s := "s"
	if g.Len() == 1 {
		s = ""
	}
	return fmt.Sprintf("frame.Groups: %d group%s of %d rows by %s", g.Len(), s, g.f.rows, strings.Join(names, ", "))
}

// String returns the call that makes the aggregate.
func (a Agg) String() string {
	var call string
	switch {
	case a.kind == "":
		return "frame.Agg{}"
	case a.kind == "len":
		call = "frame.Len()"
	case a.kind == "quantile":
		call = fmt.Sprintf("frame.Quantile(%q, %v)", a.col, a.q)
	case a.kind == "nunique":
		call = fmt.Sprintf("frame.NUnique(%q)", a.col)
	default:
		call = fmt.Sprintf("frame.%s%s(%q)", strings.ToUpper(a.kind[:1]), a.kind[1:], a.col)
	}
	if a.name != "" {
		call += fmt.Sprintf(".As(%q)", a.name)
	}
	return call
}

// String returns the call that makes the key.
func (k SortKey) String() string {
	if k.descending {
		return fmt.Sprintf("frame.Desc(%q)", k.col)
	}
	return fmt.Sprintf("frame.Asc(%q)", k.col)
}

// String returns the calls that make the windows.
func (r Rolling) String() string {
	text := fmt.Sprintf("%v.Rolling(%d)", r.e, r.window)
	if r.least != r.window {
		text += fmt.Sprintf(".AtLeast(%d)", r.least)
	}
	return text
}
