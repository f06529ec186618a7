package enter

import "slices"

// Deferral is a call of a function of generated code that defers calls: these, and where its frame is.
type Deferral struct {
	At    uintptr // at which generated code was left to begin it
	Words int     // of the stack that were in use then, with that address
	Calls []func(int)
}

// fewDeferred is how much room for deferred calls is made while the goroutine is pinned.
const fewDeferred = 64

// BeginDeferral notes that a function is called that defers calls. It reports false where there is no room for that: see
// RoomForDeferred.
func (c *Context) BeginDeferral() bool {
	n := len(c.deferrals)
	if n == cap(c.deferrals) {
		if n >= fewDeferred {
			return false
		}
		c.deferrals = append(c.deferrals, Deferral{})
	}
	c.deferrals = c.deferrals[:n+1]
	d := &c.deferrals[n]
	d.At, d.Words, d.Calls = c.At(), len(c.Frame()), d.Calls[:0]
	return true
}

// Defer defers a call, of which the argument means nothing. It reports false where there is no room for that.
func (c *Context) Defer(f func(int)) bool {
	d := &c.deferrals[len(c.deferrals)-1]
	if n := len(d.Calls); n == cap(d.Calls) && n >= fewDeferred {
		return false
	}
	d.Calls = append(d.Calls, f)
	return true
}

// RoomForDeferred makes room for a deferred call, and for a function that defers some, while the goroutine is not
// pinned.
func (c *Context) RoomForDeferred() {
	c.deferrals = slices.Grow(c.deferrals, 1)
	if n := len(c.deferrals); n > 0 {
		d := &c.deferrals[n-1]
		d.Calls = slices.Grow(d.Calls, 1)
	}
}

// NextDeferred is the deferred call that comes next, nil for none. Where no more come, the function has ended.
func (c *Context) NextDeferred() (f func(int), more bool) {
	last := len(c.deferrals) - 1
	d := &c.deferrals[last]
	if n := len(d.Calls) - 1; n >= 0 {
		f = d.Calls[n]
		d.Calls[n] = nil
		d.Calls = d.Calls[:n]
	}
	if len(d.Calls) > 0 {
		return f, true
	}
	c.deferrals = c.deferrals[:last]
	return f, false
}

// LeaveDeferral ends the innermost function that defers calls, whose calls are to be made. It reports false where there
// is none.
func (c *Context) LeaveDeferral() (d Deferral, ok bool) {
	last := len(c.deferrals) - 1
	if last < 0 {
		return d, false
	}
	d = c.deferrals[last]
	c.deferrals[last].Calls = nil
	c.deferrals = c.deferrals[:last]
	return d, true
}
