package quick

import (
	"strings"
	"unicode/utf8"
	"unsafe"

	"github.com/gorocm/gorocm/repl/golang/native/enter"
)

// builderMethods are methods of a strings.Builder that has room for what is written, or takes little memory for it.
var builderMethods = map[string]Func{
	"Len": func(c *enter.Context) bool {
		b := builder(c)
		return b != nil && c.SetInt(0, b.Len())
	},
	"String": func(c *enter.Context) bool {
		b := builder(c)
		return b != nil && c.SetText(0, b.String())
	},
	"WriteByte": func(c *enter.Context) bool {
		b := builder(c)
		if b == nil || !hasRoom(b, 1) {
			return false
		}
		_ = b.WriteByte(byte(c.Arg(1)))
		c.SetInt(0, 0) // no error
		return c.SetInt(1, 0)
	},
	"WriteRune": func(c *enter.Context) bool {
		b := builder(c)
		if b == nil || !hasRoom(b, utf8.UTFMax) {
			return false
		}
		n, _ := b.WriteRune(rune(c.Arg(1)))
		c.SetInt(1, 0)
		return c.SetInt(0, n) && c.SetInt(2, 0)
	},
	"WriteString": func(c *enter.Context) bool {
		b, n := builder(c), c.Arg(2)
		if b == nil || n > Most || !hasRoom(b, n) {
			return false
		}
		_, _ = b.WriteString(c.Text(1))
		c.SetInt(1, 0)
		return c.SetInt(0, n) && c.SetInt(2, 0)
	},
}

// hasRoom reports whether n bytes can be written with at most a small allocation.
func hasRoom(b *strings.Builder, n int) bool { return b.Cap()-b.Len() >= n || 2*b.Cap()+n <= Most }

// builder is the receiver, nil for one that panics: its first word is its own address once something has been written,
// unless it has been copied.
func builder(c *enter.Context) *strings.Builder {
	b := c.Address(0)
	if b == nil {
		return nil
	}
	if own := *(*unsafe.Pointer)(b); own != nil && own != b {
		return nil
	}
	return (*strings.Builder)(b)
}
