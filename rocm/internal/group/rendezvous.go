package group

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// Rendezvous is where the processes of a group exchange data: files beside a path, one for each exchange and rank.
// Ranks make the same exchanges in the same order. It is for one goroutine at a time.
type Rendezvous struct {
	path        string
	rank, world int
	exchanges   int // so far
}

// NewRendezvous is the rendezvous at a path of the process with a rank, from 0 to world-1.
func NewRendezvous(path string, rank, world int) *Rendezvous {
	return &Rendezvous{path: path, rank: rank, world: world}
}

func (r *Rendezvous) file(exchange, rank int) string {
	return fmt.Sprintf("%s.%d.%d", r.path, exchange, rank)
}

// Exchange gives data to the other ranks and returns that of each rank. It waits for all of them. Data that is not
// empty has the same length in all ranks.
func (r *Rendezvous) Exchange(data []byte) ([][]byte, error) {
	const op = "exchange with the group's processes"
	r.exchanges++
	if err := writeWhole(r.file(r.exchanges, r.rank), data); err != nil {
		return nil, fmt.Errorf("rocm: %s: %w", op, err)
	}
	parts := make([][]byte, r.world)
	for rank := range parts {
		if rank == r.rank {
			parts[rank] = data
			continue
		}
		var err error
		if parts[rank], err = waitFor(r.file(r.exchanges, rank), time.Time{}); err != nil {
			return nil, fmt.Errorf("rocm: %s: %w", op, err)
		}
		if len(parts[rank]) != len(data) && len(data) > 0 && len(parts[rank]) > 0 {
			return nil, driver.Invalid(op,
				"rank %d has %d bytes where rank %d has %d: all processes make the same calls", rank, len(parts[rank]),
				r.rank, len(data))
		}
	}
	// A rank that takes part in this exchange has read all of the one before.
	_ = os.Remove(r.file(r.exchanges-1, r.rank))
	return parts, nil
}

// Close waits until all ranks close, and removes the files. Rank 0 is the last.
func (r *Rendezvous) Close() error {
	if _, err := r.Exchange(nil); err != nil {
		return err
	}
	gone := func(rank int) string { return fmt.Sprintf("%s.gone.%d", r.path, rank) }
	if r.rank != 0 {
		return writeWhole(gone(r.rank), nil)
	}
	for rank := 1; rank < r.world; rank++ {
		if _, err := waitFor(gone(rank), time.Time{}); err != nil {
			return err
		}
	}
	for rank := range r.world {
		_ = os.Remove(r.file(r.exchanges, rank)) // a file that is left does no harm
		_ = os.Remove(gone(rank))
	}
	return os.Remove(r.path)
}

// writeWhole writes a file and gives it its name when it is complete.
func writeWhole(path string, data []byte) error {
	draft := path + ".draft"
	if err := os.WriteFile(draft, data, 0o600); err != nil {
		return err
	}
	return os.Rename(draft, path)
}

// waitFor waits for a file and reads it. After the deadline, if there is one, the error is fs.ErrNotExist.
func waitFor(path string, deadline time.Time) ([]byte, error) {
	for pause := 50 * time.Microsecond; ; pause = min(2*pause, 10*time.Millisecond) {
		data, err := os.ReadFile(path)
		if !errors.Is(err, fs.ErrNotExist) || !deadline.IsZero() && time.Now().After(deadline) {
			return data, err
		}
		time.Sleep(pause)
	}
}
