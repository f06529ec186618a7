package quick

import (
	"unsafe"

	"github.com/gorocm/gorocm/repl/golang/native/enter"
)

// short reports whether the texts or bytes whose first words are given are short.
func short(c *enter.Context, at ...int) bool {
	for _, i := range at {
		if c.Arg(i+1) > Most {
			return false
		}
	}
	return c.Spend(step)
}

// setText sets a text that may have been allocated.
func setText(c *enter.Context, i int, s string) bool {
	c.Spend(len(s))
	return c.SetText(i, s)
}

// setError sets two words of the results.
func setError(c *enter.Context, i int, err error) bool {
	words := *(*[2]unsafe.Pointer)(unsafe.Pointer(&err))
	return c.SetAddress(i, words[0]) && c.SetAddress(i+1, words[1])
}

func setBytes(c *enter.Context, b []byte) bool {
	c.Spend(64)
	return setSlice(c, enter.Slice{Data: unsafe.Pointer(unsafe.SliceData(b)), Len: len(b), Cap: cap(b)})
}

// elements is the slice whose first word is given.
func elements[T any](c *enter.Context, i int) []T {
	return unsafe.Slice((*T)(c.Address(i)), c.Arg(i+2))[:c.Arg(i+1)]
}

func bytesAt(c *enter.Context, i int) []byte { return elements[byte](c, i) }

func unsafeTexts(p unsafe.Pointer, n int) []string { return unsafe.Slice((*string)(p), n) }

func dataOf(s []string) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(s)) }
