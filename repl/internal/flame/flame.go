// Package flame shows a CPU profile as a tree of calls: as indented lines of text, and as a flame graph in HTML.
//
//	t := flame.New(p)
//	t.Text(80)
//	t.HTML()
package flame

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/pprof/profile"
)

// Tree is a profile by calls.
type Tree struct {
	root    node
	samples int64
}

// node is a function as called by those above it.
type node struct {
	key         string
	name, place string
	self, total int64 // nanoseconds
	children    []*node
	by          map[string]*node
}

// New makes the tree of a CPU profile, whose samples have a count and nanoseconds.
func New(p *profile.Profile) *Tree {
	t := &Tree{}
	for _, s := range p.Sample {
		if len(s.Value) < 2 {
			continue
		}
		t.samples += s.Value[0]
		n := &t.root
		n.total += s.Value[1]
		for _, l := range slices.Backward(s.Location) {
			for _, line := range slices.Backward(l.Line) {
				if c := n.child(line); c != n {
					n = c
					n.total += s.Value[1]
				}
			}
		}
		n.self += s.Value[1]
	}
	t.root.sort()
	return t
}

// child is the node of what n calls: n itself where it calls itself.
func (n *node) child(line profile.Line) *node {
	f := line.Function
	place := ""
	if strings.HasPrefix(f.Filename, "cell[") && f.Filename != f.Name {
		place = fmt.Sprintf("%s:%d", f.Filename, f.StartLine)
	}
	key := f.Name + "\x00" + place
	if key == n.key {
		return n
	}
	c := n.by[key]
	if c == nil {
		c = &node{key: key, name: short(f.Name), place: place}
		if n.by == nil {
			n.by = map[string]*node{}
		}
		n.by[key] = c
		n.children = append(n.children, c)
	}
	return c
}

// short is a function's name without the folders of its package.
func short(name string) string {
	head, rest := name, ""
	if i := strings.IndexAny(name, "[("); i >= 0 { // type arguments, and receivers, may have slashes
		head, rest = name[:i], name[i:]
	}
	return head[strings.LastIndexByte(head, '/')+1:] + rest
}

func (n *node) sort() {
	slices.SortStableFunc(n.children, func(a, b *node) int {
		return cmp.Or(cmp.Compare(b.total, a.total), cmp.Compare(a.name, b.name))
	})
	for _, c := range n.children {
		c.sort()
	}
}

// Bounds of the text: calls below a hundredth of the time are left out, and so are lines after these.
const (
	leastPart = 100
	mostLines = 50
)

// Text is the tree as lines of at most so many columns, callers above what they call.
func (t *Tree) Text(columns int) string {
	if t.root.total == 0 {
		return "no samples: the code used less than a hundredth of a second of the processor\n"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s of processor time, %s\n", seconds(t.root.total), plural(t.samples, "sample"))
	narrow := columns < narrowColumns
	if narrow {
		b.WriteString("   total        function\n")
	} else {
		b.WriteString("   total          self  function\n")
	}
	lines, hidden := 0, int64(0)
	var write func(n *node, depth int)
	write = func(n *node, depth int) {
		for _, c := range n.children {
			if c.total*leastPart < t.root.total || lines >= mostLines {
				hidden++
				continue
			}
			lines++
			self := ""
			if c.self*leastPart >= t.root.total {
				self = seconds(c.self)
			}
			name := c.name
			if c.place != "" {
				name += " (" + c.place + ")"
			}
			line := fmt.Sprintf("%8s %4.0f%%  ", seconds(c.total), 100*float64(c.total)/float64(t.root.total))
			if !narrow {
				line = fmt.Sprintf("%s%7s  ", strings.TrimSuffix(line, " "), self)
			}
			indent := min(2*depth, max(0, columns-utf8.RuneCountInString(line)-minName))
			b.WriteString(cut(line+strings.Repeat(" ", indent)+name, columns) + "\n")
			write(c, depth+1)
		}
	}
	write(&t.root, 0)
	if hidden > 0 {
		fmt.Fprintf(&b, "%s of less than a hundredth of the time: not listed\n", plural(hidden, "call"))
	}
	return b.String()
}

// minName is how many columns a name has at least, however deep it is. With fewer columns than narrowColumns there
// is no column of the time that a function took itself.
const (
	minName       = 16
	narrowColumns = 60
)

func cut(line string, columns int) string {
	r := []rune(line)
	if len(r) <= columns {
		return line
	}
	return string(r[:columns-1]) + "…"
}

func seconds(ns int64) string {
	d := time.Duration(ns)
	switch {
	case d == 0:
		return "0 s"
	case d < time.Second:
		return strconv.FormatInt(d.Milliseconds(), 10) + " ms"
	}
	return strconv.FormatFloat(d.Seconds(), 'f', 2, 64) + " s"
}

func plural(n int64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.FormatInt(n, 10) + " " + what + "s"
}
