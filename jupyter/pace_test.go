package jupyter

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"
)

// TestHeartbeatFlood: heartbeats that come faster than they are answered are all answered, in their order.
func TestHeartbeatFlood(t *testing.T) {
	k := startKernel(t, setup{})
	c := dial(t, k)
	var all, want []byte
	for i := range perSecond + 50 {
		one := append(frame(flagMore, nil), frame(0, fmt.Appendf(nil, "beat %d", i))...)
		all, want = append(all, one...), append(want, one...)
	}
	start := append(greeting(), ready("REQ")...)
	s := raw(t, k.conn.Heartbeat, append(start, all...))
	if err := s.SetReadDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	alive(t, c)
	var got []byte
	for buf := make([]byte, 4096); !bytes.HasSuffix(got, want); {
		n, err := s.Read(buf)
		if got = append(got, buf[:n]...); err != nil {
			t.Fatalf("%v after %d bytes: %.200q", err, len(got), got)
		}
	}
	alive(t, c)
}

// TestForgeryFlood: a flood of wrong signatures ends with its connection, also while it is kept waiting.
func TestForgeryFlood(t *testing.T) {
	k := startKernel(t, setup{})
	c := dial(t, k)
	var one []byte
	for i, part := range []string{"<IDS|MSG>", strings.Repeat("0", 64), "{}", "{}", "{}", "{}"} {
		flag := byte(flagMore)
		if i == 5 {
			flag = 0
		}
		one = append(one, frame(flag, []byte(part))...)
	}
	s := raw(t, k.conn.Shell, dealerStart(), bytes.Repeat(one, 10*perSecond))
	alive(t, c)
	s.Close()
	alive(t, c)
}

// TestRefusals: a log has few lines about refused messages, and their number.
func TestRefusals(t *testing.T) {
	var b bytes.Buffer
	r := refusals{log: slog.New(slog.NewTextHandler(&b, nil))}
	for range 1000 {
		r.note("shell", errors.New("wrong"))
	}
	r.since = time.Time{} // long ago
	r.note("shell", errors.New("wrong"))
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")
	if len(lines) != refusalLines+2 || !strings.Contains(lines[refusalLines], "messages=900") {
		t.Errorf("%d lines: %q", len(lines), lines[min(refusalLines, len(lines)-1)])
	}
}
