package worker

import "sync"

// spare is the worker of another program that the session may soon go on in: it starts while a cell's %get runs, or
// while the user writes the cell that imports.
type spare struct {
	opt Options

	mu      sync.Mutex
	p       *process // nil without one
	program string
	closed  bool
}

// of are the options of workers that are a program; "" is the session's own.
func (o Options) of(program string) Options {
	if program != "" {
		o.Command = append([]string{program}, o.Command[1:]...)
	}
	return o
}

// expect starts a program in place of the one that was expected before. Empty is none.
func (s *spare) expect(program string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.end()
	if program == "" || s.closed {
		return
	}
	p, err := start(s.opt.of(program), hello{}, s.expect)
	if err == nil { // otherwise it is started when it is needed, and what is wrong is told then
		s.p, s.program = p, program
	}
}

// take returns the worker of a program if it is there, and tells it what the session has been.
func (s *spare) take(program string, h hello) *process {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.p == nil || s.program != program || !s.p.alive() || s.p.out.send(kindHello, 0, h) != nil {
		s.end()
		return nil
	}
	p := s.p
	s.p = nil
	return p
}

// close ends the worker. There is none afterwards.
func (s *spare) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.end()
}

// end ends the worker. s.mu is held.
func (s *spare) end() {
	if s.p != nil {
		go s.p.kill()
		s.p = nil
	}
}
