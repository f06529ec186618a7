package enter

import (
	"math"
	"unsafe"
)

// Arg is a word that generated code has left for Go code.
func (c *Context) Arg(i int) int { return int(c.words[ArgsAt/8+i]) }

// Float is Arg for a float.
func (c *Context) Float(i int) float64 { return math.Float64frombits(c.words[ArgsAt/8+i]) }

// Address is Arg for a pointer.
func (c *Context) Address(i int) unsafe.Pointer { return *c.Pointer(ArgsAt + 8*i) }

// Text is the text whose first word is given.
func (c *Context) Text(i int) string { return unsafe.String((*byte)(c.Address(i)), c.Arg(i+1)) }

// SetInt sets a word of the results. It reports true, as the other functions that set results do.
func (c *Context) SetInt(i, n int) bool {
	c.words[ResultsAt/8+i] = uint64(n)
	return true
}

// SetBool sets a word of the results.
func (c *Context) SetBool(i int, b bool) bool {
	if b {
		return c.SetInt(i, 1)
	}
	return c.SetInt(i, 0)
}

// SetFloat sets a word of the results.
func (c *Context) SetFloat(i int, f float64) bool {
	c.words[ResultsAt/8+i] = math.Float64bits(f)
	return true
}

// SetAddress sets a word of the results. It is a pointer that the collector sees once generated code is left again.
func (c *Context) SetAddress(i int, p unsafe.Pointer) bool {
	c.words[ResultsAt/8+i] = uint64(uintptr(p))
	return true
}

// SetText sets two words of the results. The text is not in the memory of the caller's frame: the functions that make
// it are not inlined.
func (c *Context) SetText(i int, s string) bool {
	c.SetInt(i+1, len(s))
	return c.SetAddress(i, unsafe.Pointer(unsafe.StringData(s)))
}

// MaxSpent is how many bytes are allocated for generated code between two times that the goroutine is not pinned.
const MaxSpent = 32 << 10

// Spend reports whether so many bytes may be allocated while the goroutine is pinned, and counts them.
func (c *Context) Spend(n int) bool {
	w := &c.words[SpentAt/8]
	if n < 0 || int(*w)+n > MaxSpent {
		return false
	}
	*w += uint64(n)
	return true
}

// maxDeepSpent bounds what is allocated besides for code deep in a recursion.
const maxDeepSpent = 4 << 20

// Pause notes that the goroutine is not pinned. Listing the pointers of all frames takes time that grows with their
// number, so it is done less often deep in a recursion.
func (c *Context) Pause() { c.words[SpentAt/8] = uint64(-min(c.Used()/2, maxDeepSpent)) }
