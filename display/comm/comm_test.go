package comm

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// connect makes a front end whose packets come through a channel.
func connect(t *testing.T) <-chan Packet {
	packets := make(chan Packet, 100)
	SetSender(func(p Packet) { packets <- p })
	t.Cleanup(func() { SetSender(nil) })
	return packets
}

func next(t *testing.T, packets <-chan Packet) string {
	t.Helper()
	p := <-packets // the test's own limit ends a wait in vain
	return fmt.Sprintf("%s %s %s %s %q", p.Kind, p.Target, p.Data, p.Metadata, p.Buffers)
}

func TestComm(t *testing.T) {
	packets := connect(t)
	c, err := Open("there", map[string]int{"a": 1}, []byte("b"))
	if err != nil {
		t.Fatal(err)
	}
	if got := next(t, packets); got != `comm_open there {"a":1} {} ["b"]` || c.Target() != "there" {
		t.Errorf("%s", got)
	}
	told := make(chan string, 10)
	c.OnReceive(func(m Message) { told <- "received " + string(m.Raw) })
	c.OnMessage(func(m Message) { told <- fmt.Sprint("message ", m.Data["n"], " ", len(m.Buffers)) })
	c.OnClose(func(m Message) { told <- "closed" })
	for n := range 2 {
		Deliver(Packet{Kind: KindMessage, ID: c.ID(), Data: json.RawMessage(fmt.Sprintf(`{"n":%d}`, n)),
			Buffers: [][]byte{{1}}})
	}
	Deliver(Packet{Kind: KindMessage, ID: "unknown", Data: json.RawMessage(`{}`)})
	Deliver(Packet{Kind: KindClose, ID: c.ID()})
	var messages []string
	for range 5 {
		if s := <-told; !strings.HasPrefix(s, "received") {
			messages = append(messages, s)
		}
	}
	if got := strings.Join(messages, ", "); got != "message 0 1, message 1 1, closed" {
		t.Errorf("%s", got)
	}
	if err := c.Send(map[string]int{"late": 1}); err != nil {
		t.Error(err)
	}
	if err := c.Close(nil); err != nil || len(packets) > 0 {
		t.Errorf("a comm that the front end has closed still sends (%v)", err)
	}
}

func TestTarget(t *testing.T) {
	packets := connect(t)
	Register("here", func(c *Comm, m Message) {
		if err := c.Send(map[string]any{"opened with": m.Data["x"]}); err != nil {
			t.Error(err)
		}
		c.OnMessage(func(m Message) {
			if err := c.Send(m.Data, m.Buffers...); err != nil {
				t.Error(err)
			}
		})
	})
	defer Register("here", nil)
	Deliver(Packet{Kind: KindOpen, ID: "1", Target: "here", Data: json.RawMessage(`{"x":5}`)})
	Deliver(Packet{Kind: KindMessage, ID: "1", Data: json.RawMessage(`{"y":6}`), Buffers: [][]byte{[]byte("z")}})
	Deliver(Packet{Kind: KindOpen, ID: "2", Target: "nowhere"})
	got := map[string]bool{}
	for range 4 {
		got[next(t, packets)] = true
	}
	for _, want := range []string{`comm_open here {} {} []`, `comm_msg  {"opened with":5} {} []`, `comm_msg  {"y":6} {} ["z"]`,
		`comm_close  {} {} []`} {
		if !got[want] {
			t.Errorf("no %s in %v", want, got)
		}
	}
}

func TestData(t *testing.T) {
	packets := connect(t)
	for _, bad := range []any{1, "text", []int{1}, func() {}} {
		if _, err := Open("there", bad); err == nil {
			t.Errorf("%T is taken for an object", bad)
		}
	}
	if len(packets) > 0 {
		t.Error("something was sent")
	}
	SetSender(nil)
	if c, err := Open("there", nil); err != nil || c.Send(nil) != nil || Connected() {
		t.Errorf("without a front end: %v", err)
	}
}
