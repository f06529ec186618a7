package repl

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/display"
	"github.com/gorocm/gorocm/repl/golang"
)

// TestComplete: | is the cursor; want are the first matches. Offsets are checked by putting the first match in.
func TestComplete(t *testing.T) {
	dir := t.TempDir()
	for _, f := range []string{"data.csv", "data set.txt", "notes/today.md", ".hidden"} {
		f = filepath.Join(dir, f)
		if err := os.MkdirAll(filepath.Dir(f), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(f, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	s := newSession(t)
	mustRun(t, s, "type P struct{ Name string }\nperson := P{\"a\"}\nname := \"x\"\nfunc load(path string, n int) {}\nfunc greet(text string) {}\ntext := \"y\"\ndev := Device(\"cpu\")")
	for _, tt := range []struct{ code, want, first string }{
		{`os.ReadFile("da|")`, "data set.txt|data.csv", `os.ReadFile("data set.txt")`},
		{`os.ReadFile("|")`, "data set.txt|data.csv|notes/", `os.ReadFile("data set.txt")`},
		{`os.ReadFile("da|`, "data set.txt|data.csv", `os.ReadFile("data set.txt`},
		{`load("no|", 1)`, "notes/", `load("notes/", 1)`},
		{`load("notes/|", 1)`, "notes/today.md", `load("notes/today.md", 1)`},
		{`load("./no|", 1)`, "./notes/", `load("./notes/", 1)`},
		{"load(`data.|`, 1)", "data.csv", "load(`data.csv`, 1)"},
		{`load(".hi|", 1)`, ".hidden", `load(".hidden", 1)`},
		{`greet("|")`, "", ""},
		{`greet("d|")`, "", ""},
		{`x := "notes/t|"`, "notes/today.md", `x := "notes/today.md"`},
		{`Device("|")`, "auto|rocm|cpu|cuda", `Device("auto")`},
		{`dev := Device("c|`, "cpu|cuda", `dev := Device("cpu`},
		{`tensor.NewDevice("r|")`, "rocm", `tensor.NewDevice("rocm")`},
		{`import "encoding/js|"`, "encoding/json", `import "encoding/json"`},
		{"%tim|", "%time|%timeit", "%time"},
		{"%time person.|", "Name", "%time person.Name"},
		{"%time x := person.N|", "Name", "%time x := person.Name"},
		{"%%time\nperson.|", "Name", "%%time\nperson.Name"},
		{"%cd notes\nperson.|", "Name", "%cd notes\nperson.Name"},
		{"!ls -l\nx := person\nx.|\n%vars", "Name", "!ls -l\nx := person\nx.Name\n%vars"},
		{"%time y := person\ny.|", "Name", "%time y := person\ny.Name"},
		{"!cat da|", "data.csv", "!cat data.csv"},
		{"tensor.Randn(2).MatMul(nil).Rel|", "Relu",
			"tensor.Randn(2).MatMul(nil).Relu"},
		{`dev.Zeros(tensor.F3|`, "F32", `dev.Zeros(tensor.F32`},
		{"x := template.HTMLA|", "import \"html/template\"\nx := template.HTMLAttr",
			"import \"html/template\"\nx := template.HTMLAttr"},
		{"rand.IntN|(3)", "import \"math/rand/v2\"\nrand.IntN", "import \"math/rand/v2\"\nrand.IntN(3)"},
		{"import \"math/rand\"\nrand.IntN|", "Intn", "import \"math/rand\"\nrand.Intn"},
		{"%time rand.IntN|", "", ""},
		{"dev.Zeros(F3|", "tensor.F32", "dev.Zeros(tensor.F32"},
		{"random.New(1).Normal(0, 1, nil, tensor.F32, d|",
			"dev|delete|debug|des|diffusion|display|distributed|distributions|doc|draw|driver|dsa|dwarf|Device|Display",
			"random.New(1).Normal(0, 1, nil, tensor.F32, dev"},
	} {
		cursor := strings.IndexByte(tt.code, '|')
		code := tt.code[:cursor] + tt.code[cursor+1:]
		c := s.Complete(code, cursor)
		var got []string
		for _, m := range c.Matches {
			got = append(got, m.Text)
		}
		if text := strings.Join(got, "|"); text != tt.want {
			t.Errorf("%s: %s, want %s", tt.code, text, tt.want)
		} else if len(got) > 0 && code[:c.Start]+got[0]+code[c.End:] != tt.first {
			t.Errorf("%s becomes %s", tt.code, code[:c.Start]+got[0]+code[c.End:])
		}
	}
}

func TestHint(t *testing.T) {
	s := newSession(t)
	mustRun(t, s, "func add(a, b int, rest ...string) (int, error) { return 0, nil }")
	for _, tt := range []struct{ code, want string }{
		{"add(|", "add(‹a int›, b int, rest ...string) (int, error)"},
		{"add(1, |)", "add(a int, ‹b int›, rest ...string) (int, error)"},
		{"add(1, 2, \"a\", \"|\")", "add(a int, b int, ‹rest ...string›) (int, error)"},
		{"add(len(|", "len(‹v T›) int"},
		{"strings.Repeat(\"a\", |", "Repeat(s string, ‹count int›) string"},
		{"tensor.Zeros(|", "Zeros(‹shape ...int›) *tensor.Tensor"},
		{"x := |", ""},
		{"add(1, func() int { return |", ""},
	} {
		cursor := strings.IndexByte(tt.code, '|')
		if got := s.Complete(tt.code[:cursor]+tt.code[cursor+1:], cursor).Hint; got != tt.want {
			t.Errorf("%s: %q, want %q", tt.code, got, tt.want)
		}
	}
}

// TestInspectValues: what a variable holds is told without running any code of the session.
func TestInspectValues(t *testing.T) {
	s := newSession(t)
	mustRun(t, s, `type Loud struct{ N int }
calls := 0
func (l Loud) String() string { calls++; panic("called") }
loud := Loud{3}
louds := []any{loud, &loud}
n := 42
text := "a\nb"
long := strings.Repeat("x", 1000)
list := []float64{1.5, 2}
m := map[string]int{"a": 1}
var none *Loud
pause := 90 * time.Second
err := errors.New("broken")
c := make(chan int, 4)
c <- 1
f := func() { calls++ }`)
	for _, tt := range []struct{ name, want string }{
		{"n", "value: 42"},
		{"text", `value: "a\nb"`},
		{"list", "value: [1.5 2]\nlen: 2"},
		{"m", "value: map\nlen: 1"},
		{"none", "value: nil"},
		{"pause", "value: 1m30s"},
		{"err", `value: "broken"`},
		{"c", "value: channel, 1 of 4 in its buffer"},
		{"f", "value: func"},
		{"loud", "value: {"},
		{"louds", "value: ["},
		{"long", "len: 1000"},
	} {
		if got := s.Inspect(tt.name, len(tt.name), 0).Data.Text(); !strings.Contains(got, tt.want) {
			t.Errorf("%s:\n%s\nwant %s", tt.name, got, tt.want)
		}
	}
	if got := evalText(t, s, "calls"); got != "0" {
		t.Errorf("inspecting has called %s methods", got)
	}
}

func evalText(t *testing.T, s Session, code string) (text string) {
	t.Helper()
	if r := s.Eval(context.Background(), Request{Code: code}, func(e Event) {
		if e.Kind == Result {
			text = e.Data.Text()
		}
	}); r.Err != nil {
		t.Fatal(r.Err.Text(false))
	}
	return text
}

func TestInspectTensor(t *testing.T) {
	s := newSession(t)
	mustRun(t, s, "dev := Device(\"cpu\")\nx := dev.Arange(tensor.F16, 1, 7).Reshape(2, 3)\nv := x.T()")
	in := s.Inspect("x", 1, 0)
	for _, want := range []string{"var x *tensor.Tensor", "shape: [2 3]", "dtype: f16", "device: cpu", "bytes: 12 B",
		"layout: contiguous", "values: 1 2 3 4 5 6"} {
		if !strings.Contains(in.Data.Text(), want) {
			t.Errorf("no %s in\n%s", want, in.Data.Text())
		}
	}
	if got := s.Inspect("v", 1, 0).Data.Text(); !strings.Contains(got, "layout: view with strides [1 3]") {
		t.Errorf("a view:\n%s", got)
	}
	if html := in.Data[display.MIMEHTML]; !strings.Contains(html, "<code>[2 3]</code>") {
		t.Errorf("HTML:\n%s", html)
	}
	if got := s.Inspect("%timeit x", 3, 0).Data.Text(); !strings.HasPrefix(got, "%timeit") {
		t.Errorf("a command: %s", got)
	}
	if got := s.Inspect("%time x", 7, 0).Data.Text(); !strings.HasPrefix(got, "var x *tensor.Tensor") {
		t.Errorf("after a command: %s", got)
	}
}

// TestAskWhileRunning: completion and inspection answer while a cell runs, and leave values alone.
func TestAskWhileRunning(t *testing.T) {
	s := newSession(t)
	mustRun(t, s, "n := 1\nperson := struct{ Name string }{}")
	asked := false
	r := s.Eval(context.Background(), Request{Code: "fmt.Println(\"on\")\nfor { n++ }"}, func(e Event) {
		if asked || e.Kind != Stream {
			return
		}
		asked = true
		if c := s.Complete("person.", 7); len(c.Matches) != 1 || c.Matches[0].Text != "Name" {
			t.Errorf("%+v", c)
		}
		if got := s.Inspect("n", 1, 0).Data.Text(); !strings.Contains(got, "var n int") ||
			strings.Contains(got, "value:") {
			t.Errorf("%s", got)
		}
		if got := s.IsComplete("for {").Status; got != "incomplete" {
			t.Error(got)
		}
		s.Interrupt()
	})
	if !asked || r.Err == nil {
		t.Errorf("%v %+v", asked, r.Err)
	}
}

// TestCompleteKeys completes keys of maps, of variables of the session alone.
func TestCompleteKeys(t *testing.T) {
	s := newSession(t)
	if !golang.Alone() {
		t.Skip("a goroutine of another test's session still runs: then no map is read")
	}
	mustRun(t, s, "ages := map[string]int{\"Ada\": 36, \"Alan\": 41, \"Grace \\\"H\\\"\": 85}\nnames := map[int]string{1: \"x\"}\n"+
		"c := &struct{ env struct{ M map[string]bool }; p *struct{ M map[string]int } }{}\nc.env.M = map[string]bool{\"größe\": true}")
	for code, want := range map[string]string{`ages["Al`: "Alan", `if x := ages["|"]; x > 0 {`: `Ada Alan Grace \"H\"`,
		"ages[`Gr": `Grace "H"`, `names["`: "", `unknown["`: "", `ages["Ada"] + names["`: "",
		`ages[`: `"Ada" "Alan" "Grace \"H\""`, `ages[Al|] + 1`: `"Alan"`, `c.env.M["gr`: "größe", `c.env.M[`: `"größe"`, `c.p.M["`: "",
		`c.env.N["`: ""} {
		before, after, _ := strings.Cut(code, "|")
		var got []string
		for _, m := range s.Complete(before+after, len(before)).Matches {
			if m.Kind == "key" {
				got = append(got, m.Text)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %q", code, got, want)
		}
	}
	const long = `s := "äöü"; c.env.M["grö"]`
	cursor := strings.Index(long, `"]`)
	if c := s.Complete(long, cursor); c.Start != cursor-len("grö") || c.End != cursor || c.Matches[0].Text != "größe" {
		t.Errorf("a key with umlauts: %+v, cursor %d", c, cursor)
	}
	mustRun(t, s, "stop := make(chan int)\ngo func() { <-stop }()")
	if c := s.Complete(`ages["`, 6); len(c.Matches) > 0 && c.Matches[0].Kind == "key" {
		t.Error("a map is read while a goroutine of a cell runs, which could write to it")
	}
	mustRun(t, s, "close(stop)")
}
