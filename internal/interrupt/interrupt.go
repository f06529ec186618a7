// Package interrupt carries an interruption of a cell to compiled functions that run for long, such as one that
// generates a text: package tensor and what is built on it know nothing of sessions. Such a function says how it ends
// while it runs, and the session says which goroutine is to end.
package interrupt

import (
	"bytes"
	"runtime"
	"strconv"
	"sync"
)

var (
	mu      sync.Mutex
	running = map[int64][]*func(){} // what ends the functions that each goroutine is in
)

// Watch has Stop call end for the calling goroutine, any number of times and on other goroutines, until done is called.
// Nothing calls it after that. It is to return at once, and to call nothing of this package.
func Watch(end func()) (done func()) {
	g, entry := Goroutine(), &end
	mu.Lock()
	defer mu.Unlock()
	running[g] = append(running[g], entry)
	return func() { leave(g, entry) }
}

func leave(g int64, entry *func()) {
	mu.Lock()
	defer mu.Unlock()
	var rest []*func()
	for _, e := range running[g] {
		if e != entry {
			rest = append(rest, e)
		}
	}
	if running[g] = rest; len(rest) == 0 {
		delete(running, g)
	}
}

// Stop ends the functions that a goroutine is in, as far as they have asked for it. They return soon after, not at
// once.
func Stop(goroutine int64) {
	mu.Lock()
	defer mu.Unlock()
	for _, end := range running[goroutine] {
		(*end)()
	}
}

// Goroutine returns the number of the calling goroutine, which no other one ever has. It costs a microsecond.
func Goroutine() int64 {
	var buf [40]byte
	b := bytes.TrimPrefix(buf[:runtime.Stack(buf[:], false)], []byte("goroutine "))
	n, _ := strconv.ParseInt(string(b[:max(bytes.IndexByte(b, ' '), 0)]), 10, 64)
	return n
}
