package jupyter

import (
	"io"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestTooManyPeers: peers that take all places of every socket, and have no key, neither cut off a client nor keep one
// out.
func TestTooManyPeers(t *testing.T) {
	lim := defaultLimits
	lim.links = 4
	k := startKernel(t, setup{limits: lim})
	first := dial(t, k)
	first.run("print first")
	sub := append(append(greeting(), ready("SUB")...), frame(0, []byte{1})...)
	dealer := append(greeting(), ready("DEALER")...)
	var taken []net.Conn
	for range 3 * lim.links {
		for _, port := range []int{k.conn.Shell, k.conn.Control, k.conn.Stdin} {
			taken = append(taken, admitted(t, port, dealer))
		}
		taken = append(taken, admitted(t, k.conn.IOPub, sub))
		admitted(t, k.conn.Heartbeat, dealer) // where the client has no connection of its own
	}
	for _, c := range taken[:4] { // the oldest of them are gone
		cut(t, c)
	}
	for range 3 * lim.links { // so may be those that never say a word
		for _, port := range []int{k.conn.Shell, k.conn.Control, k.conn.Stdin, k.conn.Heartbeat, k.conn.IOPub} {
			raw(t, port)
		}
	}
	second := dial(t, k)
	second.run("print second")
	alive(t, first)
	alive(t, second)
	if !strings.Contains(k.log.String(), "closing one that has not shown that it knows the key") {
		t.Error("the log does not mention them")
	}
}

// TestNoPlaces: where all peers have shown that they know the key, a newcomer is refused.
func TestNoPlaces(t *testing.T) {
	lim := defaultLimits
	lim.links = 2
	k := startKernel(t, setup{limits: lim})
	one, two := dial(t, k), dial(t, k)
	one.run("print one")
	two.run("print two")
	cut(t, raw(t, k.conn.Shell, greeting(), ready("DEALER")))
	alive(t, one)
	alive(t, two)
	one.shell.Close()
	for end := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		if _, err := io.ReadFull(raw(t, k.conn.Shell, greeting(), ready("DEALER")),
			make([]byte, greetingLen)); err == nil {
			break
		}
		if time.Now().After(end) {
			t.Fatal("there is no room after one has left")
		}
	}
}

// admitted opens a connection and waits for the other side of its handshake.
func admitted(t *testing.T, port int, hello []byte) net.Conn {
	t.Helper()
	c := raw(t, port, hello)
	c.SetReadDeadline(time.Now().Add(patience))
	if _, err := io.ReadFull(c, make([]byte, greetingLen+2)); err != nil {
		t.Fatal(err)
	}
	return c
}

func TestYields(t *testing.T) {
	start := time.Now()
	at := func(address string, second int, authenticated bool) *link {
		l := &link{address: address, since: start.Add(time.Duration(second) * time.Second)}
		l.authenticated.Store(authenticated)
		return l
	}
	for _, test := range []struct {
		name     string
		links    []*link
		vouchers []*link
		want     int // -1: none
	}{
		{"the oldest", []*link{at("a", 2, false), at("a", 1, false), at("a", 3, false)}, nil, 1},
		{"not an authenticated one", []*link{at("a", 2, false), at("a", 1, true)}, nil, 0},
		{"all are authenticated", []*link{at("a", 2, true), at("b", 1, true)}, nil, -1},
		{"the address with most", []*link{at("a", 1, false), at("b", 2, false), at("b", 3, false)}, nil, 1},
		{"vouched for", []*link{at("a", 1, false), at("a", 5, false)}, []*link{at("a", 2, true)}, 1},
		{"one for each", []*link{at("a", 1, false), at("a", 2, false), at("a", 9, false)},
			[]*link{at("a", 1, true), at("a", 1, true)}, 2},
		{"from elsewhere", []*link{at("a", 1, false), at("a", 5, false)}, []*link{at("b", 1, true)}, 0},
		{"all vouched for", []*link{at("a", 1, false)}, []*link{at("a", 7, true)}, -1},
	} {
		t.Run(test.name, func(t *testing.T) {
			links := map[*link]struct{}{}
			for _, l := range test.links {
				links[l] = struct{}{}
			}
			got := -1
			out := victim(links, test.vouchers)
			for i, l := range test.links {
				if l == out {
					got = i
				}
			}
			if got != test.want {
				t.Errorf("link %d is evicted, want %d", got, test.want)
			}
		})
	}
}

// TestVouched: of the links of an address, those are waited for that a client may have opened with its shell's, also
// where another one is nearer to it.
func TestVouched(t *testing.T) {
	start := time.Now()
	at := func(address string, ms int) *link {
		return &link{address: address, since: start.Add(time.Duration(ms) * time.Millisecond)}
	}
	client := at("a", 300)
	client.shaken = true
	client.authenticated.Store(true)
	stranger, own, late, elsewhere := at("a", 100), at("a", 600), at("a", 5000), at("b", 300)
	iopub := &socket{vouch: &socket{links: map[*link]struct{}{client: {}}},
		links: map[*link]struct{}{stranger: {}, own: {}, late: {}, elsewhere: {}}}
	for l, want := range map[*link]bool{stranger: true, own: true, late: false, elsewhere: false} {
		if got := iopub.isVouched(l); got != want {
			t.Errorf("the link of %s at %v: %v, want %v", l.address, l.since.Sub(start), got, want)
		}
	}
}

// TestHandshakeMemory: a connection takes little before its handshake is over. Thousands may come in a second, and a
// collection of what they have taken delays everybody.
func TestHandshakeMemory(t *testing.T) {
	const links, most = 1000, 16 << 10
	s := &socket{limits: defaultLimits}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range links {
		c, _ := net.Pipe()
		newLink(s, c)
	}
	runtime.ReadMemStats(&after)
	if n := (after.TotalAlloc - before.TotalAlloc) / links; n > most {
		t.Errorf("a connection takes %d bytes, of at most %d", n, most)
	}
}
