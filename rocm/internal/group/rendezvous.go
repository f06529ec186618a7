package group

import (
	"strings"

	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// Rendezvous is where the processes of a group find each other and exchange data. Ranks make the same exchanges in the
// same order. It is for one goroutine at a time.
type Rendezvous interface {
	// Rank is the number of this process, from 0 to World-1.
	Rank() int
	// World is how many processes there are.
	World() int
	// Begin waits for the other ranks, at most Patience, and returns the invitation of rank 0: that of the others is
	// not used. It is called once, before all exchanges.
	Begin(invitation []byte) ([]byte, error)
	// Exchange gives data to the other ranks and returns that of each rank. It waits for all of them. Data that is not
	// empty has the same length in all ranks.
	Exchange(data []byte) ([][]byte, error)
	// Close waits until all ranks close.
	Close() error
	// Abandon ends a group that has failed, without waiting.
	Abandon()
}

// At is the rendezvous at an address, tcp://HOST:PORT of rank 0, or at the path of a file.
func At(at string, rank, world int) (Rendezvous, error) {
	if address, ok := strings.CutPrefix(at, "tcp://"); ok {
		return TCP(address, rank, world)
	}
	return Files(at, rank, world), nil
}

// The operations in errors.
const (
	joinOp     = "join a group"
	exchangeOp = "exchange with the group's processes"
)

// sameLengths fails unless the parts of all ranks that are not empty have one length.
func sameLengths(parts [][]byte) error {
	first := -1
	for rank, part := range parts {
		switch {
		case len(part) == 0:
		case first < 0:
			first = rank
		case len(part) != len(parts[first]):
			return driver.Invalid(exchangeOp,
				"rank %d has %d bytes where rank %d has %d: all processes make the same calls", rank, len(part), first,
				len(parts[first]))
		}
	}
	return nil
}
