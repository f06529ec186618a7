package comm

import "testing"

// TestAwaits: messages can come only to a comm that is open, from a front end that knows comms.
func TestAwaits(t *testing.T) {
	defer SetSender(nil)
	SetSender(func(Packet) {})
	if Awaits() {
		t.Error("a message may come without a comm")
	}
	c, err := Open("target", nil)
	if err != nil {
		t.Fatal(err)
	}
	if !Awaits() {
		t.Error("no message may come to an open comm")
	}
	SetSender(nil)
	if Awaits() {
		t.Error("a message may come without a front end")
	}
	SetSender(func(Packet) {})
	if c.Close(nil); Awaits() {
		t.Error("a message may come to a comm that is closed")
	}
}
