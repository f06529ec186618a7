package group

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// freeAddress is an address of this machine where nothing listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// ranks runs a function for each rank at the same time.
func ranks(world int, run func(rank int)) {
	var all sync.WaitGroup
	for rank := range world {
		all.Go(func() { run(rank) })
	}
	all.Wait()
}

func open(t *testing.T, at string, rank, world int) Rendezvous {
	t.Helper()
	r, err := At(at, rank, world)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// patience sets Patience for a test.
func patience(t *testing.T, d time.Duration) {
	before := Patience
	Patience = d
	t.Cleanup(func() { Patience = before })
}

// TestRendezvous exchanges data between three ranks, by files and by connections. Files are removed.
func TestRendezvous(t *testing.T) {
	thorough.Slow(t)
	folder := t.TempDir()
	big := bytes.Repeat([]byte("0123456789"), 3*chunk/10)
	for _, at := range []string{filepath.Join(folder, "group"), "tcp://" + freeAddress(t)} {
		ranks(3, func(rank int) {
			r := open(t, at, rank, 3)
			invitation, err := r.Begin(fmt.Appendf(nil, "rank %d's", rank))
			if err != nil || string(invitation) != "rank 0's" || r.Rank() != rank || r.World() != 3 {
				t.Errorf("rank %d of %d has the invitation %q, %v", r.Rank(), r.World(), invitation, err)
				return
			}
			for round := range 4 {
				parts, err := r.Exchange(fmt.Appendf(nil, "%d of %d", round, rank))
				for other, part := range parts {
					if want := fmt.Sprintf("%d of %d", round, other); string(part) != want {
						t.Errorf("rank %d has %q, want %q", rank, part, want)
					}
				}
				if err != nil || len(parts) != 3 {
					t.Errorf("rank %d: %d parts, %v", rank, len(parts), err)
				}
			}
			var own []byte
			if rank == 1 {
				own = big
			}
			parts, err := r.Exchange(own)
			if err != nil || len(parts[0])+len(parts[2]) != 0 || !bytes.Equal(parts[1], big) {
				t.Errorf("%s, rank %d: the large part is wrong, %v", at, rank, err)
			}
			if err := r.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) != 0 {
		t.Errorf("files %v, %v", left, err)
	}
}

// TestLengths: all ranks learn that their data have different lengths, and a rendezvous of connections is over then.
func TestLengths(t *testing.T) {
	for _, at := range []string{filepath.Join(t.TempDir(), "group"), "tcp://" + freeAddress(t)} {
		ranks(3, func(rank int) {
			r := open(t, at, rank, 3)
			_, err := r.Begin(nil)
			if err != nil {
				t.Error(err)
				return
			}
			_, err = r.Exchange(make([]byte, 4+rank/2))
			if !errors.Is(err, driver.ErrInvalid) || !strings.Contains(err.Error(), "rank 2 has 5 bytes where rank 0 has 4") {
				t.Errorf("%s, rank %d: %v", at, rank, err)
			}
			if !strings.HasPrefix(at, "tcp:") {
				return
			}
			if _, err := r.Exchange(nil); err == nil || !strings.Contains(err.Error(), "the group has failed or was closed") {
				t.Errorf("rank %d goes on: %v", rank, err)
			}
		})
	}
}

// TestEnded: when a process ends, all others learn it from their next exchange, also while they wait in it.
func TestEnded(t *testing.T) {
	for ended := range 3 {
		at := "tcp://" + freeAddress(t)
		ranks(3, func(rank int) {
			r := open(t, at, rank, 3)
			_, err := r.Begin(nil)
			if _, again := r.Exchange(nil); err != nil || again != nil {
				t.Error(err, again)
				return
			}
			if rank == ended {
				r.Abandon()
				return
			}
			if _, err := r.Exchange([]byte("more")); !errors.Is(err, driver.ErrInvalid) ||
				!strings.Contains(err.Error(), "to the process of rank") && !strings.Contains(err.Error(),
					fmt.Sprintf("the process of rank %d has ended", ended)) {
				t.Errorf("rank %d after the end of rank %d: %v", rank, ended, err)
			}
		})
	}
}

// TestEndedEarly: rank 0 learns of a process that ends while it waits for another one.
func TestEndedEarly(t *testing.T) {
	address := freeAddress(t)
	ranks(2, func(rank int) {
		if rank == 1 {
			link, err := dial(address, time.Now().Add(time.Minute))
			if err != nil {
				t.Error(err)
				return
			}
			defer link.Close()
			if err := writeHello(link, hello{version, 3, 1}); err != nil {
				t.Error(err)
			}
			return
		}
		r := open(t, "tcp://"+address, 0, 3)
		_, err := r.Begin(nil)
		r.Abandon()
		if !errors.Is(err, driver.ErrInvalid) || !strings.Contains(err.Error(),
			"the process of rank 1 has ended before all had joined") {
			t.Error(err)
		}
	})
}

// TestJoinMistakes are processes that do not fit. Every process of the group gets an error that says so.
func TestJoinMistakes(t *testing.T) {
	patience(t, 20*time.Second)
	for name, c := range map[string]struct {
		ranks, worlds []int // of the processes beside rank 0 of 3
		want          string
	}{
		"a rank twice":  {[]int{1, 1}, []int{3, 3}, "two processes have the rank 1"},
		"another world": {[]int{1}, []int{4}, "one of 4 processes, rank 0 one of 3"},
	} {
		address := freeAddress(t)
		ranks(1+len(c.ranks), func(i int) {
			rank, world := 0, 3
			if i > 0 {
				rank, world = c.ranks[i-1], c.worlds[i-1]
			}
			r := open(t, "tcp://"+address, rank, world)
			_, err := r.Begin(nil)
			r.Abandon()
			if !errors.Is(err, driver.ErrInvalid) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: rank %d: %v", name, rank, err)
			}
		})
	}
}

// TestStrangers: other programs that connect are no members, and what is not rank 0 is not taken for it.
func TestStrangers(t *testing.T) {
	address := freeAddress(t)
	ranks(3, func(i int) {
		if i < 2 {
			r := open(t, "tcp://"+address, i, 2)
			if _, err := r.Begin(nil); err != nil {
				t.Error(err)
			} else if err := r.Close(); err != nil {
				t.Error(err)
			}
			return
		}
		link, err := dial(address, time.Now().Add(50*time.Millisecond))
		if err != nil {
			return // the two have met already
		}
		defer link.Close()
		fmt.Fprint(link, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
	})

	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	go func() {
		for {
			link, err := listener.Accept()
			if err != nil {
				return
			}
			_, _ = readHello(link)
			fmt.Fprint(link, "HTTP/1.1 400 Bad Request\r\n\r\n")
			link.Close()
		}
	}()
	r := open(t, "tcp://"+listener.Addr().String(), 1, 2)
	if _, err := r.Begin(nil); err == nil || !strings.Contains(err.Error(), "is not rank 0 of a group") {
		t.Errorf("a web server as rank 0: %v", err)
	}
	r.Abandon()
	r = open(t, "tcp://"+listener.Addr().String(), 0, 2)
	if _, err := r.Begin(nil); err == nil || !strings.Contains(err.Error(), "rank 0 cannot listen at") {
		t.Errorf("a port in use: %v", err)
	}
}

// TestPatience: nobody waits for ever to join.
func TestPatience(t *testing.T) {
	thorough.Slow(t)
	patience(t, 100*time.Millisecond)
	address := freeAddress(t)
	for rank, want := range []string{"of 3 processes, the ranks [1 2] did not join", "rank 0 did not answer at " + address} {
		r := open(t, "tcp://"+address, rank, 3)
		if _, err := r.Begin(nil); !errors.Is(err, driver.ErrInvalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("rank %d: %v", rank, err)
		}
		r.Abandon()
	}
	if _, err := open(t, filepath.Join(t.TempDir(), "none"), 1, 2).Begin(nil); err == nil ||
		!strings.Contains(err.Error(), "did not come within 100ms") {
		t.Errorf("by a file: %v", err)
	}
}

func TestAddresses(t *testing.T) {
	for _, address := range []string{"", "host", "host:", ":1234", "host:0", "host:65536", "host:http", "a:b:1"} {
		if _, err := At("tcp://"+address, 0, 2); !errors.Is(err, driver.ErrInvalid) {
			t.Errorf("%q: %v", address, err)
		}
	}
	for address, want := range map[string]string{"127.0.0.1:80": "127.0.0.1:80", "localhost:80": "localhost:80",
		"[::1]:80": "[::1]:80", "node7:80": ":80", "10.0.0.3:80": ":80"} {
		r, err := TCP(address, 0, 2)
		if err != nil {
			t.Fatal(err)
		}
		if got := r.(*tcp).listenAddress(); got != want {
			t.Errorf("rank 0 of %s listens at %s, want %s", address, got, want)
		}
	}
}

// FuzzWire: bytes are a hello or a frame that has these bytes, or an error.
func FuzzWire(f *testing.F) {
	var hi, part bytes.Buffer
	_ = writeHello(&hi, hello{version, 3, 2})
	_ = writeFrame(&part, frame{kindPart, 7, []byte("elements")})
	lie := slices.Clone(part.Bytes()[:headerSize])
	lie[headerSize-3] = 0xff // a length of 2^47 bytes
	for _, seed := range [][]byte{nil, hi.Bytes(), part.Bytes(), part.Bytes()[:headerSize+3], lie} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var again bytes.Buffer
		if h, err := readHello(bytes.NewReader(data)); err == nil {
			if err := writeHello(&again, h); err != nil || !bytes.HasPrefix(data, again.Bytes()) {
				t.Errorf("% x is read as %+v, % x", data, h, again.Bytes())
			}
		}
		again.Reset()
		if m, err := readFrame(bytes.NewReader(data)); err == nil {
			if err := writeFrame(&again, m); err != nil || !bytes.HasPrefix(data, again.Bytes()) {
				t.Errorf("% x is read as %+v, % x", data, m, again.Bytes())
			}
		}
	})
}
