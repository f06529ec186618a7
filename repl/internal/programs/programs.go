package programs

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Variable is the environment variable by which a program is found again: the session's name, a dot and the program's
// number. A process that runs cells has it with the number 0, so that a program whose start nobody has seen belongs to
// the session, too.
const Variable = "GOROCM_PROGRAM"

// grace is how long a program may take to end when it is asked to.
const grace = 500 * time.Millisecond

// Set are the programs that the cells of one session have started.
type Set struct {
	session string

	mu     sync.Mutex
	last   int            // the number of the last program
	cells  map[int]uint64 // that have started them
	pids   map[int]int    // their numbers by process ID, where that is known
	freed  map[int]bool
	shown  map[uint64]int // the numbers by which users know cells
	pruned int            // how many programs there were after the last look at those that have ended
	keeper *keeper        // nil before the first program
}

// New returns the programs of this process, whose environment names the session. Without a name nothing is followed.
func New(environment string) *Set {
	session, _, _ := strings.Cut(environment, ".")
	return &Set{session: session, cells: map[int]uint64{}, pids: map[int]int{}, freed: map[int]bool{},
		shown: map[uint64]int{}}
}

// Starting is told that a cell is about to start a program. It returns the environment to start it with, and what is to
// be called with its process ID.
func (s *Set) Starting(cell uint64, env []string) (marked []string, started func(pid int)) {
	if s.session == "" {
		return env, func(int) {}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.keeper == nil {
		s.keeper = startKeeper(s.session)
	}
	if len(s.cells) > 2*s.pruned+64 {
		s.prune()
	}
	s.last++
	n := s.last
	s.cells[n] = cell
	return append(without(env), Variable+"="+s.session+"."+strconv.Itoa(n)), func(pid int) { s.started(n, pid) }
}

func (s *Set) started(n, pid int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pids[pid] = n
	follow(s.session, n, pid)
}

// without is a copy of an environment without the variable.
func without(env []string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(v string) bool { return strings.HasPrefix(v, Variable+"=") })
}

// Released is told that a program is to live on by itself.
func (s *Set) Released(pid int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n, ok := s.pids[pid]; ok {
		s.freed[n] = true
		s.keeper.free(n)
	}
}

// Interrupt ends the programs that a cell has started. It returns at once.
func (s *Set) Interrupt(cell uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	numbers := map[int]bool{}
	for n, c := range s.cells {
		if c == cell && !s.freed[n] {
			numbers[n] = true
		}
	}
	if len(numbers) > 0 {
		go end(syscall.SIGINT, grace, func() []process {
			return find(s.session, sessionOf(os.Getpid()), func(n int) bool { return numbers[n] })
		})
	}
}

// EndForks ends the processes that one which is gone has forked, without a program of their own in them. session names
// that one, as Variable did.
func EndForks(session string) {
	end(syscall.SIGKILL, 0, func() []process {
		return find(session, sessionOf(os.Getpid()), func(n int) bool { return n == 0 })
	})
}

// poll is how often processes are looked for that are to end, and giveUp is for how long: one that waits for a device
// in the kernel cannot be killed.
const (
	poll   = 25 * time.Millisecond
	giveUp = 10 * time.Second
)

// end asks the processes that are found to end, and kills those that have not ended after the time of grace. It goes on
// until none is found, and for some time in any case: one may be about to start, and the environment of one that has
// just started cannot be read yet.
func end(ask syscall.Signal, atLeast time.Duration, find func() []process) {
	asked := map[int]bool{}
	for start := time.Now(); ; time.Sleep(poll) {
		list, since := find(), time.Since(start)
		for _, p := range list {
			switch {
			case since > grace:
				p.signal(syscall.SIGKILL)
			case !asked[p.pid]:
				asked[p.pid] = true
				p.signal(ask)
			}
		}
		if len(list) == 0 && since >= atLeast || since > giveUp {
			return
		}
	}
}
