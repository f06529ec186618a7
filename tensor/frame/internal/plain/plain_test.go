package plain

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"
)

// wide is a text in UTF-16, the low byte first or last.
func wide(text string, big bool) string {
	var b strings.Builder
	for _, u := range utf16.Encode([]rune("\ufeff" + text)) {
		low, high := byte(u), byte(u>>8)
		if big {
			low, high = high, low
		}
		b.Write([]byte{low, high})
	}
	return b.String()
}

func TestReader(t *testing.T) {
	long := strings.Repeat("a,b\n", 40_000)
	for _, c := range []struct {
		text, want string
		same       bool
	}{
		{"a,b\n1,2\r\n", "a,b\n1,2\r\n", true},
		{"a,b\r", "a,b\r", true},
		{"", "", true},
		{"\xff", "\xff", true},
		{"a,b\r1,\"x\ry\"\r\r", "a,b\n1,\"x\ry\"\n\n", false},
		{"a,b\r1,\"x\ny\"\r2,\"\"\"\r\n\"\r", "a,b\n1,\"x\ny\"\n2,\"\"\"\r\n\"\n", false},
		{"a\rb,c\n1,2\n", "a\rb,c\n1,2\n", true},
		{"# 5\" pipes\na,b\n", "# 5\" pipes\na,b\n", true},
		{"# 5\" pipes\r\na,b\r\n", "# 5\" pipes\r\na,b\r\n", true},
		{strings.ReplaceAll(long, "\n", "\r"), long, false},
		{strings.ReplaceAll(long, "\n", "\r") + "c,d\r\n1,2\n", long + "c,d\n1,2\n", false},
		{wide("a,ä\n1,🙂\n", false), "a,ä\n1,🙂\n", false},
		{wide("a,ä\r1,🙂\r", true), "a,ä\n1,🙂\n", false},
		{wide(long, true), long, false},
	} {
		for _, r := range []io.Reader{strings.NewReader(c.text), iotest.OneByteReader(strings.NewReader(c.text))} {
			got, same := Reader(r)
			text, err := io.ReadAll(got)
			if err != nil || string(text) != c.want || same != c.same {
				t.Errorf("%.20q: %.40q of %d, %v, %v, want %.40q of %d, %v", c.text, text, len(text), same, err, c.want, len(c.want), c.same)
			}
		}
	}
}
