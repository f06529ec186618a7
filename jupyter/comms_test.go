package jupyter

import (
	"fmt"
	"reflect"
	"testing"
)

func TestComms(t *testing.T) {
	k := startKernel(t, setup{})
	c := dial(t, k)
	comms := func(target string) string {
		t.Helper()
		r := c.reply(c.shell, c.send(c.shell, "comm_info_request", map[string]any{"target_name": target}))
		return fmt.Sprint(r.content["comms"])
	}
	_, shown := c.run("print before\ncomm c1\ncomm c2\nprint after")
	if got := types(shown); got != "execute_input stream comm_open comm_open stream" {
		t.Fatalf("shown %s", got)
	}
	open := shown[2]
	want := map[string]any{"comm_id": "c1", "target_name": "fake", "data": map[string]any{"a": 1.0}}
	if !reflect.DeepEqual(open.content, want) || open.meta["m"] != 2.0 || len(open.buffers) != 1 ||
		string(open.buffers[0]) != "\x00\xff" {
		t.Errorf("%v %v %v", open.content, open.meta, open.buffers)
	}
	if got := comms(""); got != "map[c1:map[target_name:fake] c2:map[target_name:fake]]" {
		t.Errorf("comms %s", got)
	}
	if got := comms("other"); got != "map[]" {
		t.Errorf("comms of another target %s", got)
	}
	c.run("uncomm c2")
	if got := comms("fake"); got != "map[c1:map[target_name:fake]]" {
		t.Errorf("comms %s", got)
	}

	// A message goes to the session with its buffers, and its answer comes back, also while a cell runs.
	running := c.send(c.shell, "execute_request", cell("comm c3\nprint started\nsleep 1h"))
	c.started()
	frames, err := c.codec.encode(nil, "comm_msg", nil, nil,
		map[string]any{"comm_id": "c1", "data": map[string]any{"b": 2}}, []byte("binary"), nil)
	if err != nil {
		t.Fatal(err)
	}
	c.sendFrames(c.shell, frames)
	c.reply(c.control, c.send(c.control, "interrupt_request", nil))
	c.reply(c.shell, running)
	for {
		m := c.next(c.iopub)
		if m.Type != "comm_msg" {
			continue
		}
		if !reflect.DeepEqual(m.content["data"], map[string]any{"b": 2.0}) || len(m.buffers) != 2 ||
			string(m.buffers[0]) != "binary" {
			t.Errorf("%v %q", m.content, m.buffers)
		}
		break
	}

	// One that the client closes is gone, and one that nobody takes is closed.
	c.send(c.shell, "comm_close", map[string]any{"comm_id": "c1", "data": map[string]any{}})
	refused := c.outputs(c.send(c.shell, "comm_open",
		map[string]any{"comm_id": "c4", "target_name": "odd", "data": map[string]any{}}))
	if len(refused) != 1 || refused[0].Type != "comm_close" || refused[0].content["comm_id"] != "c4" {
		t.Errorf("within the comm_open that nobody takes: %v", refused)
	}
	if got := comms(""); got != "map[c3:map[target_name:fake]]" {
		t.Errorf("comms %s", got)
	}

	// With the session go its comms.
	_, shown = c.run("lose")
	if got := types(shown); got != "execute_input comm_close error" {
		t.Errorf("shown %s", got)
	}
	if got := comms(""); got != "map[]" {
		t.Errorf("comms %s", got)
	}
}
