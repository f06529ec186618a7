package worker

import (
	"io"
	"os"
)

// stream is one of the session's two outputs. They are two pipes, of which nobody can tell what was written first; so a
// mark stands between what is written to one and what is written to the other after it.
type stream struct {
	s *server
	i int // in marks
}

func (w stream) Write(p []byte) (int, error) {
	w.s.order.Lock()
	defer w.s.order.Unlock()
	if cell := w.s.owners.cell(); cell != 0 && cell != w.s.cell {
		w.s.writeLate(cell, w.i, p)
		return len(p), nil
	}
	w.s.release()
	if w.s.wrote != w.i {
		w.s.wrote = w.i
		w.s.tellLocked(nil, 0)
	}
	return w.s.marks[w.i].Write(p)
}

// File is the pipe, for programs that write to it themselves; nil where it is not a file. What was written before
// stands before what they write.
func (w stream) File() *os.File {
	f, ok := w.s.marks[w.i].(*os.File)
	if ok {
		w.s.tell(nil)
	}
	return f
}

// intact returns a function that reports whether the descriptor of an output still has the file that it has now. A
// cell, or a C library, may put another in its place (dup2), where no mark belongs.
func intact(w io.Writer) func() bool {
	f, ok := w.(*os.File)
	if !ok {
		return func() bool { return true }
	}
	first, _ := identity(f)
	return func() bool {
		now, open := identity(f)
		return open && now == first
	}
}
