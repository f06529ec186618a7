package worker

import "os"

// stream is one of the session's two outputs. They are two pipes, of which nobody can tell what was written first; so a mark stands
// between what is written to one and what is written to the other after it.
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

// File is the pipe, for programs that write to it themselves; nil where it is no file. What was written before stands before what they
// write.
func (w stream) File() *os.File {
	f, ok := w.s.marks[w.i].(*os.File)
	if ok {
		w.s.tell(nil)
	}
	return f
}
