package packed

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

type cell struct {
	Number int
	Code   string
	Failed bool
}

// TestList: values come back as they were, whatever their number, bytes that are no UTF-8 among them.
func TestList(t *testing.T) {
	for _, n := range []int{0, 1, blockLength, 2 * blockLength, 2*blockLength + 1, 5*blockLength - 1, 3000} {
		var l List[cell]
		var want []cell
		for i := range n {
			c := cell{i, fmt.Sprintf("x := %d\nf(\"\xff\x00\", x)", i), false}
			l.Add(c)
			l.Last().Failed = i%3 == 0
			c.Failed = i%3 == 0
			want = append(want, c)
			if l.Len() != len(want) || *l.Last() != c {
				t.Fatalf("%d values, the last one %v", l.Len(), *l.Last())
			}
		}
		if got := l.Values(); !slices.Equal(got, want) {
			t.Errorf("%d values come back as %d others", n, len(got))
		}
		if n == 0 && l.Last() != nil {
			t.Error("an empty list has a last value")
		}
	}
}

// TestShorten: the newest values remain.
func TestShorten(t *testing.T) {
	var l List[cell]
	for i := range 2000 {
		l.Add(cell{Number: i})
	}
	for _, n := range []int{3000, 2000, 1900, 1000, 300, 7, 0} {
		l.Shorten(n)
		list := l.Values()
		if len(list) < min(n, 2000) || n < 2000 && len(list) >= n+blockLength || n > 0 && list[len(list)-1].Number != 1999 {
			t.Errorf("%d values remain of %d", len(list), n)
		}
	}
	if l.Add(cell{Number: 5}); l.Len() != 1 || l.Last().Number != 5 {
		t.Error(l.Values())
	}
}

// TestSize: cells that resemble one another take little.
func TestSize(t *testing.T) {
	var l List[cell]
	const n = 10 * blockLength
	for i := range n {
		l.Add(cell{i, fmt.Sprintf("total := %d\nfor i := range 3000 { total += i %% 7 }\ntotal", i), false})
	}
	bytes := 0
	for _, b := range l.blocks {
		bytes += cap(b)
	}
	if each := bytes / (len(l.blocks) * blockLength); each > 20 {
		t.Errorf("a cell takes %d bytes", each)
	}
	l.Add(cell{Code: strings.Repeat("x", 1<<20)})
	if got := l.Values(); len(got[n].Code) != 1<<20 {
		t.Errorf("a long cell has %d bytes", len(got[n].Code))
	}
}
