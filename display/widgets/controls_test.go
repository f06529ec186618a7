package widgets

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/gorocm/gorocm/display"
	"github.com/gorocm/gorocm/display/comm"
)

// now runs f where callbacks run, after those that wait, and returns when it has run.
func now(f func()) {
	done := make(chan struct{})
	comm.Later(func() { defer close(done); f() })
	<-done
}

// TestFromFront: every control takes what its view sends and refuses what it cannot have.
func TestFromFront(t *testing.T) {
	f := connect(t)
	for _, tt := range []struct{ name, good, want, bad string }{
		{"Checkbox", `true`, "[x] on", `"yes"`},
		{"ToggleButton", `false`, "[ ] on", `null`},
		{"Textarea", `"a\nb"`, `"a\nb"`, `7`},
		{"Password", `"12345"`, `"•••••"`, `[]`},
		{"Combobox", `"new"`, `"new"`, `{}`},
		{"ColorPicker", `"#00ff7f"`, "#00ff7f", `"url(x)"`},
		{"IntSlider", `10`, "10 (0 to 10)", `11`},
		{"FloatSlider", `0.25`, "0.25 (0 to 1)", `-1e-9`},
		{"FloatLogSlider", `100.00000000001`, "100.00000000001 (0.1 to 100)", `101`},
		{"IntText", `-5`, "-5", `1.5`},
		{"FloatText", `1e300`, "1e+300", `1e400`},
		{"BoundedIntText", `0`, "0 (0 to 10)", `99999999999999999999`},
		{"BoundedFloatText", `1`, "1 (0 to 1)", `2`},
		{"IntRangeSlider", `[0,10]`, "0 to 10 (0 to 10)", `[3,2]`},
		{"IntRangeSlider", `[4,5]`, "4 to 5 (0 to 10)", `[1]`},
		{"FloatRangeSlider", `[0,0.5]`, "0 to 0.5 (0 to 1)", `[0,2]`},
		{"Play", `4`, "4 (0 to 10)", `-1`},
		{"Dropdown", `1`, `"b" of ["a" "b"]`, `2`},
		{"RadioButtons", `null`, `"" of ["a" "b"]`, `-1`},
		{"SelectMultiple", `[0,1]`, `["a" "b"] of ["a" "b"]`, `[0,2]`},
		{"DatePicker", `{"year":2024,"month":1,"date":29}`, "2024-02-29", `{"year":2023,"month":1,"date":29}`},
		{"DatePicker empty", `null`, "no date", `{"year":2024}`},
		{"TimePicker", `{"hours":23,"minutes":59,"seconds":0,"milliseconds":0}`, "23:59:00", `{"hours":24,"minutes":0}`},
		{"DatetimePicker", `{"year":2024,"month":11,"date":31,"hours":1,"minutes":2}`, "2024-12-31 01:02:00",
			`{"year":2024,"month":11,"date":31}`},
		{"ZonedDatetimePicker", `{"year":2024,"month":11,"date":31,"hours":1,"minutes":2,"seconds":3,"milliseconds":4}`,
			time.Date(2024, 12, 31, 1, 2, 3, 0, time.UTC).Local().Format(time.RFC3339), `"2024"`},
		{"SelectionRangeSlider", `[0,1]`, `"a" to "b" of ["a" "b" "c"]`, `[1,3]`},
		{"SelectionRangeSlider", `[2,2]`, `"c" to "c" of ["a" "b" "c"]`, `[2,1]`},
		{"TagsInput", `["b","a"]`, `["b" "a"]`, `["c"]`},
		{"ColorsInput", `["#00ff7f"]`, "[#00ff7f]", `["url(x)"]`},
		{"FloatsInput", `[1,2.5]`, "[1 2.5]", `["a"]`},
		{"IntsInput", `[]`, "[]", `[1.5]`},
	} {
		w := ours(t)[tt.name].Base()
		display.Render(w)
		name := "value"
		if _, ok := w.m.state["index"]; ok {
			name = "index"
		}
		comm.Deliver(update(w, `{"`+name+`":`+tt.good+`}`))
		comm.Deliver(update(w, `{"`+name+`":`+tt.bad+`}`))
		f.wait(t, tt.name+" sent back", func(p comm.Packet) bool {
			return p.ID == w.ID() && p.Kind == comm.KindMessage && has(`"method":"update"`, `"`+name+`":`)(p)
		})
		if got := w.String(); got != tt.want {
			t.Errorf("%s after %s and %s: %q, want %q", tt.name, tt.good, tt.bad, got, tt.want)
		}
	}
}

// TestRefusal: what is refused is reported, and calls nothing.
func TestRefusal(t *testing.T) {
	f := connect(t)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	now(func() {})
	stderr := os.Stderr
	os.Stderr = w
	s := NewIntSlider(3, 0, 10)
	s.OnChange(func(int) { t.Error("a refused value is a change") })
	display.Render(s)
	comm.Deliver(update(s, `{"value":"text"}`))
	f.wait(t, "the value sent back", has(`"method":"update"`, `"value":3`))
	now(func() {})
	os.Stderr = stderr
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	var text [1000]byte
	n, _ := r.Read(text[:])
	if got := string(text[:n]); !strings.HasPrefix(got, `widgets: IntSlider refuses value that the front end sent: "te`) {
		t.Errorf("%q", got)
	}
}

// TestBytes: pictures and files go as buffers in both directions.
func TestBytes(t *testing.T) {
	f := connect(t)
	i := NewImage([]byte("one"), "png")
	display.Render(i)
	p := f.wait(t, "the picture", has("ImageModel", `"buffer_paths":[["value"]]`))
	if len(p.Buffers) != 1 || string(p.Buffers[0]) != "one" || strings.Contains(string(p.Data), `"value":`) {
		t.Errorf("%s %q", p.Data, p.Buffers)
	}
	u := NewFileUpload("", true)
	display.Render(u)
	got := make(chan []File, 1)
	u.OnChange(func(files []File) { got <- files })
	send := func(state, paths string, buffers ...string) {
		p := comm.Packet{Kind: comm.KindMessage, ID: u.ID(),
			Data: json.RawMessage(`{"method":"update","state":` + state + `,"buffer_paths":` + paths + `}`)}
		for _, b := range buffers {
			p.Buffers = append(p.Buffers, []byte(b))
		}
		comm.Deliver(p)
	}
	file := `{"value":[{"name":"a","type":"text/plain","size":5,"last_modified":1000}]}`
	send(file, `[["value",0,"content"]]`, "short") // of the right size
	files := <-got
	want := []File{{"a", "text/plain", time.UnixMilli(1000), []byte("short")}}
	if !reflect.DeepEqual(files, want) || !reflect.DeepEqual(u.Value(), want) {
		t.Errorf("%+v", files)
	}
	for _, bad := range []func(){
		func() { send(file, `[["value",0,"content"]]`, "four") },
		func() { send(file, `[["value",7,"content"]]`, "five5") },
		func() { send(file, `[["value",-1,"content"]]`, "five5") },
		func() { send(file, `[[]]`, "five5") },
		func() { send(file, `[[0]]`, "five5") },
		func() { send(file, `[["value"]]`, "five5") },
		func() { send(file, `[]`, "five5") },
		func() { send(`null`, `[["value"]]`, "five5") },
		func() { send(`{"value":[null]}`, `[["value",0,"content"]]`, "five5") },
	} {
		bad()
	}
	send(`{"multiple":false}`, `[]`)
	f.wait(t, "the end", has("echo_update", `"multiple":false`))
	if !reflect.DeepEqual(u.Value(), want) || len(got) > 0 {
		t.Errorf("%+v", u.Value())
	}
}

func TestLink(t *testing.T) {
	f := connect(t)
	a, b, c := NewIntSlider(1, 0, 3), NewIntSlider(1, 0, 3), NewDropdown("a", "b")
	pages := NewStack(a, b)
	Link(a, "value", b, "value")
	display.Render(a)
	f.wait(t, "the link and what it links", has("LinkModel", `["`+a.m.reference()+`","value"]`))
	LinkOneWay(c, "index", pages, "selected_index")
	LinkOneWay(b, "value", pages, "selected_index") // b is shown already
	f.wait(t, "a link of a widget that is shown", has("DirectionalLinkModel", pages.m.reference()))
	for want, make := range map[string]func(){
		`IntSlider has no property "colour", but`: func() { Link(a, "colour", b, "value") },
		`no property "layout"`:                    func() { Link(a, "layout", b, "layout") },
		"of type int and value of Text of type":   func() { Link(a, "value", NewText(""), "value") },
	} {
		if got := panicOf(make); !strings.Contains(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
	a.Close()
	f.wait(t, "the end of the link", func(p comm.Packet) bool {
		return p.Kind == comm.KindClose && p.ID == a.m.links[0].id
	})
}

func panicOf(f func()) (text string) {
	defer func() { text = fmt.Sprint(recover()) }()
	f()
	return ""
}

func TestLayout(t *testing.T) {
	f := connect(t)
	s := NewIntSlider(1, 0, 3)
	display.Render(s)
	s.SetLayout(Layout{Width: "50%", Border: "1px solid", BorderTop: "none", HandleColor: "red"})
	comm.Flush()
	for name, want := range map[string]string{"width": "50%", "border_left": "1px solid", "border_top": "none"} {
		f.wait(t, name, func(p comm.Packet) bool { return p.ID == s.layout.id && has(fmt.Sprintf("%q:%q", name, want))(p) })
	}
	f.wait(t, "the style", func(p comm.Packet) bool { return p.ID == s.style.id && has(`"handle_color":"red"`)(p) })
	for want, set := range map[string]func(){
		"no bar_color, only description_width, handle_color": func() { s.SetLayout(Layout{BarColor: "red", Width: "1px"}) },
		"no text_color, only the properties of a layout":     func() { NewHBox().SetLayout(Layout{TextColor: "red"}) },
	} {
		if got := panicOf(set); !strings.Contains(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := s.layout.get("width"); got != "50%" {
		t.Errorf("width %v", got)
	}
}

type celsius float32

// TestInteract: every type of parameter has a control.
func TestInteract(t *testing.T) {
	f := connect(t)
	day := time.Date(2026, 2, 3, 0, 0, 0, 0, time.UTC)
	every := func(a float64, n int, u uint8, on bool, s string, c celsius, d time.Time, e error, i8 int8) (any, error) {
		if s == "bad" {
			return nil, errors.New("bad indeed")
		}
		return strings.TrimSpace(fmt.Sprintln(a, n, u, on, s, c, d.Format(time.DateOnly), e, i8)), nil
	}
	in, err := Interact(every, Param{Value: 0.5}, Param{Name: "n", Value: 7}, Param{}, Param{Value: true},
		Param{Value: "x"}, Param{High: 100, Value: 20}, Param{Value: day},
		Param{Choices: []error{errors.New("e1"), errors.New("e2")}},
		Param{Low: -128, High: 127})
	if err != nil {
		t.Fatal(err)
	}
	if got := in.out.String(); got != `"0.5 7 0 true x 20 2026-02-03 e1 0"` {
		t.Errorf("%s", got)
	}
	display.Render(in)
	children := in.m.children()
	change := func(i int, state string) {
		comm.Deliver(comm.Packet{Kind: comm.KindMessage, ID: children[i].id,
			Data: json.RawMessage(`{"method":"update","state":` + state + `}`)})
	}
	change(1, `{"value":9}`)
	change(2, `{"value":10}`)
	change(7, `{"index":1}`)
	change(6, `{"value":{"year":2027,"month":0,"date":1}}`)
	f.wait(t, "the result anew", has(`2027-01-01 e2 0`, " 9 10 "))
	change(4, `{"value":"bad"}`)
	f.wait(t, "the error", has("bad indeed"))

	ints, texts := func(int) any { return 1 }, func(string) any { return 1 }
	for _, tt := range []struct {
		want     string
		function any
		params   []Param
	}{
		{"takes a function, and this is int", 5, nil},
		{"takes a function, and this is <nil>", nil, nil},
		{"takes a function", (func() any)(nil), nil},
		{"returns nothing", func(int) {}, nil},
		{"how many arguments", func(...int) any { return 1 }, nil},
		{"2 Params for the 1 parameters", ints, []Param{{}, {}}},
		{"parameter 1 (a): there is no control for type []int", func([]int) any { return 1 }, nil},
		{"parameter 1 (rate): there is no control for type time.Duration", func(time.Duration) any { return 1 },
			[]Param{{Name: "rate"}}},
		{"value 0.5 is no int", ints, []Param{{Value: 0.5}}},
		{"value 7 of type int is no string", texts, []Param{{Value: 7}}},
		{"value 11 is not from 0 to 10", ints, []Param{{Value: 11}}},
		{"slider for uint8 cannot end at 256", func(uint8) any { return 1 }, []Param{{High: 256}}},
		{"slider for uint cannot end at -1", func(uint) any { return 1 }, []Param{{Low: -1}}},
		{"cannot end at 0.5", ints, []Param{{High: 0.5}}},
		{"low 2 and high 1", ints, []Param{{Low: 2, High: 1}}},
		{"choices must be a slice with values, and this is []int", ints, []Param{{Choices: []int{}}}},
		{"value x of type string is no int", ints, []Param{{Choices: []string{"x"}}}},
		{"1 labels for 2 choices", ints, []Param{{Choices: []int{1, 2}, Labels: []string{"a"}}}},
		{"value c is not among the choices", texts, []Param{{Choices: []string{"a", "b"}, Value: "c"}}},
	} {
		if _, err := Interact(tt.function, tt.params...); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v, want %s", err, tt.want)
		}
	}
}

// TestInteractPanics: a panic is shown, and the controls go on.
func TestInteractPanics(t *testing.T) {
	f := connect(t)
	in, err := Interact(func(n int) any { return 10 / n })
	if err != nil {
		t.Fatal(err)
	}
	display.Render(in)
	f.wait(t, "the panic", has("panic: runtime error: integer divide by zero"))
	comm.Deliver(comm.Packet{Kind: comm.KindMessage, ID: in.m.children()[0].id,
		Data: json.RawMessage(`{"method":"update","state":{"value":5}}`)})
	f.wait(t, "the result", has(`"text/plain":"2"`))
}

func TestOwn(t *testing.T) {
	f := connect(t)
	o, err := NewOwn("export default {}", map[string]any{"n": 0, "raw": []byte("ab")})
	if err != nil {
		t.Fatal(err)
	}
	if err := o.Send(1); err == nil {
		t.Error("a message without a widget is sent")
	}
	display.Render(o)
	f.wait(t, "the widget", has(`"AnyModel"`, `"_esm":"export default {}"`, `"n":0`, `[["raw"]]`))
	changed, told := make(chan any, 1), make(chan comm.Message, 1)
	o.OnChange("n", func(v any) { changed <- v })
	o.OnMessage(func(m comm.Message) { told <- m })
	comm.Deliver(update(o, `{"n":5,"_esm":"other"}`))
	if v := <-changed; v != 5 || o.Get("n") != 5 || o.Get("_esm") != "export default {}" {
		t.Errorf("%v %v %v", v, o.Get("n"), o.Get("_esm"))
	}
	comm.Deliver(comm.Packet{Kind: comm.KindMessage, ID: o.ID(), Buffers: [][]byte{[]byte("b")},
		Data: json.RawMessage(`{"method":"custom","content":[1,2]}`)})
	if m := <-told; string(m.Raw) != "[1,2]" || len(m.Buffers) != 1 {
		t.Errorf("%+v", m)
	}
	if err := o.Send(map[string]int{"a": 1}); err != nil {
		t.Error(err)
	}
	f.wait(t, "the message", has(`"method":"custom"`, `"content":{"a":1}`))
	if err := o.Set("n", 6); err != nil || o.Get("n") != 6 {
		t.Errorf("%v", err)
	}
	_, taken := NewOwn("", map[string]any{"layout": 1})
	_, odd := NewOwn("", map[string]any{"f": func() {}})
	for want, err := range map[string]error{"has its own": taken, "of type func()": odd, `no "m"`: o.Set("m", 1),
		"of type int, not string": o.Set("n", "x"), `no "_esm"`: o.Set("_esm", "")} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// FuzzReceive: no message from the front end causes a panic, now or when its values are read.
func FuzzReceive(f *testing.F) {
	f.Add(`{"method":"update","state":{"value":[{"name":"a","size":1}],"index":7},"buffer_paths":[["value",0,"content"]]}`,
		[]byte("b"))
	f.Add(`{"method":"update","state":{"value":null,"index":[1,-1],"selected_index":-4,"min":50},"buffer_paths":[]}`,
		[]byte(nil))
	f.Add(`{"method":"update","buffer_paths":[["value"]]}`, []byte("a state is missing"))
	f.Add(`{"method":"custom","content":null}`, []byte(nil))
	f.Add(`{"method":"update","state":{"value":{"year":99999999999,"month":-1,"date":0}}}`, []byte(nil))
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		f.Fatal(err)
	}
	stderr := os.Stderr
	f.Cleanup(func() { now(func() {}); os.Stderr = stderr })
	f.Fuzz(func(t *testing.T, data string, buffer []byte) {
		now(func() { os.Stderr = null }) // for what is refused
		for _, w := range ours(t) {
			m := comm.Message{Raw: json.RawMessage(data)}
			if buffer != nil {
				m.Buffers = [][]byte{buffer}
			}
			w.Base().m.receive(m)
			_ = w.Base().String()
			state, _, _ := split(w.Base().m.copy())
			if _, err := json.Marshal(state); err != nil {
				t.Errorf("%v", err)
			}
		}
	})
}

// TestController: axes and buttons are models that the front end opens.
func TestController(t *testing.T) {
	f := connect(t)
	c := NewController(0)
	defer c.Close()
	display.Render(c)
	changes := 0
	c.OnChange(func() { changes++ })
	open := func(id, state string) {
		data := json.RawMessage(`{"state":` + state + `}`)
		comm.Deliver(comm.Packet{Kind: comm.KindOpen, ID: id, Target: target, Data: data})
	}
	open("axis", `{"_model_name":"ControllerAxisModel","value":0.5}`)
	open("button", `{"_model_name":"ControllerButtonModel","value":0,"pressed":false}`)
	open("slider", `{"_model_name":"IntSliderModel","value":3}`) // which a front end has no reason for
	comm.Deliver(update(c.Widget, `{"connected":true,"name":"pad","axes":["IPY_MODEL_axis"],
		"buttons":["IPY_MODEL_button","IPY_MODEL_slider","IPY_MODEL_none"]}`))
	comm.Deliver(comm.Packet{Kind: comm.KindMessage, ID: "button",
		Data: json.RawMessage(`{"method":"update","state":{"value":1,"pressed":true}}`)})
	f.wait(t, "the echo of the button", has(`"echo_update"`, `"pressed":true`))
	now(func() {})
	if got := fmt.Sprintln(c.Connected(), c.Name(), c.Axes(), c.Buttons(), changes); got != "true pad [0.5] [1] 1\n" {
		t.Error(got)
	}
	if got := c.String(); got != "pad axes [0.50] buttons [1.00]" {
		t.Error(got)
	}
	comm.Deliver(comm.Packet{Kind: comm.KindClose, ID: "axis", Data: json.RawMessage("{}")})
	open("last", `{"_model_name":"ControllerAxisModel","value":0}`)
	f.wait(t, "the answer to the last one", func(p comm.Packet) bool { return p.ID == "last" })
	now(func() {})
	if got := c.Axes(); len(got) != 0 {
		t.Errorf("after it was closed: %v", got)
	}
}

// TestNumbersInput: bounds hold for what is there and for what comes.
func TestNumbersInput(t *testing.T) {
	connect(t)
	n := NewIntsInput(3, 5)
	defer n.Close()
	display.Render(n)
	n.SetRange(6, 0)
	n.SetAllowDuplicates(false)
	for state, want := range map[string]string{`[7]`: "[3 5]", `[4,4]`: "[3 5]", `[6]`: "[6]"} {
		n.SetValue(3, 5)
		n.m.receive(comm.Message{Raw: update(n.Widget, `{"value":`+state+`}`).Data})
		if got := n.String(); got != want {
			t.Errorf("%s: %s, want %s", state, got, want)
		}
	}
	for name, f := range map[string]func(){
		"a value outside": func() { n.SetValue(7) }, "a range without a value": func() { n.SetRange(0, 1) },
		"NaN": func() { NewFloatsInput(math.NaN()) }, "another text": func() { NewTagsInput([]string{"c"}, "a") },
		"no colour": func() { NewColorsInput([]string{"url(x)"}) }, "no option": func() { NewSelectionRangeSlider() },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s does not panic", name)
				}
			}()
			f()
		}()
	}
}
