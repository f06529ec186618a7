package group

import (
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"sync"
	"time"

	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// tcp is a rendezvous of connections: rank 0 listens, the others connect to it, and it passes on what they exchange.
// When a process ends, its connection does, and the exchange of all others fails.
type tcp struct {
	address     string
	rank, world int
	exchanges   uint32     // so far
	links       []net.Conn // of rank 0 by rank, nil for itself; another rank has one, to rank 0
}

// TCP is the rendezvous at the address HOST:PORT, where rank 0 listens, of the process with a rank from 0 to world-1.
func TCP(address string, rank, world int) (Rendezvous, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, driver.Invalid(joinOp, "the address %q is not HOST:PORT", address)
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 || host == "" {
		return nil, driver.Invalid(joinOp, "the address %q needs a host and a port from 1 to 65535", address)
	}
	return &tcp{address: address, rank: rank, world: world}, nil
}

func (r *tcp) Rank() int  { return r.rank }
func (r *tcp) World() int { return r.world }

func (r *tcp) Begin(invitation []byte) ([]byte, error) {
	if r.rank == 0 {
		return invitation, r.gather(invitation)
	}
	return r.connect()
}

func (r *tcp) Exchange(data []byte) ([][]byte, error) {
	r.exchanges++
	var parts [][]byte
	var err error
	if r.rank == 0 {
		parts, err = r.distribute(data)
	} else {
		parts, err = r.send(data)
	}
	if err != nil {
		r.Abandon() // the next exchange would begin in the middle of this one
		return nil, err
	}
	return parts, nil
}

// send is the exchange of a rank that is not 0.
func (r *tcp) send(data []byte) ([][]byte, error) {
	if len(r.links) == 0 {
		return nil, r.over()
	}
	link := r.links[0]
	if err := writeFrame(link, frame{kindPart, r.exchanges, data}); err != nil {
		// Rank 0 may have said why it has ended.
		if _, told := r.receive(link); told != nil {
			return nil, told
		}
		return nil, r.lost(0, err)
	}
	parts := make([][]byte, r.world)
	for rank := range parts {
		if rank == r.rank {
			parts[rank] = data
			continue
		}
		var err error
		if parts[rank], err = r.receive(link); err != nil {
			return nil, err
		}
	}
	return parts, nil
}

// receive reads a part of the current exchange from rank 0.
func (r *tcp) receive(link net.Conn) ([]byte, error) {
	f, err := readFrame(link)
	switch {
	case err != nil:
		return nil, r.lost(0, err)
	case f.kind == kindFailed:
		return nil, driver.Invalid(exchangeOp, "%.500s", f.data)
	case f.kind != kindPart || f.exchange != r.exchanges:
		return nil, r.mixed(0, f)
	}
	return f.data, nil
}

// distribute is the exchange of rank 0: it takes the part of each rank, and sends all parts to each.
func (r *tcp) distribute(data []byte) ([][]byte, error) {
	if len(r.links) != r.world {
		return nil, r.over()
	}
	parts := make([][]byte, r.world)
	parts[0] = data
	err := r.each(true, func(rank int, link net.Conn) error {
		f, err := readFrame(link)
		switch {
		case err != nil:
			return r.lost(rank, err)
		case f.kind != kindPart || f.exchange != r.exchanges:
			return r.mixed(rank, f)
		}
		parts[rank] = f.data
		return nil
	})
	if err == nil {
		err = sameLengths(parts)
	}
	if err == nil {
		err = r.each(false, func(to int, link net.Conn) error {
			for rank, part := range parts {
				if rank == to {
					continue
				}
				if err := writeFrame(link, frame{kindPart, r.exchanges, part}); err != nil {
					return r.lost(to, err)
				}
			}
			return nil
		})
	}
	if err != nil {
		r.tell(err)
		return nil, err
	}
	return parts, nil
}

// each runs a function for the links of rank 0 at the same time and returns the first error. With interrupt that error
// ends the reads of the other links, whose ranks may be far from sending anything.
func (r *tcp) each(interrupt bool, run func(rank int, link net.Conn) error) error {
	var all sync.WaitGroup
	var once sync.Once
	var first error
	for rank, link := range r.links {
		if link == nil {
			continue
		}
		all.Go(func() {
			if err := run(rank, link); err != nil {
				once.Do(func() {
					first = err
					for _, other := range r.links {
						if other != nil && interrupt {
							_ = other.SetDeadline(time.Now()) // of a connection that is closed, perhaps
						}
					}
				})
			}
		})
	}
	all.Wait()
	return first
}

// tell sends all other ranks the error that ends the group.
func (r *tcp) tell(err error) {
	text := err.Error()
	var invalid *driver.Error
	if errors.As(err, &invalid) {
		text = invalid.Text
	}
	for _, link := range r.links {
		if link != nil {
			_ = link.SetDeadline(time.Now().Add(handshakeTime))
			_ = writeFrame(link, frame{kindFailed, r.exchanges, []byte(text)}) // one that is gone cannot be told
		}
	}
}

// Close waits until all ranks close, and closes the connections.
func (r *tcp) Close() error {
	if _, err := r.Exchange(nil); err != nil {
		return err
	}
	r.Abandon()
	return nil
}

// Abandon closes the connections: the other ranks' exchanges fail.
func (r *tcp) Abandon() {
	for _, link := range r.links {
		if link != nil {
			_ = link.Close() // what matters has been read
		}
	}
	r.links = nil
}

// lost is the error of a connection that has ended.
func (r *tcp) lost(rank int, err error) error {
	what := fmt.Sprintf("the process of rank %d has ended", rank)
	if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		what = fmt.Sprintf("the connection to the process of rank %d has ended: %v", rank, err)
	}
	return driver.Invalid(exchangeOp, "%s", what)
}

// mixed is the error of a frame that does not belong to the current exchange.
func (r *tcp) mixed(rank int, f frame) error {
	return driver.Invalid(exchangeOp, "rank %d is at exchange %d, rank %d at %d: all processes make the same calls",
		rank, f.exchange, r.rank, r.exchanges)
}

func (r *tcp) over() error {
	return driver.Invalid(exchangeOp, "the group has failed or was closed: join again")
}
