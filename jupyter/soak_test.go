package jupyter

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gorocm/gorocm/internal/thorough"
)

var soak = flag.Int("soak", 0, "cells of TestSoak; 0 for 2,000, or 20,000 in a thorough run")

// TestSoak: five clients that come and go run cells in batches, and interrupt one another at random. Every reply comes
// once, in order, with its cell's output in between; and when they have gone nothing of them is left.
func TestSoak(t *testing.T) {
	if testing.Short() {
		t.Skip("thousands of cells take a while")
	}
	k := startKernel(t, setup{})
	run := func(cells int) {
		var left atomic.Int64
		left.Store(int64(cells))
		var wait sync.WaitGroup
		for i := range 5 {
			wait.Go(func() {
				s := &soaker{k: k, name: fmt.Sprintf("client%d-of-%d", i, cells), codec: newCodec(k.conn.Key, nil),
					random: rand.New(rand.NewPCG(uint64(i), uint64(cells)))}
				for left.Load() > 0 && !t.Failed() {
					n, err := s.visit()
					left.Add(int64(-n))
					if err != nil {
						t.Errorf("%s: %v", s.name, err)
					}
				}
			})
		}
		wait.Wait()
	}
	all := *soak
	if all == 0 {
		all = 2000
		if thorough.On() {
			all = 20000
		}
	}
	if thorough.Race {
		all /= 4 // each takes five times as long
	}
	run(all / 10) // what is made once is made here
	before := measureSelf(t)
	run(all - all/10)
	after := measureSelf(t)
	for end := time.Now().Add(patience); (after.goroutines > before.goroutines || after.files > before.files) &&
		time.Now().Before(end); {
		after = measureSelf(t) // the machine is busy
	}
	t.Logf("before %+v, after %+v", before, after)
	if after.goroutines > before.goroutines || after.files > before.files {
		t.Errorf("before %+v, after %+v: something stays for each client or cell", before, after)
	}
	// The history and the signatures that are remembered stay, some 200 bytes a cell.
	growth := all * 400
	if after.heap > before.heap+growth {
		t.Errorf("before %+v, after %+v: the heap grows", before, after)
	}
	// the race detector keeps memory for every address that was ever in use
	if after.rss > before.rss+growth+16<<20 && !thorough.Race {
		t.Errorf("before %+v, after %+v: memory grows", before, after)
	}
}

// footprint is what this process, with the kernel in it, holds.
type footprint struct{ goroutines, files, heap, rss int }

// measureSelf waits until the number of goroutines stays: connections that were closed take a moment to be noticed.
func measureSelf(t *testing.T) (f footprint) {
	t.Helper()
	for same, last := 0, -1; same < 20; time.Sleep(10 * time.Millisecond) {
		if n := runtime.NumGoroutine(); n == last {
			same++
		} else {
			same, last = 0, n
		}
	}
	runtime.GC() // what lies in a pool goes with the second collection after its last use
	debug.FreeOSMemory()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	f.goroutines, f.heap = runtime.NumGoroutine(), int(m.HeapAlloc)
	if names, err := os.ReadDir("/proc/self/fd"); err == nil {
		f.files = len(names)
	}
	if text, err := os.ReadFile("/proc/self/statm"); err == nil {
		pages, err := strconv.Atoi(strings.Fields(string(text))[1])
		if err != nil {
			t.Fatal(err)
		}
		f.rss = pages * os.Getpagesize()
	}
	return f
}

// soaker is one of the clients, on connections without a ZMTP library.
type soaker struct {
	k      *testKernel
	name   string
	codec  *codec
	random *rand.Rand
	sent   int
}

// visit connects, runs some batches of cells, and leaves. It returns the number of cells.
func (s *soaker) visit() (cells int, err error) {
	var open []net.Conn
	defer func() {
		for _, c := range open {
			c.Close()
		}
	}()
	connect := func(port int, hello ...[]byte) (*wireReader, net.Conn, error) {
		c, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err != nil {
			return nil, nil, err
		}
		open = append(open, c)
		c.SetDeadline(time.Now().Add(patience))
		_, err = c.Write(bytes.Join(hello, nil))
		return openReader(c), c, err
	}
	iopub, _, err := connect(s.k.conn.IOPub, greeting(), ready("SUB"), frame(0, []byte{1}))
	if err != nil {
		return 0, err
	}
	if kind, _, _, err := s.receive(iopub); err != nil || kind != "iopub_welcome" {
		return 0, fmt.Errorf("%s, %w instead of a welcome", kind, err)
	}
	shell, shellConn, err := connect(s.k.conn.Shell, greeting(), ready("DEALER"))
	if err != nil {
		return 0, err
	}
	_, control, err := connect(s.k.conn.Control, greeting(), ready("DEALER"))
	if err != nil {
		return 0, err
	}
	for range 1 + s.random.IntN(8) {
		n := 1 + s.random.IntN(40)
		if err := s.batch(n, shell, iopub, shellConn, control); err != nil {
			return cells, err
		}
		cells += n
	}
	if s.random.IntN(3) == 0 { // leave in the middle of something
		shellConn.Write(s.request("execute_request", "print nobody reads this")[:50])
	}
	return cells, nil
}

func (s *soaker) request(kind, code string) []byte {
	s.sent++
	header := fmt.Appendf(nil, `{"msg_id":"%s-%d","msg_type":%q}`, s.name, s.sent, kind)
	content, _ := json.Marshal(map[string]any{"code": code, "stop_on_error": s.random.IntN(2) == 0})
	parts := [][]byte{header, []byte("{}"), []byte("{}"), content}
	sum := s.codec.sign(parts)
	return onWire(append([][]byte{[]byte(delimiter), fmt.Appendf(nil, "%x", sum)}, parts...))
}

// batch sends n cells at once and checks what comes back.
func (s *soaker) batch(n int, shell, iopub *wireReader, out, control net.Conn) error {
	first := s.sent + 1
	var all []byte
	for i := range n {
		code := fmt.Sprintf("print output of %s-%d", s.name, first+i)
		if s.random.IntN(50) == 0 {
			code = "sleep 5ms"
		}
		all = append(all, s.request("execute_request", code)...)
	}
	if _, err := out.Write(all); err != nil {
		return err
	}
	if s.random.IntN(10) == 0 {
		interrupted := s.sent
		if _, err := control.Write(s.request("interrupt_request", "")); err != nil {
			return err
		}
		s.sent = interrupted + 1
	}
	status := map[string]string{}
	for i := range n {
		want := fmt.Sprintf("%s-%d", s.name, first+i)
		kind, id, content, err := s.receive(shell)
		if err != nil || kind != "execute_reply" || id != want {
			return fmt.Errorf("%s to %q (%v), want the reply to %q", kind, id, err, want)
		}
		status[id] = content.Status
	}
	return s.follow(first, n, iopub, status)
}

// follow reads what is shown until the last cell is idle.
func (s *soaker) follow(first, n int, iopub *wireReader, status map[string]string) error {
	at, state := first, "idle"
	shown := ""
	for at < first+n {
		kind, id, content, err := s.receive(iopub)
		if err != nil {
			return err
		}
		want := fmt.Sprintf("%s-%d", s.name, at)
		if !strings.HasPrefix(id, s.name+"-") || status[id] == "" {
			continue // another client's, or the interrupt's
		}
		if id != want {
			return fmt.Errorf("iopub shows %s of %q before %q is idle", kind, id, want)
		}
		switch {
		case kind == "stream":
			shown += content.Text
		case kind == "status" && content.State == "busy":
			state = "busy" // it may be repeated when another message is done meanwhile
		case kind == "status" && content.State == "idle":
			if state != "busy" {
				return fmt.Errorf("%q is idle and was not busy", id)
			}
			if text := fmt.Sprintf("output of %s\n", id); status[id] == "ok" && shown != text && shown != "" ||
				status[id] == "aborted" && shown != "" {
				return fmt.Errorf("%q is %s and shows %q", id, status[id], shown)
			}
			at, state, shown = at+1, "idle", ""
		}
	}
	return nil
}

// shownContent is what the clients look at in a message.
type shownContent struct {
	Status string `json:"status"`
	State  string `json:"execution_state"`
	Text   string `json:"text"`
}

// receive reads a message and verifies it.
func (s *soaker) receive(in *wireReader) (kind, parent string, content shownContent, err error) {
	frames, err := in.message()
	if err != nil {
		return "", "", content, err
	}
	m, err := s.codec.decode(frames)
	if err != nil {
		return "", "", content, err
	}
	parts := frames[len(m.routes)+2:]
	return m.Type, messageID(parts[1]), content, json.Unmarshal(m.content, &content)
}
