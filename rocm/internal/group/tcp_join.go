package group

import (
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"time"

	"github.com/gorocm/gorocm/rocm/internal/driver"
)

const (
	handshakeTime = 10 * time.Second       // to say hello; more is left to those that say nothing
	retryPause    = 500 * time.Millisecond // between attempts to connect, at most
)

// arrival is a connection that has said hello, or an error that ends joining.
type arrival struct {
	link  net.Conn
	hello hello
	err   error
}

// gather is Begin of rank 0: it listens until all ranks are there, and sends them the invitation.
func (r *tcp) gather(invitation []byte) error {
	joined, strange := 1, 0
	if r.links = make([]net.Conn, r.world); r.world == 1 {
		return nil
	}
	listener, err := net.Listen("tcp", r.listenAddress())
	if err != nil {
		return &driver.Error{Op: joinOp, Text: fmt.Sprintf("rank 0 cannot listen at %s: %v", r.address, err),
			Kind: driver.ErrInvalid, Detail: "another group may use the port: take another one"}
	}
	defer listener.Close()
	arrivals, strangers, over := make(chan arrival), make(chan struct{}), make(chan struct{})
	defer close(over)
	go accept(listener, arrivals, strangers, over)
	late := time.NewTimer(Patience)
	defer late.Stop()
	early := watch{gone: make(chan error, r.world)}
	for err == nil && joined < r.world {
		select {
		case a := <-arrivals:
			if err = a.err; err == nil {
				err = r.admit(a)
			}
			if err == nil {
				early.begin(int(a.hello.rank), a.link)
				joined++
			}
		case err = <-early.gone:
		case <-strangers:
			strange++
		case <-late.C:
			err = r.absent(strange)
		}
	}
	if err == nil {
		err = early.end(r.links)
	}
	if err != nil {
		r.tell(err)
		return err
	}
	return r.each(false, func(rank int, link net.Conn) error {
		if err := writeFrame(link, frame{kindInvitation, 0, invitation}); err != nil {
			return r.lost(rank, err)
		}
		return nil
	})
}

// listenAddress is where rank 0 listens: at the loopback address if that was given, else at all addresses of the
// machine, since the name of a machine often stands for another address there than elsewhere.
func (r *tcp) listenAddress() string {
	host, port, _ := net.SplitHostPort(r.address) // checked by TCP
	if ip := net.ParseIP(host); host == "localhost" || ip != nil && ip.IsLoopback() {
		return r.address
	}
	return ":" + port
}

// accept accepts connections until the listener is closed, and passes on those that say hello within handshakeTime.
func accept(listener net.Listener, arrivals chan<- arrival, strangers chan<- struct{}, over <-chan struct{}) {
	for {
		link, err := listener.Accept()
		if err != nil {
			select {
			case arrivals <- arrival{err: fmt.Errorf("rocm: %s: %w", joinOp, err)}:
			case <-over:
			}
			return
		}
		go func() {
			_ = link.SetDeadline(time.Now().Add(handshakeTime)) // a read reports what is wrong with the connection
			h, err := readHello(link)
			if err == nil {
				err = link.SetDeadline(time.Time{})
			}
			if err != nil {
				_ = link.Close()
				select {
				case strangers <- struct{}{}:
				case <-over:
				}
				return
			}
			select {
			case arrivals <- arrival{link: link, hello: h}:
			case <-over:
				_ = link.Close()
			}
		}()
	}
}

// admit makes a connection the link of its rank, unless something differs. The connection is told, too.
func (r *tcp) admit(a arrival) error {
	var err error
	h := a.hello
	switch {
	case h.version != version:
		err = driver.Invalid(joinOp, "a process at %v speaks version %d of the protocol, rank 0 version %d: run the "+
			"same gorocm everywhere", a.link.RemoteAddr(), h.version, version)
	case int(h.world) != r.world:
		err = driver.Invalid(joinOp, "rank %d, at %v, is one of %d processes, rank 0 one of %d", h.rank,
			a.link.RemoteAddr(), h.world, r.world)
	case h.rank == 0 || h.rank >= h.world:
		err = driver.Invalid(joinOp,
			"a process at %v has the rank %d: those that connect to rank 0 have ranks from 1 to %d",
			a.link.RemoteAddr(), h.rank, r.world-1)
	case r.links[h.rank] != nil:
		err = driver.Invalid(joinOp, "two processes have the rank %d: at %v and at %v", h.rank,
			r.links[h.rank].RemoteAddr(), a.link.RemoteAddr())
	default:
		r.links[h.rank] = a.link
		return nil
	}
	r.links = append(r.links, a.link)
	return err
}

// watch waits for processes that end while others are still to join. They send nothing before the invitation.
type watch struct {
	gone    chan error
	reading sync.WaitGroup
}

// begin watches the connection of a rank.
func (w *watch) begin(rank int, link net.Conn) {
	w.reading.Go(func() {
		var b [1]byte
		_, err := link.Read(b[:])
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			w.gone <- driver.Invalid(joinOp, "the process of rank %d has ended before all had joined", rank)
		}
	})
}

// end returns the error of a process that has ended by now, and leaves what comes to others.
func (w *watch) end(links []net.Conn) error {
	for _, link := range links[1:] {
		_ = link.SetReadDeadline(time.Now()) // a read reports what is wrong with the connection
	}
	w.reading.Wait()
	select {
	case err := <-w.gone:
		return err
	default:
	}
	for _, link := range links[1:] {
		if err := link.SetReadDeadline(time.Time{}); err != nil {
			return fmt.Errorf("rocm: %s: %w", joinOp, err)
		}
	}
	return nil
}

// absent is the error of ranks that have not joined in time.
func (r *tcp) absent(strange int) error {
	var missing []int
	for rank, link := range r.links[1:] {
		if link == nil {
			missing = append(missing, rank+1)
		}
	}
	text := fmt.Sprintf("of %d processes, the ranks %v did not join at %s within %v", r.world, missing, r.address,
		Patience)
	if strange > 0 {
		text += fmt.Sprintf("; %d connections came from other programs", strange)
	}
	return &driver.Error{Op: joinOp, Text: text, Kind: driver.ErrInvalid, Detail: "are their processes running?"}
}

// connect is Begin of the other ranks: it connects to rank 0, which may not listen yet, and waits for its invitation.
func (r *tcp) connect() ([]byte, error) {
	end := time.Now().Add(Patience)
	link, err := dial(r.address, end)
	if err != nil {
		return nil, &driver.Error{Op: joinOp, Text: fmt.Sprintf("rank 0 did not answer at %s within %v: %v", r.address,
			Patience, err), Kind: driver.ErrInvalid, Detail: "is the process of rank 0 running, with the same address?"}
	}
	r.links = []net.Conn{link}
	// Rank 0 began to listen before now, and gives up after Patience.
	_ = link.SetDeadline(time.Now().Add(Patience + handshakeTime)) // a read reports what is wrong with the connection
	if err := writeHello(link, hello{version, uint32(r.world), uint32(r.rank)}); err != nil {
		return nil, r.refused(err)
	}
	f, err := readFrame(link)
	switch {
	case err != nil:
		return nil, r.refused(err)
	case f.kind == kindFailed:
		return nil, driver.Invalid(joinOp, "%.500s", f.data)
	case f.kind != kindInvitation:
		return nil, r.refused(errStrange)
	}
	return f.data, link.SetDeadline(time.Time{})
}

// refused is the error of a process that connected, and got no invitation.
func (r *tcp) refused(err error) error {
	if errors.Is(err, errStrange) {
		return driver.Invalid(joinOp, "what listens at %s is not rank 0 of a group: another program uses the port",
			r.address)
	}
	return driver.Invalid(joinOp, "rank 0, at %s, has ended before all had joined: %v", r.address, err)
}

// dial connects to an address where nobody may listen yet.
func dial(address string, end time.Time) (net.Conn, error) {
	for pause := 10 * time.Millisecond; ; pause = min(2*pause, retryPause) {
		link, err := (&net.Dialer{Deadline: end}).Dial("tcp", address)
		if err == nil || time.Now().Add(pause).After(end) {
			return link, err
		}
		time.Sleep(pause)
	}
}
