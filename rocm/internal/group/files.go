package group

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// files is a rendezvous of files beside a path, one for each exchange and rank. A process that ends leaves the others
// waiting.
type files struct {
	path        string
	rank, world int
	exchanges   int  // so far
	invited     bool // this process has written the file at path
}

// Files is the rendezvous at a path, in a folder that all processes see, of the process with a rank from 0 to world-1.
// The file at the path does not exist before; rank 0 writes the invitation there.
func Files(path string, rank, world int) Rendezvous {
	return &files{path: path, rank: rank, world: world}
}

func (r *files) Rank() int  { return r.rank }
func (r *files) World() int { return r.world }

// invitationMark begins the file of rank 0.
const invitationMark = "gorocm group\n"

func (r *files) Begin(invitation []byte) ([]byte, error) {
	if r.rank == 0 {
		if _, err := os.Lstat(r.path); err == nil {
			return nil, driver.Invalid(joinOp,
				"%s exists: it is another group's, or was left by one that was not closed; remove it, or take another "+
					"path", r.path)
		}
		if err := writeWhole(r.path, append([]byte(invitationMark), invitation...)); err != nil {
			return nil, fmt.Errorf("rocm: %s: %w", joinOp, err)
		}
		r.invited = true
		return invitation, nil
	}
	data, err := waitFor(r.path, time.Now().Add(Patience))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &driver.Error{Op: joinOp, Text: fmt.Sprintf("%s did not come within %v", r.path, Patience),
			Kind: driver.ErrInvalid, Detail: "is the process of rank 0 running, with the same path?"}
	}
	if err != nil {
		return nil, fmt.Errorf("rocm: %s: %w", joinOp, err)
	}
	invitation, ok := bytes.CutPrefix(data, []byte(invitationMark))
	if !ok {
		return nil, driver.Invalid(joinOp, "%s is not the file of a group: it begins with %.40q", r.path, data)
	}
	return invitation, nil
}

func (r *files) file(exchange, rank int) string {
	return fmt.Sprintf("%s.%d.%d", r.path, exchange, rank)
}

func (r *files) Exchange(data []byte) ([][]byte, error) {
	r.exchanges++
	if err := writeWhole(r.file(r.exchanges, r.rank), data); err != nil {
		return nil, fmt.Errorf("rocm: %s: %w", exchangeOp, err)
	}
	parts := make([][]byte, r.world)
	for rank := range parts {
		if rank == r.rank {
			parts[rank] = data
			continue
		}
		var err error
		if parts[rank], err = waitFor(r.file(r.exchanges, rank), time.Time{}); err != nil {
			return nil, fmt.Errorf("rocm: %s: %w", exchangeOp, err)
		}
	}
	if err := sameLengths(parts); err != nil {
		return nil, err
	}
	// A rank that takes part in this exchange has read all of the one before.
	_ = os.Remove(r.file(r.exchanges-1, r.rank))
	return parts, nil
}

// Close waits until all ranks close, and removes the files. Rank 0 is the last.
func (r *files) Close() error {
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

// Abandon removes the files that this process has written: a group that does not exist must not be in the way of the
// next one.
func (r *files) Abandon() {
	for exchange := range r.exchanges {
		_ = os.Remove(r.file(exchange+1, r.rank)) // the error that ended the group counts
	}
	if r.invited {
		_ = os.Remove(r.path)
	}
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
		if !errors.Is(err, fs.ErrNotExist) && !renaming(err) || !deadline.IsZero() && time.Now().After(deadline) {
			return data, err
		}
		time.Sleep(pause)
	}
}
