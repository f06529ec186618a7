package rocm

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"
)

// meeting is where the processes of a group leave data for each other: files beside a path, one for each exchange and rank.
type meeting struct {
	path        string
	rank, world int
	exchanges   int // so far
}

func (m *meeting) file(exchange, rank int) string {
	return fmt.Sprintf("%s.%d.%d", m.path, exchange, rank)
}

// exchange leaves data for the others and returns what each rank has left. It waits for all of them.
func (m *meeting) exchange(data []byte) ([][]byte, error) {
	const op = "exchange with the group's processes"
	m.exchanges++
	if err := writeWhole(m.file(m.exchanges, m.rank), data); err != nil {
		return nil, fmt.Errorf("rocm: %s: %w", op, err)
	}
	parts := make([][]byte, m.world)
	for rank := range parts {
		if rank == m.rank {
			parts[rank] = data
			continue
		}
		var err error
		if parts[rank], err = waitFor(m.file(m.exchanges, rank), time.Time{}); err != nil {
			return nil, fmt.Errorf("rocm: %s: %w", op, err)
		}
		if len(parts[rank]) != len(data) && len(data) > 0 && len(parts[rank]) > 0 {
			return nil, invalid(op, "rank %d has %d bytes where rank %d has %d: all processes make the same calls", rank, len(parts[rank]), m.rank, len(data))
		}
	}
	// Who has come to this exchange has read everything of the one before.
	_ = os.Remove(m.file(m.exchanges-1, m.rank))
	return parts, nil
}

// leave waits until all processes leave; rank 0 is the last and takes the files away.
func (m *meeting) leave() error {
	if _, err := m.exchange(nil); err != nil {
		return err
	}
	gone := func(rank int) string { return fmt.Sprintf("%s.gone.%d", m.path, rank) }
	if m.rank != 0 {
		return writeWhole(gone(m.rank), nil)
	}
	for rank := 1; rank < m.world; rank++ {
		if _, err := waitFor(gone(rank), time.Time{}); err != nil {
			return err
		}
	}
	for rank := range m.world {
		_ = os.Remove(m.file(m.exchanges, rank)) // a file that stays does no harm
		_ = os.Remove(gone(rank))
	}
	return os.Remove(m.path)
}

// writeWhole writes a file that others see when it is complete.
func writeWhole(path string, data []byte) error {
	draft := path + ".draft"
	if err := os.WriteFile(draft, data, 0o600); err != nil {
		return err
	}
	return os.Rename(draft, path)
}

// waitFor reads a file as soon as it is there; the error is that of a file that is not when the deadline passes, if there is one.
func waitFor(path string, deadline time.Time) ([]byte, error) {
	for pause := 50 * time.Microsecond; ; pause = min(2*pause, 10*time.Millisecond) {
		data, err := os.ReadFile(path)
		if !errors.Is(err, fs.ErrNotExist) || !deadline.IsZero() && time.Now().After(deadline) {
			return data, err
		}
		time.Sleep(pause)
	}
}
