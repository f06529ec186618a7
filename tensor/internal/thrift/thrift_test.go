package thrift

import (
	"errors"
	"io"
	"strings"
	"testing"
)

func TestLength(t *testing.T) {
	good := map[string]string{
		"empty":       "\x00",
		"booleans":    "\x11\x12\x00",
		"numbers":     "\x15\x02\x16\x80\x01\x14\x04\x13\x07\x00",
		"a double":    "\x1712345678\x00",
		"text":        "\x18\x03abc\x00",
		"far field":   "\x05\xc8\x01\x02\x00",
		"list":        "\x19\x25\x02\x04\x00",
		"long list":   "\x19\xf5\x10" + strings.Repeat("\x02", 16) + "\x00",
		"of booleans": "\x19\x21\x01\x02\x00",
		"map":         "\x1b\x01\x85\x01a\x02\x00",
		"no pairs":    "\x1b\x00\x00",
		"structure":   "\x1c\x15\x02\x00\x00",
		"uuid":        "\x1d0123456789abcdef\x00",
	}
	for name, s := range good {
		if n, err := Length([]byte(s + "more")); n != len(s) || err != nil {
			t.Errorf("%s: %d bytes of %d, %v", name, n, len(s), err)
		}
		for i := range len(s) {
			if _, err := Length([]byte(s[:i])); !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("%s, cut after %d bytes: %v", name, i, err)
			}
		}
	}
	for want, s := range map[string]string{
		"unexpected EOF": "\x1a\xf7\xff\xff\xff\xff\x07", // 2³¹ doubles
		"64 deep":        "\x19" + strings.Repeat("\x19", 1<<20),
		"type 14":        "\x1e",
		"64 bits":        "\x15" + strings.Repeat("\xff", 20),
	} {
		if _, err := Length([]byte(s)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.10q: %v, want %s", s, err, want)
		}
	}
	if _, err := Length([]byte("\x1c" + strings.Repeat("\x1c", 1<<20))); err == nil || !strings.Contains(err.Error(), "64 deep") {
		t.Error(err)
	}
}
