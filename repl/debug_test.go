package repl

import (
	"context"
	"encoding/json"
	"testing"
)

// FuzzDebug: whatever a client sends is answered by one response in JSON.
func FuzzDebug(f *testing.F) {
	s := newSession(f)
	for _, seed := range []string{
		`{"seq":1,"type":"request","command":"initialize","arguments":{"clientID":"jupyterlab"}}`,
		`{"seq":2,"command":"attach"}`,
		`{"seq":3,"command":"dumpCell","arguments":{"code":"x := 1"}}`,
		`{"seq":4,"command":"setBreakpoints","arguments":{"source":{"path":"/tmp/1.go"},"breakpoints":[{"line":2,"condition":"x >"}]}}`,
		`{"seq":5,"command":"variables","arguments":{"variablesReference":1,"start":-1,"count":1e9}}`,
		`{"seq":6,"command":"stackTrace","arguments":{"threadId":1,"startFrame":-5,"levels":-1}}`,
		`{"seq":7,"command":"richInspectVariables","arguments":{"variableName":"x","frameId":-1}}`,
		`{"seq":8,"command":"inspectVariables"}`, `{"seq":9,"command":"disconnect"}`, `[`, `null`, `{"command":7}`,
	} {
		f.Add([]byte(seed))
	}
	run(f, s, "x := map[string][]int{\"a\": {1}}\nvar p *int\nm := map[any]any{1: p, \"b\": x}")
	f.Fuzz(func(t *testing.T, message []byte) {
		list := s.Debug(context.Background(), message)
		var r struct {
			Type    string `json:"type"`
			Success *bool  `json:"success"`
		}
		if len(list) == 0 || json.Unmarshal(list[0], &r) != nil || r.Type != "response" || r.Success == nil {
			t.Errorf("%q is answered with %s", message, list)
		}
	})
}

// TestDebugValues: how values of all kinds are shown, with what they consist of.
func TestDebugValues(t *testing.T) {
	s := newSession(t)
	code := `type point struct{ X, y int }
func (p point) String() string { panic("methods of cells are not called") }
b, i, f, c, r := true, -7, 1.5, 2i, 'x'
text := "a\n\"b\""
list := []point{{1, 2}, {3, 4}}
none, empty := []int(nil), []int{}
array := [2]string{"x", "y"}
table := map[string]point{"q": {5, 6}, "p": {7, 8}}
var any1 any = point{1, 1}
var nothing any
ptr := &list[0]
var e error = io.EOF
d := 90 * time.Second
ch := make(chan int, 3)
fn := strings.ToUpper
long := strings.Repeat("z", 1000)
many := make([]int, 2000)
cycle := map[string]any{}
cycle["self"] = cycle
x := tensor.Of(1, 2, 3)`
	if _, reply := run(t, s, code); reply.Err != nil {
		t.Fatal(reply.Err)
	}
	ask := func(command string, arguments any) (list []map[string]any) {
		t.Helper()
		m, _ := json.Marshal(map[string]any{"seq": 1, "command": command, "arguments": arguments})
		var r struct {
			Success bool
			Body    struct{ Variables []map[string]any }
		}
		if err := json.Unmarshal(s.Debug(t.Context(), m)[0], &r); err != nil || !r.Success {
			t.Fatalf("%s: %v %+v", command, err, r)
		}
		return r.Body.Variables
	}
	got := map[string]map[string]any{}
	for _, v := range ask("inspectVariables", nil) {
		got[v["name"].(string)] = v
	}
	for name, want := range map[string][2]string{
		"b": {"bool", "true"}, "i": {"int", "-7"}, "f": {"float64", "1.5"}, "c": {"complex128", "(0+2i)"},
		"r": {"rune", "120"}, "text": {"string", `"a\n\"b\""`}, "list": {"[]point", "[{X: 1, y: 2} {X: 3, y: 4}]"},
		"none": {"[]int", "nil"}, "empty": {"[]int", "[]"}, "array": {"[2]string", `["x" "y"]`},
		"table": {"map[string]point", `["p": {X: 7, y: 8} "q": {X: 5, y: 6}]`}, "any1": {"any", "{X: 1, y: 1}"},
		"nothing": {"any", "nil"}, "ptr": {"*point", "&{X: 1, y: 2}"}, "e": {"error", "EOF"},
		"d": {"time.Duration", "1m30s"}, "ch": {"chan int", "len 0, cap 3"},
		"fn": {"func(s string) string", "func(string) string"}, "x": {"*tensor.Tensor", "[3] f32 on cpu"},
	} {
		if v := got[name]; v["type"] != want[0] || v["value"] != want[1] {
			t.Errorf("%s is %v %v, want %s %s", name, v["type"], v["value"], want[0], want[1])
		}
	}
	if n := len([]rune(got["long"]["value"].(string))); n > 130 {
		t.Errorf("a long text is shown with %d characters", n)
	}
	children := func(name string) (text string) {
		for _, v := range ask("variables", map[string]any{"variablesReference": got[name]["variablesReference"]}) {
			text += v["name"].(string) + "=" + v["value"].(string) + " "
		}
		return text
	}
	for name, want := range map[string]string{"ptr": "X=1 y=2 ", "array": `0="x" 1="y" `, "any1": "X=1 y=1 ",
		"table": `"p"={X: 7, y: 8} "q"={X: 5, y: 6} `} {
		if got := children(name); got != want {
			t.Errorf("children of %s: %s, want %s", name, got, want)
		}
	}
	page := ask("variables", map[string]any{"variablesReference": got["many"]["variablesReference"], "start": 1990, "count": 100})
	if len(page) != 10 || page[0]["name"] != "1990" {
		t.Errorf("a page has %d elements, from %v", len(page), page[0]["name"])
	}
}
