package jupyter

import "testing"

// TestEarlyComm: before the first cell, and after the session is lost, a comm is closed at once. Nobody waits for an
// answer.
func TestEarlyComm(t *testing.T) {
	c := dial(t, startKernel(t, setup{}))
	open := func(id string) string {
		t.Helper()
		return types(c.outputs(c.send(c.shell, "comm_open",
			map[string]any{"comm_id": id, "target_name": "jupyter.widget.control", "data": map[string]any{}})))
	}
	if got := open("early"); got != "comm_close" {
		t.Errorf("before the first cell: %q", got)
	}
	c.run("comm c1")
	c.run("lose")
	if got := open("later"); got != "comm_close" {
		t.Errorf("after the session is lost: %q", got)
	}
	if r := c.reply(c.shell, c.send(c.shell, "comm_info_request", nil)); len(r.content["comms"].(map[string]any)) != 0 {
		t.Errorf("open: %v", r.content["comms"])
	}
}
