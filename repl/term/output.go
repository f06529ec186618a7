package term

import (
	"io"
	"sync"
)

// Output writes to a file and remembers the first write that failed: a program whose output is lost must not end as if
// nothing had happened. (Standard output that nobody reads any more ends a Go program by SIGPIPE.)
type Output struct {
	W io.Writer

	mu  sync.Mutex
	err error
}

func (o *Output) Write(p []byte) (int, error) {
	n, err := o.W.Write(p)
	if err != nil {
		o.mu.Lock()
		defer o.mu.Unlock()
		if o.err == nil {
			o.err = err
		}
	}
	return n, err
}

// Err is the error of the first write that failed, nil if none did.
func (o *Output) Err() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}
