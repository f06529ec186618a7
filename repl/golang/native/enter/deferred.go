package enter

import "slices"

// deferred are the calls that functions on the stack of generated code have deferred, where no deferred call can
// recover.
type deferred struct {
	calls []func(int)
	begun []int // for each of these functions, the outermost first, how many calls others had deferred before
}

// fewDeferred is how much room for deferred calls is made while the goroutine is pinned.
const fewDeferred = 64

// full reports whether there is no room for one more in a list.
func full[T any](list []T) bool { return len(list) == cap(list) && len(list) >= fewDeferred }

// BeginDeferring notes that a function is called that defers calls. It reports false where there is no room for that:
// see RoomForDeferred.
func (c *Context) BeginDeferring() bool {
	d := &c.deferred
	if full(d.begun) {
		return false
	}
	d.begun = append(d.begun, len(d.calls))
	return true
}

// Defer defers a call, of which the argument means nothing. It reports false where there is no room for that.
func (c *Context) Defer(f func(int)) bool {
	d := &c.deferred
	if full(d.calls) {
		return false
	}
	d.calls = append(d.calls, f)
	return true
}

// RoomForDeferred makes room for a deferred call, and for a function that defers some, while the goroutine is not
// pinned.
func (c *Context) RoomForDeferred() {
	d := &c.deferred
	d.calls, d.begun = slices.Grow(d.calls, 1), slices.Grow(d.begun, 1)
}

// NextDeferred is the deferred call that comes next, nil for none. Where no more come, the function has ended.
func (c *Context) NextDeferred() (f func(int), more bool) {
	d := &c.deferred
	first, n := d.begun[len(d.begun)-1], len(d.calls)-1
	if n >= first {
		f, d.calls[n] = d.calls[n], nil
		d.calls = d.calls[:n]
	}
	if n > first {
		return f, true
	}
	d.begun = d.begun[:len(d.begun)-1]
	return f, false
}

// LeaveDeferred ends all functions that defer calls, and gives the calls that are to be made, the last first.
func (c *Context) LeaveDeferred() []func(int) {
	calls := c.deferred.calls
	c.deferred = deferred{}
	return calls
}
