package jupyter

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// sendTo sends a request whose header names a subshell.
func (c *client) sendTo(p *peer, subshell any, msgType string, content map[string]any) string {
	c.t.Helper()
	if content == nil {
		content = map[string]any{}
	}
	frames, err := c.codec.encode(nil, msgType, nil, nil, content)
	if err != nil {
		c.t.Fatal(err)
	}
	var h map[string]any
	if err := json.Unmarshal(frames[2], &h); err != nil {
		c.t.Fatal(err)
	}
	h["subshell_id"] = subshell
	if frames[2], err = json.Marshal(h); err != nil {
		c.t.Fatal(err)
	}
	frames[1] = []byte(fmt.Sprintf("%x", c.codec.sign(frames[2:6])))
	c.sendFrames(p, frames)
	return h["msg_id"].(string)
}

// subshell makes one.
func (c *client) subshell() string {
	c.t.Helper()
	r := c.reply(c.control, c.send(c.control, "create_subshell_request", nil))
	return r.content["subshell_id"].(string)
}

func (c *client) subshells() string {
	c.t.Helper()
	return fmt.Sprint(c.reply(c.control, c.send(c.control, "list_subshell_request", nil)).content["subshell_id"])
}

// TestSubshells: requests for subshells are answered while the main shell is busy, each subshell's in their order.
func TestSubshells(t *testing.T) {
	c := dial(t, startKernel(t, setup{}))
	if got := c.subshells(); got != "[]" {
		t.Errorf("subshells at the beginning: %s", got)
	}
	a, b := c.subshell(), c.subshell()
	if got := c.subshells(); got != "["+a+" "+b+"]" {
		t.Errorf("subshells: %s", got)
	}
	main := c.send(c.shell, "execute_request", cell("print busy\nhold"))
	if got := c.started(); got != main {
		t.Fatalf("the main shell runs %s", got)
	}
	slow := c.sendTo(c.shell, a, "execute_request", cell("print begun\nsleep 1h"))
	if got := c.started(); got != slow {
		t.Fatalf("the subshell runs %s", got)
	}
	for n, want := range []string{"first", "second"} {
		id := c.sendTo(c.shell, b, "execute_request", cell("print "+want+"\nvalue 4"))
		r := c.reply(c.shell, id)
		if r.content["status"] != "ok" || r.content["execution_count"] != float64(n+1) {
			t.Errorf("reply: %v", r.content)
		}
		if out := c.outputs(id); types(out) != "execute_input stream execute_result" || text(out, "stdout") != want+"\n" {
			t.Errorf("%s: %s", want, types(out))
		}
	}
	info := c.sendTo(c.shell, b, "kernel_info_request", nil)
	if r := c.reply(c.shell, info); !strings.Contains(fmt.Sprint(r.content["supported_features"]), "kernel subshells") {
		t.Errorf("features: %v", r.content["supported_features"])
	}
	// One with its ID interrupts a subshell, and aborts what waits there.
	queued := c.sendTo(c.shell, a, "execute_request", cell("print never"))
	c.reply(c.shell, c.send(c.shell, "kernel_info_request", nil)) // which is read after it
	c.reply(c.control, c.sendTo(c.control, a, "interrupt_request", nil))
	for _, id := range []string{slow, queued} {
		r := c.reply(c.shell, id)
		if want := map[string]string{slow: "error", queued: "aborted"}[id]; r.content["status"] != want {
			t.Errorf("after the interrupt: %v, want %s", r.content, want)
		}
	}
	c.send(c.shell, "inspect_request", map[string]any{"code": "release", "cursor_pos": 0, "detail_level": 0})
	if r := c.reply(c.shell, main); r.content["status"] != "ok" {
		t.Errorf("the main shell: %v", r.content)
	}
}

// TestSubshellDeleted: a subshell ends with its cell; what is not there is refused by name.
func TestSubshellDeleted(t *testing.T) {
	c := dial(t, startKernel(t, setup{}))
	a := c.subshell()
	slow := c.sendTo(c.shell, a, "execute_request", cell("print begun\nsleep 1h"))
	c.started()
	next := c.sendTo(c.shell, a, "execute_request", cell("print never"))
	c.reply(c.shell, c.send(c.shell, "kernel_info_request", nil)) // which is read after it
	gone := map[string]any{"subshell_id": a}
	if r := c.reply(c.control, c.send(c.control, "delete_subshell_request", gone)); r.content["status"] != "ok" {
		t.Errorf("delete: %v", r.content)
	}
	if r := c.reply(c.shell, slow); r.content["status"] != "error" {
		t.Errorf("the running cell: %v", r.content)
	}
	if r := c.reply(c.shell, next); r.content["status"] != "aborted" {
		t.Errorf("the queued cell: %v", r.content)
	}
	if got := c.subshells(); got != "[]" {
		t.Errorf("subshells: %s", got)
	}
	for _, r := range []got{
		c.reply(c.control, c.send(c.control, "delete_subshell_request", gone)),
		c.reply(c.control, c.send(c.control, "delete_subshell_request", map[string]any{"subshell_id": 1})),
		c.reply(c.control, c.sendTo(c.control, a, "interrupt_request", nil)),
		c.reply(c.shell, c.sendTo(c.shell, a, "execute_request", cell("print never"))),
		c.reply(c.shell, c.sendTo(c.shell, a, "kernel_info_request", nil)),
	} {
		if r.content["status"] != "error" {
			t.Errorf("%s: %v", r.Type, r.content)
		}
	}
	for _, odd := range []any{nil, "", 7, []int{1}} { // the main shell's
		if r := c.reply(c.shell, c.sendTo(c.shell, odd, "execute_request", cell("value 1"))); r.content["status"] != "ok" {
			t.Errorf("subshell_id %v: %v", odd, r.content)
		}
	}
}

// TestSubshellEnds: where the main shell is idle, an interrupt is for the subshells; the kernel ends with a cell of one
// running, and with one that calls os.Exit.
func TestSubshellEnds(t *testing.T) {
	k := startKernel(t, setup{})
	c := dial(t, k)
	a := c.subshell()
	slow := c.sendTo(c.shell, a, "execute_request", cell("print begun\nsleep 1h"))
	c.started()
	c.reply(c.control, c.send(c.control, "interrupt_request", nil))
	if r := c.reply(c.shell, slow); r.content["ename"] != "Interrupted" {
		t.Errorf("%v", r.content)
	}
	c.sendTo(c.shell, a, "execute_request", cell("print begun\nsleep 1h"))
	c.started()
	r := c.reply(c.shell, c.sendTo(c.shell, c.subshell(), "execute_request", cell("exit 0")))
	if r.content["status"] != "ok" || !strings.Contains(fmt.Sprint(r.content["payload"]), "ask_exit") {
		t.Errorf("exit: %v", r.content)
	}
	k.ended(t)
}

// TestSubshellBound: there are only so many.
func TestSubshellBound(t *testing.T) {
	c := dial(t, startKernel(t, setup{}))
	for range maxSubshells {
		c.subshell()
	}
	if r := c.reply(c.control, c.send(c.control, "create_subshell_request", nil)); r.content["status"] != "error" {
		t.Errorf("%v", r.content)
	}
}
