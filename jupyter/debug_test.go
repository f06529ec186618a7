package jupyter

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/repl"
)

// debugClient speaks the debug adapter protocol as JupyterLab does.
type debugClient struct {
	*client
	seq  int
	name string // of the client
	// what came while an event was waited for
	passed []got
}

func newDebugClient(t *testing.T) *debugClient { return newDebugClientWith(t, defaultLimits) }

func newDebugClientWith(t *testing.T, lim limits) *debugClient {
	k := startKernel(t, setup{limits: lim, start: func() (repl.Session, error) { return repl.New(repl.Options{Version: "v1"}) }})
	return &debugClient{client: dial(t, k), name: "test"}
}

// ask sends a request and returns the body of the response, which must tell of success.
func (c *debugClient) ask(command string, arguments any) map[string]any {
	c.t.Helper()
	r := c.try(command, arguments)
	if r["success"] != true {
		c.t.Fatalf("%s: %v", command, r["message"])
	}
	body, _ := r["body"].(map[string]any)
	return body
}

// try sends a request and returns the response.
func (c *debugClient) try(command string, arguments any) map[string]any {
	c.t.Helper()
	c.seq++
	if arguments == nil {
		arguments = map[string]any{}
	}
	id := c.send(c.control, "debug_request",
		map[string]any{"seq": c.seq, "type": "request", "command": command, "arguments": arguments})
	r := c.reply(c.control, id).content
	if r["request_seq"] != float64(c.seq) || r["command"] != command || r["type"] != "response" {
		c.t.Fatalf("%s: %v", command, r)
	}
	return r
}

// start does what JupyterLab does when the bug is clicked.
func (c *debugClient) start() (info map[string]any) {
	c.t.Helper()
	if info := c.ask("debugInfo", nil); info["isStarted"] != false {
		c.t.Errorf("started already: %v", info)
	}
	init := c.ask("initialize", map[string]any{"clientID": c.name, "clientName": c.name, "adapterID": "go",
		"pathFormat": "path", "linesStartAt1": true, "columnsStartAt1": true, "supportsVariableType": true})
	if filters := init["exceptionBreakpointFilters"].([]any); len(filters) != 1 {
		c.t.Errorf("filters %v", filters)
	}
	c.ask("attach", nil)
	c.event("initialized")
	info = c.ask("debugInfo", nil)
	if info["isStarted"] != true || info["hashMethod"] != "Murmur2" || info["richRendering"] != true ||
		info["copyToGlobals"] != true || info["hashSeed"] != float64(0xc70f6907) {
		c.t.Errorf("debugInfo: %v", info)
	}
	return info
}

// event waits for an event and returns its body.
func (c *debugClient) event(name string) map[string]any {
	c.t.Helper()
	for {
		m := c.next(c.iopub)
		if m.Type == "debug_event" && m.content["event"] == name {
			return m.content["body"].(map[string]any)
		}
		if m.Type == "error" {
			c.t.Fatalf("%s did not come: %v", name, m.content)
		}
		c.passed = append(c.passed, m)
	}
}

// breakAt sets breakpoints in a cell, as JupyterLab does, and returns its path.
func (c *debugClient) breakAt(code string, points ...map[string]any) string {
	c.t.Helper()
	path := c.ask("dumpCell", map[string]any{"code": code})["sourcePath"].(string)
	list := c.ask("setBreakpoints", map[string]any{"breakpoints": points, "source": map[string]any{"path": path},
		"sourceModified": false})["breakpoints"].([]any)
	if len(list) != len(points) {
		c.t.Fatalf("breakpoints: %v", list)
	}
	c.ask("configurationDone", nil)
	return path
}

func line(n int) map[string]any { return map[string]any{"line": n} }

// stack is where the goroutine is stopped: function:line, the innermost first.
func (c *debugClient) stack() (list []string, frames []any) {
	c.t.Helper()
	frames = c.ask("stackTrace", map[string]any{"threadId": 1})["stackFrames"].([]any)
	for _, f := range frames {
		f := f.(map[string]any)
		list = append(list, fmt.Sprintf("%v:%v", f["name"], f["line"]))
	}
	return list, frames
}

// locals are the variables of a frame: name type=value.
func (c *debugClient) locals(frame int) string {
	c.t.Helper()
	scopes := c.ask("scopes", map[string]any{"frameId": frame})["scopes"].([]any)
	return c.variables(scopes[0])
}

func (c *debugClient) variables(of any) string {
	c.t.Helper()
	var list []string
	for _, v := range c.list(of) {
		v := v.(map[string]any)
		list = append(list, fmt.Sprintf("%v %v=%v", v["name"], v["type"], v["value"]))
	}
	return strings.Join(list, "; ")
}

func (c *debugClient) list(of any) []any {
	c.t.Helper()
	ref := of.(map[string]any)["variablesReference"]
	return c.ask("variables", map[string]any{"variablesReference": ref})["variables"].([]any)
}

const debuggedCell = `type pair struct {
	key   string
	value []int
}

func total(p *pair, scale int) (sum int) {
	for _, v := range p.value {
		sum += v * scale
	}
	return sum
}`

// TestDebug goes through what JupyterLab does: a function of a cell that ran before the debugger was attached, a
// breakpoint in it, its variables and their children, evaluation, steps, and the end.
func TestDebug(t *testing.T) {
	thorough.Slow(t)
	c := newDebugClient(t)
	if r, _ := c.run(debuggedCell); r.content["status"] != "ok" {
		t.Fatal(r.content)
	}
	info := c.start()
	path := c.breakAt(debuggedCell, line(8))
	if !strings.HasPrefix(path, info["tmpFilePrefix"].(string)) || !strings.HasSuffix(path, info["tmpFileSuffix"].(string)) {
		t.Errorf("path %s of %v", path, info)
	}
	call := "p := &pair{\"a\", []int{3, 4}}\nx := total(p, 10)\nx"
	id := c.send(c.shell, "execute_request", cell(call))
	stopped := c.event("stopped")
	if stopped["reason"] != "breakpoint" || stopped["threadId"] != 1.0 || stopped["allThreadsStopped"] != true {
		t.Errorf("stopped: %v", stopped)
	}
	list, frames := c.stack()
	if got := strings.Join(list, " "); got != "total:8 cell[2]:2" {
		t.Errorf("stack %s", got)
	}
	if at := frames[0].(map[string]any)["source"].(map[string]any)["path"]; at != path {
		t.Errorf("source %v, want %s", at, path)
	}
	callPath := frames[1].(map[string]any)["source"].(map[string]any)["path"].(string)
	if text := c.ask("source", map[string]any{"source": map[string]any{"path": callPath}})["content"]; text != call {
		t.Errorf("source %q", text)
	}
	if got := c.locals(1); got != `p *pair=&{key: "a", value: [3 4]}; scale int=10; sum int=0; v int=3` {
		t.Errorf("locals %s", got)
	}
	if got := c.locals(2); got != `p *pair=&{key: "a", value: [3 4]}` {
		t.Errorf("variables of the cell %s", got)
	}
	scopes := c.ask("scopes", map[string]any{"frameId": 1})["scopes"].([]any)
	p := c.list(scopes[0])[0]
	if got := c.variables(p); got != `key string="a"; value []int=[3 4]` {
		t.Errorf("children %s", got)
	}
	if got := c.variables(c.list(p)[1]); got != "0 int=3; 1 int=4" {
		t.Errorf("elements %s", got)
	}
	for src, want := range map[string]any{"sum + v*scale": "30", "p.key + \"!\"": `"a!"`, "total(p, 1)": "7"} {
		if got := c.ask("evaluate", map[string]any{"expression": src, "frameId": 1})["result"]; got != want {
			t.Errorf("%s is %v, want %v", src, got, want)
		}
	}
	if r := c.try("evaluate", map[string]any{"expression": "nothing", "frameId": 1}); r["success"] != false ||
		r["message"] != "TypeError: undefined: nothing" {
		t.Errorf("evaluate: %v", r)
	}
	c.ask("initialize", map[string]any{"clientID": "jupyterlab"})
	if r := c.try("evaluate", map[string]any{"expression": "nothing", "frameId": 1, "context": "hover"}); r["success"] != false {
		t.Errorf("evaluate of JupyterLab's hover: %v", r)
	}
	console := map[string]any{"expression": "nothing", "frameId": 1, "context": "repl"} // which shows results alone
	if got := c.ask("evaluate", console)["result"]; got != "TypeError: undefined: nothing" {
		t.Errorf("evaluate of JupyterLab's console: %v", got)
	}
	c.ask("initialize", map[string]any{"clientID": "test"})
	c.ask("evaluate", map[string]any{"expression": "sum = 1000", "frameId": 1})
	locals := scopes[0].(map[string]any)["variablesReference"]
	c.ask("setVariable", map[string]any{"variablesReference": locals, "name": "scale", "value": "scale * 2"})
	rich := c.ask("richInspectVariables", map[string]any{"variableName": "v", "frameId": 1})["data"].(map[string]any)
	if rich["text/plain"] != "3" {
		t.Errorf("richInspectVariables: %v", rich)
	}
	c.ask("copyToGlobals", map[string]any{"srcVariableName": "v", "dstVariableName": "kept", "srcFrameId": 1})
	for _, s := range []struct{ command, want string }{{"next", "total:7 cell[2]:2"}, {"next", "total:8 cell[2]:2"},
		{"stepOut", "cell[2]:3"}} {
		c.ask(s.command, map[string]any{"threadId": 1})
		if reason := c.event("stopped")["reason"]; reason != "step" && reason != "breakpoint" {
			t.Errorf("%s: %v", s.command, reason)
		}
		if list, _ := c.stack(); strings.Join(list, " ") != s.want {
			t.Errorf("after %s: %v", s.command, list)
		}
	}
	c.ask("continue", map[string]any{"threadId": 1})
	c.event("continued")
	if r := c.reply(c.shell, id); r.content["status"] != "ok" {
		t.Errorf("%v", r.content)
	}
	var result any
	for _, m := range c.shown(id) {
		if m.Type == "execute_result" {
			result = m.content["data"].(map[string]any)["text/plain"]
		}
	}
	if result != "1140" { // 1000 + 3*20 + 4*20
		t.Errorf("result %v", result)
	}
	if got := c.inspected(); !strings.Contains(got, "kept int=3") || !strings.Contains(got, "x int=1140") {
		t.Errorf("variables %s", got)
	}
	c.ask("disconnect", map[string]any{"restart": false, "terminateDebuggee": false})
	if info := c.ask("debugInfo", nil); info["isStarted"] != false || len(info["breakpoints"].([]any)) > 0 {
		t.Errorf("after disconnect: %v", info)
	}
	if r, _ := c.run("total(p, 1)"); r.content["status"] != "ok" {
		t.Errorf("%v", r.content)
	}
}

// TestDebugLab: JupyterLab shows the type of a value where there is one.
func TestDebugLab(t *testing.T) {
	c := newDebugClient(t)
	c.name = "jupyterlab"
	c.start()
	if r, _ := c.run("word := \"a\"\nlist := []int{1}"); r.content["status"] != "ok" {
		t.Fatal(r.content)
	}
	if got := c.inspected(); got != `list []int=[1]; word <nil>="a"` {
		t.Errorf("variables %s", got)
	}
}

// shown collects what iopub shows for a request until idle, with what came before events that were waited for: a cell
// may end before the event says that it goes on.
func (c *debugClient) shown(id string) (all []got) {
	for {
		var m got
		if len(c.passed) > 0 {
			m, c.passed = c.passed[0], c.passed[1:]
		} else {
			m = c.next(c.iopub)
		}
		if m.parent.ID != id {
			continue
		}
		if m.content["execution_state"] == "idle" {
			return all
		}
		all = append(all, m)
	}
}

func (c *debugClient) inspected() string {
	var list []string
	for _, v := range c.ask("inspectVariables", nil)["variables"].([]any) {
		v := v.(map[string]any)
		list = append(list, fmt.Sprintf("%v %v=%v", v["name"], v["type"], v["value"]))
	}
	return strings.Join(list, "; ")
}

const loopCell = `for i := range 6 {
	fmt.Println("i", i)
}`

// TestDebugBreakpoints: conditions, hits, logged text, and panics.
func TestDebugBreakpoints(t *testing.T) {
	thorough.Slow(t)
	tests := []struct {
		name   string
		point  map[string]any
		stops  []string // values of i
		prints string
	}{
		{"condition", map[string]any{"line": 2, "condition": "i%4 == 1"}, []string{"1", "5"}, ""},
		{"hits", map[string]any{"line": 2, "hitCondition": "> 4"}, []string{"4", "5"}, ""},
		{"log", map[string]any{"line": 2, "logMessage": "at {i} of {i*i}", "condition": "i > 4"}, nil, "at 5 of 25\n"},
		{"wrong", map[string]any{"line": 2, "condition": "i + 1", "hitCondition": "1"}, []string{"0"}, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := newDebugClient(t)
			c.start()
			c.breakAt(loopCell, test.point)
			id := c.send(c.shell, "execute_request", cell(loopCell))
			for _, want := range test.stops {
				c.event("stopped")
				if got := c.ask("evaluate", map[string]any{"expression": "i"})["result"]; got != want {
					t.Errorf("stopped with i %v, want %s", got, want)
				}
				if test.name == "wrong" {
					c.breakAt(loopCell)
				}
				c.ask("continue", map[string]any{"threadId": 1})
				c.event("continued")
			}
			if printed := text(c.shown(id), "stdout"); !strings.Contains(printed, test.prints) {
				t.Errorf("printed %q", printed)
			}
		})
	}
}

// TestDebugPanic stops where a panic begins.
func TestDebugPanic(t *testing.T) {
	c := newDebugClient(t)
	c.start()
	c.ask("setExceptionBreakpoints", map[string]any{"filters": []string{"panic"}})
	id := c.send(c.shell, "execute_request", cell("func fail(list []int) int {\n\treturn list[7]\n}\nfail([]int{1})"))
	stopped := c.event("stopped")
	if stopped["reason"] != "exception" ||
		stopped["text"] != "RuntimeError: index out of range [7] with length 1" {
		t.Errorf("stopped: %v", stopped)
	}
	if list, _ := c.stack(); strings.Join(list, " ") != "fail:2 cell[1]:4" {
		t.Errorf("stack %v", list)
	}
	if got := c.locals(1); got != "list []int=[1]" {
		t.Errorf("locals %s", got)
	}
	c.ask("continue", map[string]any{"threadId": 1})
	if r := c.reply(c.shell, id); r.content["status"] != "error" {
		t.Errorf("%v", r.content)
	}
}

// TestDebugBreakpointLines: the answer says on which line a breakpoint stops, in a cell that has not run, that none stops
// below the last statement, and which filters there are.
func TestDebugBreakpointLines(t *testing.T) {
	c := newDebugClient(t)
	c.start()
	const code = "import \"fmt\"\nfunc f(n int) int {\n\t// a comment\n\tconst one = 1\n\tif n > 0 {\n\t\tn--\n\t}\n\treturn n +\n\t\tone\n}\n\nfmt.Println(f(1),\n\tf(2))\n"
	path := c.ask("dumpCell", map[string]any{"code": code})["sourcePath"].(string)
	var points []map[string]any
	for n := range 14 {
		points = append(points, line(n+1))
	}
	var got []string
	for _, b := range c.ask("setBreakpoints", map[string]any{"breakpoints": points,
		"source": map[string]any{"path": path}})["breakpoints"].([]any) {
		b := b.(map[string]any)
		got = append(got, fmt.Sprint(b["line"]))
		if b["verified"] == false {
			got[len(got)-1] = "none"
		}
	}
	if want := "5 5 5 5 5 6 8 8 12 12 12 12 none none"; strings.Join(got, " ") != want {
		t.Errorf("lines %s, want %s", strings.Join(got, " "), want)
	}
	c.ask("setBreakpoints", map[string]any{"breakpoints": []any{line(7)}, "source": map[string]any{"path": path}})
	id := c.send(c.shell, "execute_request", cell(code))
	c.event("stopped")
	if list, _ := c.stack(); list[0] != "f:8" {
		t.Errorf("stack %v", list)
	}
	c.ask("setBreakpoints", map[string]any{"breakpoints": []any{}, "source": map[string]any{"path": path}})
	c.ask("continue", map[string]any{"threadId": 1})
	c.reply(c.shell, id)
	filters := c.ask("setExceptionBreakpoints", map[string]any{"filters": []string{"raised", "panic"}})["breakpoints"].([]any)
	if fmt.Sprint(filters) != `[map[message:there is no filter "raised", only "panic" verified:false] map[verified:true]]` {
		t.Errorf("filters: %v", filters)
	}
}

// TestDebugEnds: a cell that is stopped can be interrupted, and goes on when the client detaches.
func TestDebugEnds(t *testing.T) {
	thorough.Slow(t)
	for _, way := range []string{"interrupt", "detach", "pause"} {
		t.Run(way, func(t *testing.T) {
			c := newDebugClient(t)
			c.start()
			if way == "pause" {
				id := c.send(c.shell, "execute_request", cell("n := 0\nfmt.Println(n)\nfor {\n\tn++\n}"))
				c.started()
				c.ask("pause", map[string]any{"threadId": 1})
				if reason := c.event("stopped")["reason"]; reason != "pause" {
					t.Errorf("stopped: %v", reason)
				}
				c.ask("evaluate", map[string]any{"expression": "n = -1"})
				c.send(c.control, "interrupt_request", nil)
				if r := c.reply(c.shell, id); r.content["ename"] != "Interrupted" {
					t.Errorf("%v", r.content)
				}
				return
			}
			c.breakAt(loopCell, line(2))
			id := c.send(c.shell, "execute_request", cell(loopCell))
			c.event("stopped")
			want := "ok"
			if way == "interrupt" {
				want = "error"
				c.send(c.control, "interrupt_request", nil)
			} else {
				c.ask("disconnect", nil)
			}
			if r := c.reply(c.shell, id); r.content["status"] != want {
				t.Errorf("%v", r.content)
			}
			if r := c.try("stackTrace", map[string]any{"threadId": 1}); len(r["body"].(map[string]any)["stackFrames"].([]any)) > 0 {
				t.Errorf("a stack is left: %v", r)
			}
			if r, _ := c.run("1 + 1"); r.content["status"] != "ok" {
				t.Errorf("the next cell: %v", r.content)
			}
		})
	}
}

// TestDebugClientGone: a cell that is stopped goes on when the client of the debugger is gone for good.
func TestDebugClientGone(t *testing.T) {
	lim := defaultLimits
	lim.away = 0
	c := newDebugClientWith(t, lim)
	c.start()
	c.breakAt(loopCell, line(2))
	id := c.send(c.shell, "execute_request", cell(loopCell))
	c.event("stopped")
	c.control.Close()
	if r := c.reply(c.shell, id); r.content["status"] != "ok" {
		t.Errorf("%v", r.content)
	}
}

// TestDebugOdd: whatever a client sends is answered.
func TestDebugOdd(t *testing.T) {
	c := newDebugClient(t)
	for _, command := range []string{"initialize", "attach", "frobnicate", "variables", "scopes", "stackTrace", "continue",
		"evaluate", "setVariable", "source", "richInspectVariables", "copyToGlobals", "setBreakpoints", "modules",
		"threads", "inspectVariables", "setExceptionBreakpoints", "dumpCell", "disconnect"} {
		for _, arguments := range []any{nil, []any{1}, "x", map[string]any{"frameId": 99, "variablesReference": -1,
			"breakpoints": nil, "source": nil, "expression": "}{", "threadId": 1e18}} {
			c.seq++
			id := c.send(c.control, "debug_request", map[string]any{"seq": c.seq, "type": "request", "command": command,
				"arguments": arguments})
			if r := c.reply(c.control, id); r.content["success"] == nil {
				b, _ := json.Marshal(arguments)
				t.Errorf("%s %s: %v", command, b, r.content)
			}
		}
	}
}

// TestDebugPackage: a client sets breakpoints in a file of a module by its path, steps into its functions, and sees
// their variables.
func TestDebugPackage(t *testing.T) {
	thorough.Slow(t)
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command")
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir()) // for the session's modules
	t.Setenv("GOFLAGS", "-mod=mod")
	t.Setenv("GOPROXY", "off")
	dir := t.TempDir()
	path := filepath.Join(dir, "count.go")
	for file, text := range map[string]string{"go.mod": "module example.com/count\n\ngo 1.26\n", "count.go": `package count

type Counter struct{ n int }

func (c *Counter) Add(by int) int {
	was := c.n

	c.n = plus(c.n, by)
	return was
}

func plus(a, b int) int {
	return a + b
}
`} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c := newDebugClient(t)
	for _, code := range []string{"%get " + dir, "import \"example.com/count\"\nc := new(count.Counter)\nc.Add(1)"} {
		if r, _ := c.run(code); r.content["status"] != "ok" {
			t.Fatal(r.content)
		}
	}
	c.start()
	set := func(path string, line int) map[string]any {
		return c.ask("setBreakpoints", map[string]any{"breakpoints": []any{map[string]any{"line": line}},
			"source": map[string]any{"path": path}})["breakpoints"].([]any)[0].(map[string]any)
	}
	if b := set(filepath.Join(dir, "other.go"), 1); b["verified"] != false {
		t.Errorf("a file that no package has: %v", b)
	}
	if b := set(path, 7); b["verified"] != true || b["line"] != 8.0 {
		t.Errorf("breakpoint: %v", b)
	}
	c.ask("configurationDone", nil)
	id := c.send(c.shell, "execute_request", cell("c.Add(5)"))
	if stopped := c.event("stopped"); stopped["reason"] != "breakpoint" {
		t.Errorf("stopped: %v", stopped)
	}
	list, frames := c.stack()
	if got := strings.Join(list, " "); got != "count.(*Counter).Add:8 cell[3]:1" {
		t.Errorf("stack %s", got)
	}
	if at := frames[0].(map[string]any)["source"].(map[string]any)["path"]; at != path {
		t.Errorf("source %v, want %s", at, path)
	}
	text := c.ask("source", map[string]any{"source": map[string]any{"path": path}})["content"].(string)
	if !strings.HasPrefix(text, "package count") {
		t.Errorf("source %q", text)
	}
	if got := c.locals(1); got != "c *count.Counter=&{n: 1}; by int=5; was int=1" {
		t.Errorf("locals %s", got)
	}
	if got := c.ask("evaluate", map[string]any{"expression": "was + by", "frameId": 1})["result"]; got != "6" {
		t.Errorf("evaluate: %v", got)
	}
	c.ask("stepIn", map[string]any{"threadId": 1})
	c.event("stopped")
	if list, _ := c.stack(); strings.Join(list, " ") != "count.plus:13 count.(*Counter).Add:8 cell[3]:1" {
		t.Errorf("stack %s", list)
	}
	if got := c.locals(1); got != "a int=1; b int=5" {
		t.Errorf("locals %s", got)
	}
	c.ask("continue", map[string]any{"threadId": 1})
	if r := c.reply(c.shell, id); r.content["status"] != "ok" {
		t.Errorf("the cell: %v", r.content)
	}
	c.ask("disconnect", nil)
	if r, _ := c.run("c.Add(0)"); r.content["status"] != "ok" {
		t.Errorf("after the end: %v", r.content)
	}
}
