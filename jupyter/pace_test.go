package jupyter

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/gorocm/gorocm/internal/thorough"
)

// TestHeartbeatFlood: heartbeats that come faster than they are answered are all answered, in their order.
func TestHeartbeatFlood(t *testing.T) {
	thorough.Slow(t)
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

// TestSparseLog: a log has few lines of each kind in a while, and their number.
func TestSparseLog(t *testing.T) {
	var b bytes.Buffer
	h := newSparse(slog.New(slog.NewTextHandler(&b, nil))).With("kernel", 1).Handler()
	now := time.Now()
	say := func(level slog.Level, message string) {
		if err := h.Handle(t.Context(), slog.NewRecord(now, level, message, 0)); err != nil {
			t.Fatal(err)
		}
	}
	for range 1000 {
		say(slog.LevelWarn, "wrong")
		say(slog.LevelInfo, "fine")
	}
	say(slog.LevelWarn, "other")
	now = now.Add(sparseTime)
	say(slog.LevelWarn, "wrong")
	for text, want := range map[string]int{"msg=wrong": sparseLines + 1, "msg=fine": 1000, "msg=other": 1,
		`msg="as before: wrong" kernel=1 times=900`: 1} {
		if n := strings.Count(b.String(), text); n != want {
			t.Errorf("%q %d times, want %d", text, n, want)
		}
	}
}
