package jupyter

import (
	"fmt"
	"os"
	"reflect"
	"strings"
	"syscall"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
)

func TestCells(t *testing.T) {
	k := startKernel(t, setup{})
	c := dial(t, k)
	tests := []struct {
		code, status string
		count        float64
		types        string
		stdout       string
		stderr       string
	}{
		{"print hello", "ok", 1, "execute_input stream", "hello\n", ""},
		{"value 42", "ok", 2, "execute_input execute_result", "", ""},
		{"print a\nwarn b\nprint c", "ok", 3, "execute_input stream stream stream", "a\nc\n", "b\n"},
		{"print before\ndisplay x\nprint after\nupdate x\nclear\nvalue 1", "ok", 4,
			"execute_input stream display_data stream update_display_data clear_output execute_result",
			"before\nafter\n", ""},
		{"print before\nfail", "error", 5, "execute_input stream error", "before\n", ""},
		{"note the worker was restarted", "ok", 6, "execute_input display_data", "", ""},
		{"lose", "error", 7, "execute_input error", "", ""},
		{"print still here", "ok", 8, "execute_input stream", "still here\n", ""},
	}
	for _, test := range tests {
		t.Run(test.code, func(t *testing.T) {
			reply, shown := c.run(test.code)
			if reply.content["status"] != test.status || reply.content["execution_count"] != test.count {
				t.Errorf("reply %v, want %s and count %v", reply.content, test.status, test.count)
			}
			if types(shown) != test.types {
				t.Errorf("shown %s, want %s", types(shown), test.types)
			}
			if text(shown, "stdout") != test.stdout || text(shown, "stderr") != test.stderr {
				t.Errorf("stdout %q stderr %q", text(shown, "stdout"), text(shown, "stderr"))
			}
			if shown[0].content["execution_count"] != test.count || shown[0].content["code"] != test.code {
				t.Errorf("execute_input %v", shown[0].content)
			}
			if _, ok := reply.meta["started"]; !ok {
				t.Error("the reply's metadata does not say when the cell started")
			}
		})
	}
}

func TestContents(t *testing.T) {
	c := dial(t, startKernel(t, setup{}))
	_, shown := c.run("display x\nvalue [1]\nfail now")
	display, result, failure := shown[1].content, shown[2].content, shown[3].content
	if id := display["transient"].(map[string]any)["display_id"]; id != "x" {
		t.Errorf("display_id %v", id)
	}
	want := map[string]any{"text/plain": "[1]", "application/json": "[1]"}
	if !reflect.DeepEqual(result["data"], want) { // the JSON form is a JSON string here, not the text of one
		t.Errorf("data %v, want %v", result["data"], want)
	}
	lines := failure["traceback"].([]any)
	if failure["ename"] != "TypeError" || failure["evalue"] != "undefined: fail" || len(lines) < 3 ||
		!strings.Contains(lines[0].(string), "\x1b[") {
		t.Errorf("error %q", failure)
	}
}

func TestSilentAndHistory(t *testing.T) {
	c := dial(t, startKernel(t, setup{}))
	c.run("value first")
	req := cell("print quiet\nvalue 1\nfail")
	req["silent"] = true
	id := c.send(c.shell, "execute_request", req)
	if r := c.reply(c.shell, id); r.content["status"] != "error" || r.content["execution_count"] != 1.0 {
		t.Errorf("silent reply %v", r.content)
	}
	if shown := c.outputs(id); len(shown) != 0 {
		t.Errorf("a silent cell shows %s", types(shown))
	}
	req = cell("print unstored")
	req["store_history"] = false
	id = c.send(c.shell, "execute_request", req)
	if r := c.reply(c.shell, id); r.content["execution_count"] != 1.0 {
		t.Errorf("reply without history %v", r.content)
	}
	c.run("print second/third")
	c.run("print second/third")
	tests := []struct {
		req  map[string]any
		want string
	}{
		{map[string]any{"hist_access_type": "tail", "n": 2}, "[[1 2 print second/third] [1 3 print second/third]]"},
		{map[string]any{"hist_access_type": "tail", "n": 1000},
			"[[1 1 value first] [1 2 print second/third] [1 3 print second/third]]"},
		{map[string]any{"hist_access_type": "range", "session": 0, "start": 1, "stop": 2, "output": true},
			"[[1 1 [value first first]]]"},
		{map[string]any{"hist_access_type": "search", "pattern": "*d/th*", "unique": true},
			"[[1 3 print second/third]]"},
		{map[string]any{"hist_access_type": "search", "pattern": "nothing"}, "[]"},
	}
	for _, test := range tests {
		r := c.reply(c.shell, c.send(c.shell, "history_request", test.req))
		if got := fmt.Sprint(r.content["history"]); got != test.want {
			t.Errorf("%v: %s, want %s", test.req, got, test.want)
		}
	}
	r := c.reply(c.shell, c.send(c.shell, "history_request", map[string]any{"hist_access_type": "odd"}))
	if r.content["status"] != "error" {
		t.Errorf("odd access type: %v", r.content)
	}
}

func TestPayload(t *testing.T) {
	c := dial(t, startKernel(t, setup{}))
	r, shown := c.run("page about x")
	want := []any{map[string]any{"source": "page", "data": map[string]any{"text/plain": "about x"}, "start": 0.0}}
	if !reflect.DeepEqual(r.content["payload"], want) || types(shown) != "execute_input" {
		t.Errorf("%v, shown %s", r.content["payload"], types(shown))
	}
}

func TestUserExpressions(t *testing.T) {
	c := dial(t, startKernel(t, setup{}))
	req := cell("")
	req["user_expressions"] = map[string]string{"a": "1+1", "b": "bad"}
	r := c.reply(c.shell, c.send(c.shell, "execute_request", req))
	got := r.content["user_expressions"].(map[string]any)
	a, b := got["a"].(map[string]any), got["b"].(map[string]any)
	if a["status"] != "ok" || a["data"].(map[string]any)["text/plain"] != "1+1" {
		t.Errorf("a: %v", a)
	}
	if b["status"] != "error" || b["ename"] != "TypeError" {
		t.Errorf("b: %v", b)
	}
}

// TestRequests sends one request of every kind, on shell and on control.
func TestRequests(t *testing.T) {
	k := startKernel(t, setup{})
	c := dial(t, k)
	code := func(s string, pos int) map[string]any { return map[string]any{"code": s, "cursor_pos": pos} }
	tests := []struct {
		kind    string
		content map[string]any
		want    map[string]any // these keys of the reply
	}{
		{"kernel_info_request", nil, map[string]any{"status": "ok", "protocol_version": "5.5",
			"supported_features": []any{"debugger", "kernel subshells"}, "debugger": true, "banner": "a fake session",
			"language_info": map[string]any{"name": "go", "version": "1.26", "mimetype": "text/x-go",
				"file_extension": ".go",
				"pygments_lexer": "go", "codemirror_mode": "go", "nbconvert_exporter": "script"}}},
		{"connect_request", nil, map[string]any{"shell_port": float64(k.conn.Shell)}},
		{"complete_request", code("é pri", 5), map[string]any{"matches": []any{"print", "printé"}, "cursor_start": 2.0,
			"cursor_end": 5.0}},
		{"complete_request", code("日本 pri and more", 6), map[string]any{"cursor_start": 3.0, "cursor_end": 6.0}},
		{"complete_request", code("", 0), map[string]any{"matches": []any{}, "cursor_start": 0.0, "cursor_end": 0.0}},
		{"complete_request", code("pri", 99), map[string]any{"cursor_end": 3.0}},
		{"complete_request", code("pri", -1), map[string]any{"matches": []any{}, "cursor_start": 0.0}},
		{"inspect_request", code("print é", 7),
			map[string]any{"found": true, "data": map[string]any{"text/plain": "print at 8, detail 0"}}},
		{"inspect_request", code("other", 1), map[string]any{"found": false, "data": map[string]any{}}},
		{"is_complete_request", code("func f() {", 0), map[string]any{"status": "incomplete", "indent": "    "}},
		{"is_complete_request", code("x", 0), map[string]any{"status": "complete", "indent": nil}},
		{"comm_info_request", nil, map[string]any{"comms": map[string]any{}}},
		{"interrupt_request", nil, map[string]any{"status": "ok"}},
		{"debug_request", map[string]any{"seq": 7, "type": "request", "command": "nothing"},
			map[string]any{"status": "error", "success": false, "request_seq": 7.0, "command": "nothing"}},
		{"complete_request", map[string]any{"code": 5}, map[string]any{"status": "error", "ename": "RequestError"}},
	}
	for _, test := range tests {
		for name, p := range map[string]*peer{"shell": c.shell, "control": c.control} {
			t.Run(test.kind+"/"+name, func(t *testing.T) {
				id := c.send(p, test.kind, test.content)
				r := c.reply(p, id)
				if want := strings.TrimSuffix(test.kind, "_request") + "_reply"; r.Type != want {
					t.Errorf("type %s, want %s", r.Type, want)
				}
				for key, want := range test.want {
					if !reflect.DeepEqual(r.content[key], want) {
						t.Errorf("%s is %v, want %v", key, r.content[key], want)
					}
				}
				if shown := c.outputs(id); len(shown) > 0 {
					t.Errorf("shown %s", types(shown))
				}
			})
		}
	}
}

func TestTypedMatches(t *testing.T) {
	c := dial(t, startKernel(t, setup{}))
	r := c.reply(c.shell, c.send(c.shell, "complete_request", map[string]any{"code": "é sl", "cursor_pos": 4}))
	got := r.content["metadata"].(map[string]any)["_jupyter_types_experimental"]
	want := []any{map[string]any{"text": "sleep", "type": "command", "start": 2.0, "end": 4.0,
		"signature": "sleep TEXT"}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestUnknown: busy, idle and nothing else; the kernel goes on.
func TestUnknown(t *testing.T) {
	c := dial(t, startKernel(t, setup{}))
	for _, kind := range []string{"frobnicate_request", "execute_reply", "comm_msg", "comm_close"} {
		if shown := c.outputs(c.send(c.shell, kind, nil)); len(shown) != 0 {
			t.Errorf("%s: %s", kind, types(shown))
		}
	}
	if shown := c.outputs(c.send(c.control, "execute_request", cell("print x"))); len(shown) != 0 {
		t.Errorf("execute_request on control: %s", types(shown))
	}
	select {
	case m := <-c.shell.in:
		t.Errorf("answered with %s", m.Type)
	default:
	}
}

// TestOddContents: every request is answered, with an error if need be, whatever its content holds. No handler panics,
// which startKernel checks.
func TestOddContents(t *testing.T) {
	c := dial(t, startKernel(t, setup{}))
	contents := []map[string]any{
		{},
		{"code": nil, "cursor_pos": nil, "n": nil, "silent": nil, "restart": nil},
		{"code": "é", "cursor_pos": -1 << 62, "detail_level": -5, "hist_access_type": "tail", "n": -1},
		{"code": "é", "cursor_pos": 1 << 62, "hist_access_type": "range", "session": -1 << 62, "start": 9, "stop": -9},
		{"code": "é", "cursor_pos": 1.5, "n": 1e300, "hist_access_type": "search", "pattern": "[z-a]"},
		{"code": []int{1}, "user_expressions": "x", "silent": "yes", "stop_on_error": 7, "seq": "one", "comm_id": 1,
			"hist_access_type": 1},
	}
	for kind := range handlers {
		if kind == "shutdown_request" || !strings.HasSuffix(kind, "_request") {
			continue
		}
		for i, content := range contents {
			r := c.reply(c.shell, c.send(c.shell, kind, content))
			if want := strings.TrimSuffix(kind, "_request") + "_reply"; r.Type != want {
				t.Errorf("%s %d: answered with %s", kind, i, r.Type)
			}
		}
	}
}

// TestPanics: neither a session that panics nor a completion that does ends the kernel.
func TestPanics(t *testing.T) {
	c := dial(t, startKernel(t, setup{}))
	if r, _ := c.run("crash"); r.content["status"] != "error" {
		t.Errorf("crash: %v", r.content)
	}
	r := c.reply(c.shell, c.send(c.shell, "complete_request", map[string]any{"code": "panic", "cursor_pos": 1}))
	if r.content["status"] != "error" {
		t.Errorf("completion: %v", r.content)
	}
	if r, _ := c.run("print on"); r.content["status"] != "ok" {
		t.Errorf("after: %v", r.content)
	}
}

func TestStartFails(t *testing.T) {
	c := dial(t, startKernel(t, setup{start: brokenStart()}))
	r := c.reply(c.shell, c.send(c.shell, "kernel_info_request", nil))
	if !strings.Contains(r.content["banner"].(string), "no worker to be found") {
		t.Errorf("banner %v", r.content["banner"])
	}
	if r, _ := c.run("print x"); r.content["status"] != "ok" {
		t.Errorf("the second start: %v", r.content)
	}
}

// TestBusy: everything but cells is answered while one runs.
func TestBusy(t *testing.T) {
	c := dial(t, startKernel(t, setup{}))
	id := c.send(c.shell, "execute_request", cell("print started\nsleep 1h"))
	c.started()
	for _, kind := range []string{"kernel_info_request", "is_complete_request", "comm_info_request"} {
		for _, p := range []*peer{c.shell, c.control} {
			if r := c.reply(p, c.send(p, kind, nil)); r.content["status"] == "error" {
				t.Errorf("%s: %v", kind, r.content)
			}
		}
	}
	// Clients show the last state, which must be the cell's.
	last := c.send(c.shell, "comm_info_request", nil)
	for m := c.next(c.iopub); m.parent.ID != last || m.content["execution_state"] != "idle"; m = c.next(c.iopub) {
	}
	if m := c.next(c.iopub); m.parent.ID != id || m.content["execution_state"] != "busy" {
		t.Errorf("after another message's idle: %s %v of %s, want busy of the cell", m.Type, m.content, m.parent.Type)
	}
	c.send(c.control, "interrupt_request", nil)
	if r := c.reply(c.shell, id); r.content["ename"] != "Interrupted" {
		t.Errorf("the cell: %v", r.content)
	}
}

// queue sends cells at once and returns the status of each reply.
func queue(c *client, cells []map[string]any, then func()) (statuses []string) {
	var ids []string
	for _, q := range cells {
		ids = append(ids, c.send(c.shell, "execute_request", q))
	}
	then()
	for _, id := range ids {
		r := c.reply(c.shell, id)
		statuses = append(statuses, r.content["status"].(string))
	}
	return statuses
}

func TestStopOnError(t *testing.T) {
	c := dial(t, startKernel(t, setup{}))
	goOn := cell("hold\nfail")
	goOn["stop_on_error"] = false
	tests := []struct {
		cells []map[string]any
		want  string
	}{
		{[]map[string]any{cell("hold\nfail"), cell("print a"), cell("print b")}, "[error aborted aborted]"},
		{[]map[string]any{goOn, cell("print a")}, "[error ok]"},
		{[]map[string]any{cell("hold"), cell("print b")}, "[ok ok]"},
	}
	// The link's messages are read in order, so all cells are queued when this lets the first go on.
	release := func() { c.send(c.shell, "inspect_request", map[string]any{"code": "release"}) }
	for _, test := range tests {
		if got := fmt.Sprint(queue(c, test.cells, release)); got != test.want {
			t.Errorf("%s, want %s", got, test.want)
		}
	}
}

func TestInterrupt(t *testing.T) {
	c := dial(t, startKernel(t, setup{}))
	waits := []map[string]any{cell("print started\nsleep 1h"), cell("print a"), cell("print b")}
	running := func() {
		c.started()
		c.reply(c.shell, c.send(c.shell, "comm_info_request", nil)) // after this, all cells are queued
	}
	for name, interrupt := range map[string]func(){
		"control": func() { running(); c.reply(c.control, c.send(c.control, "interrupt_request", nil)) },
		"signal": func() {
			running()
			if err := syscall.Kill(os.Getpid(), syscall.SIGINT); err != nil {
				t.Error(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got := fmt.Sprint(queue(c, waits, interrupt)); got != "[error aborted aborted]" {
				t.Errorf("%s, want [error aborted aborted]", got)
			}
			if r, _ := c.run("print alive"); r.content["status"] != "ok" {
				t.Errorf("after: %v", r.content)
			}
		})
	}
	t.Run("deaf", func(t *testing.T) {
		id := c.send(c.shell, "execute_request", cell("print started\ndeaf 1h"))
		c.started()
		for range 2 { // the second goes through Session.Interrupt
			c.reply(c.control, c.send(c.control, "interrupt_request", nil))
		}
		if r := c.reply(c.shell, id); r.content["evalue"] != "by the user, the hard way" {
			t.Errorf("%v", r.content)
		}
	})
	t.Run("idle", func(t *testing.T) {
		c.reply(c.control, c.send(c.control, "interrupt_request", nil))
		if r, _ := c.run("print alive"); r.content["status"] != "ok" {
			t.Errorf("an interrupt without a cell stopped the next one: %v", r.content)
		}
	})
}

func TestShutdown(t *testing.T) {
	thorough.Slow(t)
	for _, name := range []string{"control", "shell"} {
		for _, restart := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/%v", name, restart), func(t *testing.T) {
				k := startKernel(t, setup{})
				c := dial(t, k)
				id := c.send(c.shell, "execute_request", cell("print started\nsleep 1h"))
				c.started()
				p := c.control
				if name == "shell" {
					p = c.shell
				}
				stop := c.send(p, "shutdown_request", map[string]any{"restart": restart})
				replies := map[string]got{}
				if p == c.shell { // the cell's reply may come before or after
					for len(replies) < 2 {
						r := c.next(p)
						replies[r.parent.ID] = r
					}
				} else {
					replies[stop], replies[id] = c.reply(p, stop), c.reply(c.shell, id)
				}
				if r := replies[stop]; r.Type != "shutdown_reply" || r.content["restart"] != restart {
					t.Errorf("%s %v", r.Type, r.content)
				}
				if r := replies[id]; r.content["status"] != "error" {
					t.Errorf("the running cell: %v", r.content)
				}
				k.ended(t)
			})
		}
	}
}

func TestExit(t *testing.T) {
	k := startKernel(t, setup{})
	c := dial(t, k)
	r, shown := c.run("print bye\nexit 3")
	if fmt.Sprint(r.content["payload"]) != "[map[keepkernel:false source:ask_exit]]" ||
		text(shown, "stdout") != "bye\n" {
		t.Errorf("%v %s", r.content, types(shown))
	}
	k.ended(t)
}

// TestLateOutput: what a cell's goroutine prints after it ended is shown under that cell.
func TestLateOutput(t *testing.T) {
	c := dial(t, startKernel(t, setup{}))
	id := c.send(c.shell, "execute_request", cell("late hello"))
	if shown := c.outputs(id); text(shown, "stdout") != "" {
		t.Errorf("the cell shows %s", types(shown))
	}
	c.send(c.shell, "inspect_request", map[string]any{"code": "release", "cursor_pos": 0, "detail_level": 0})
	m := c.next(c.iopub)
	for ; m.Type != "stream"; m = c.next(c.iopub) { // the inspection is busy and idle
	}
	if m.parent.ID != id || m.content["text"] != "hello\n" {
		t.Errorf("%v under %s, want %s", m.content, m.parent.ID, id)
	}
}

func TestCoalesce(t *testing.T) {
	c := dial(t, startKernel(t, setup{}))
	_, shown := c.run("raw 100000")
	var want strings.Builder
	for i := range 100000 {
		fmt.Fprintf(&want, "line %d\n", i)
	}
	if text(shown, "stdout") != want.String() {
		t.Error("output is lost or out of order")
	}
	if limit := want.Len()/coalesceSize + 1000; len(shown) > limit {
		t.Errorf("%d messages for %d bytes", len(shown), want.Len())
	}
}

func TestQueuedCells(t *testing.T) {
	c := dial(t, startKernel(t, setup{}))
	var cells []map[string]any
	for i := range 200 {
		cells = append(cells, cell(fmt.Sprintf("print %d", i)))
	}
	for i, s := range queue(c, cells, func() {}) {
		if s != "ok" {
			t.Errorf("cell %d: %s", i, s)
		}
	}
}

func TestIPC(t *testing.T) {
	c := dial(t, startKernel(t, setup{transport: "ipc"}))
	if _, shown := c.run("print over a file"); text(shown, "stdout") != "over a file\n" {
		t.Errorf("%s", types(shown))
	}
}
