package programs

import (
	"cmp"
	"os"
	"slices"
)

// Running is a process of a program that a cell has started.
type Running struct {
	PID     int
	Cell    int    // by which users know it, 0 when that is not known
	Command string // its arguments, with spaces between
	Free    bool   // it is to live on after the session
}

// Ended is told that a cell has ended which users know by a number.
func (s *Set) Ended(cell uint64, number int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.cells {
		if c == cell {
			s.shown[cell] = number
			return
		}
	}
}

// Running lists the processes of the programs that run, by process ID, without those that gorocm
// has started for itself.
func (s *Set) Running() (list []Running) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.find() {
		if p.own {
			continue
		}
		n := p.number
		text := p.command()
		if text == "" {
			continue // it has ended since, or is about to
		}
		list = append(list, Running{p.pid, s.shown[s.cells[n]], text, s.freed[n]})
	}
	slices.SortFunc(list, func(a, b Running) int { return cmp.Compare(a.PID, b.PID) })
	return list
}

// find returns the processes of the programs. s.mu is held.
func (s *Set) find() []process {
	if s.session == "" {
		return nil
	}
	list := find(s.session, sessionOf(os.Getpid()), func(n int) bool { return n >= 0 })
	return slices.DeleteFunc(list, func(p process) bool { return p.pid == os.Getpid() })
}

// prune forgets the programs that have ended. s.mu is held.
func (s *Set) prune() {
	live := map[int]bool{}
	for _, p := range s.find() {
		live[p.number] = true
	}
	cells := map[uint64]bool{}
	for pid, n := range s.pids {
		if !live[n] { // those that are about to start have no process ID yet
			delete(s.pids, pid)
			delete(s.cells, n)
			delete(s.freed, n)
		}
	}
	for _, c := range s.cells {
		cells[c] = true
	}
	for c := range s.shown {
		if !cells[c] {
			delete(s.shown, c)
		}
	}
	s.pruned = len(s.cells)
}
