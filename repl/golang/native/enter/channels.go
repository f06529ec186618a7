package enter

import "unsafe"

// Operations on channels, by the runtime's own functions. Values are in memory of the type of the elements. What may
// wait, and what may panic, must not be called while the goroutine is pinned: a send or a close panics on a closed
// channel, a receive never does.

// Send sends a value. It reports whether it has, which it always does where it may wait.
func Send(c, value unsafe.Pointer, wait bool) bool { return chansend(c, value, !wait) }

// Receive receives a value, the zero value where the channel is closed: then received is false. done is always true
// where it may wait.
func Receive(c, value unsafe.Pointer, wait bool) (done, received bool) {
	return chanrecv(c, !wait, value)
}

// Case is a case of a select statement.
type Case struct {
	dir   uintptr
	_     unsafe.Pointer
	c     unsafe.Pointer
	value unsafe.Pointer
}

// SendCase sends a value.
func SendCase(c, value unsafe.Pointer) Case { return Case{dir: 1, c: c, value: value} }

// ReceiveCase receives a value, which is dropped where value is nil.
func ReceiveCase(c, value unsafe.Pointer) Case { return Case{dir: 2, c: c, value: value} }

// DefaultCase is chosen where no other case is ready.
func DefaultCase() Case { return Case{dir: 3} }

// Sends reports whether the case sends.
func (c Case) Sends() bool { return c.dir == 1 }

// Channel is the channel of the case.
func (c Case) Channel() unsafe.Pointer { return c.c }

// Do does what the case is, and waits for it. It reports whether a value was received.
func (c Case) Do() (received bool) {
	if c.Sends() {
		return !chansend(c.c, c.value, false)
	}
	_, received = chanrecv(c.c, false, c.value)
	return received
}

// DoUnless waits for what the case is, or until a channel is closed. elem is the type of the elements.
func (c Case) DoUnless(stop unsafe.Pointer, elem *Type) (received, stopped bool) {
	switch {
	case elem.Pointers && elem.Size != 8 || elem.Size > 8:
	case elem.Pointers:
		return doUnless[unsafe.Pointer](c, stop)
	case elem.Size == 8:
		return doUnless[uint64](c, stop)
	case elem.Size == 4:
		return doUnless[uint32](c, stop)
	case elem.Size == 1:
		return doUnless[uint8](c, stop)
	case elem.Size == 0:
		return doUnless[struct{}](c, stop)
	}
	i, received := rselect([]Case{c, ReceiveCase(stop, nil)})
	return received, i == 1
}

// doUnless is DoUnless for elements of the size and the pointers of a T, by a statement of the compiler's, which
// allocates nothing.
func doUnless[T any](c Case, stop unsafe.Pointer) (received, stopped bool) {
	of, end := *(*chan T)(unsafe.Pointer(&c.c)), *(*chan struct{})(unsafe.Pointer(&stop))
	if c.Sends() {
		select {
		case of <- *(*T)(c.value):
		case <-end:
			stopped = true
		}
		return false, stopped
	}
	select {
	case *(*T)(c.value), received = <-of:
	case <-end:
		stopped = true
	}
	return received, stopped
}

// Select waits for one of some cases, unless one is the default. It returns the number of the one that was chosen, and
// whether that has received a value. It allocates 60 bytes for each case.
func Select(cases []Case) (chosen int, received bool) { return rselect(cases) }

// Close closes a channel.
func Close(c unsafe.Pointer) { chanclose(c) }

// ChannelLen is how many elements a channel holds.
func ChannelLen(c unsafe.Pointer) int { return chanlen(c) }

// ChannelCap is how many elements a channel has room for.
func ChannelCap(c unsafe.Pointer) int { return chancap(c) }

//go:linkname chansend reflect.chansend0
//go:noescape
func chansend(c, value unsafe.Pointer, nb bool) bool

//go:linkname chanrecv reflect.chanrecv
//go:noescape
func chanrecv(c unsafe.Pointer, nb bool, value unsafe.Pointer) (selected, received bool)

//go:linkname rselect reflect.rselect
//go:noescape
func rselect(cases []Case) (int, bool)

//go:linkname chanclose reflect.chanclose
//go:noescape
func chanclose(c unsafe.Pointer)

//go:linkname chanlen reflect.chanlen
//go:noescape
func chanlen(c unsafe.Pointer) int

//go:linkname chancap reflect.chancap
//go:noescape
func chancap(c unsafe.Pointer) int
