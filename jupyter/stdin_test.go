package jupyter

import (
	"encoding/json"
	"testing"
	"time"
)

// answer sends an input_reply to a question.
func (c *client) answer(question got, value string) {
	c.t.Helper()
	raw, err := json.Marshal(question.header)
	if err != nil {
		c.t.Fatal(err)
	}
	frames, err := c.codec.encode(nil, "input_reply", &message{raw: raw}, nil, map[string]string{"value": value})
	if err != nil {
		c.t.Fatal(err)
	}
	c.sendFrames(c.stdin, frames)
}

func TestInput(t *testing.T) {
	k := startKernel(t, setup{})
	c, other := dialAs(t, k, "one"), dialAs(t, k, "two")
	id := c.send(c.shell, "execute_request", cell("print before\nask Name: \nsecret Key: "))
	q := c.next(c.stdin)
	if q.Type != "input_request" || q.parent.ID != id || q.content["prompt"] != "Name: " ||
		q.content["password"] != false {
		t.Fatalf("%s %+v %v", q.Type, q.parent, q.content)
	}
	other.answer(q, "not you") // dropped
	c.answer(got{header: header{ID: "earlier"}}, "not this")
	c.answer(q, "Ada")
	q = c.next(c.stdin)
	if q.content["prompt"] != "Key: " || q.content["password"] != true {
		t.Fatalf("%v", q.content)
	}
	c.answer(got{}, "secret") // as older clients do, without saying to what
	if r := c.reply(c.shell, id); r.content["status"] != "ok" {
		t.Fatalf("%v", r.content)
	}
	if out := text(c.outputs(id), "stdout"); out != "before\nAda\nsecret\n" {
		t.Errorf("shown %q", out)
	}
	c.answer(q, "too late")
	if r, _ := c.run("print on"); r.content["status"] != "ok" {
		t.Errorf("after it: %v", r.content)
	}
}

func TestInputRefused(t *testing.T) {
	k := startKernel(t, setup{})
	c := dial(t, k)
	req := cell("ask Name: ")
	req["allow_stdin"] = false
	r := c.reply(c.shell, c.send(c.shell, "execute_request", req))
	if r.content["ename"] != "InputError" ||
		r.content["evalue"] != "the cell asks for input, and this front end gives none (allow_stdin is false)" {
		t.Errorf("%v", r.content)
	}
}

func TestInputOfAClientThatLeaves(t *testing.T) {
	k := startKernel(t, setup{})
	c := dialAs(t, k, "one")
	id := c.send(c.shell, "execute_request", cell("ask Name: "))
	c.next(c.stdin)
	c.stdin.Close()
	if r := c.reply(c.shell, id); r.content["ename"] != "InputError" {
		t.Errorf("%v", r.content)
	}
}

// TestInputOfAClientThatConnects: the stdin socket of a client may connect after the cell that asks has begun.
func TestInputOfAClientThatConnects(t *testing.T) {
	k := startKernel(t, setup{})
	c, stdin := dialWithoutStdin(t, k, "one")
	id := c.send(c.shell, "execute_request", cell("ask Name: "))
	time.Sleep(50 * time.Millisecond)
	stdin()
	c.answer(c.next(c.stdin), "Ada")
	if r := c.reply(c.shell, id); r.content["status"] != "ok" {
		t.Errorf("%v", r.content)
	}
}

func TestInterruptInput(t *testing.T) {
	k := startKernel(t, setup{})
	c := dial(t, k)
	id := c.send(c.shell, "execute_request", cell("ask Name: "))
	c.next(c.stdin)
	c.reply(c.control, c.send(c.control, "interrupt_request", nil))
	if r := c.reply(c.shell, id); r.content["status"] != "error" {
		t.Errorf("%v", r.content)
	}
	if r, _ := c.run("print on"); r.content["status"] != "ok" {
		t.Errorf("after it: %v", r.content)
	}
}
