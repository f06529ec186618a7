package widgets

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"github.com/gorocm/gorocm/display"
	"github.com/gorocm/gorocm/display/comm"
)

// front is a front end that keeps what it is sent.
type front struct {
	mu      sync.Mutex
	packets []comm.Packet
	more    chan struct{}
}

func connect(t *testing.T) *front {
	f := &front{more: make(chan struct{}, 1000)}
	comm.SetSender(func(p comm.Packet) {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.packets = append(f.packets, p)
		f.more <- struct{}{}
	})
	t.Cleanup(func() { comm.SetSender(nil) })
	return f
}

// wait returns the first packet that is as it should be.
func (f *front) wait(t *testing.T, what string, is func(comm.Packet) bool) comm.Packet {
	t.Helper()
	for seen := 0; ; {
		f.mu.Lock()
		for ; seen < len(f.packets); seen++ {
			if is(f.packets[seen]) {
				defer f.mu.Unlock()
				return f.packets[seen]
			}
		}
		f.mu.Unlock()
		<-f.more // the test's own limit ends a wait in vain
	}
}

func update(w Child, state string) comm.Packet {
	return comm.Packet{Kind: comm.KindMessage, ID: w.Base().ID(),
		Data: json.RawMessage(`{"method":"update","state":` + state + `,"buffer_paths":[]}`)}
}

func has(texts ...string) func(comm.Packet) bool {
	return func(p comm.Packet) bool {
		for _, t := range texts {
			if !strings.Contains(string(p.Data), t) {
				return false
			}
		}
		return true
	}
}

func TestSlider(t *testing.T) {
	f := connect(t)
	s := NewIntSlider(30, 0, 10)
	b := display.Render(s)
	if b.Text() != "10 (0 to 10)" || b[viewMIME] != `{"model_id":"`+s.ID()+`","version_major":2,"version_minor":0}` {
		t.Errorf("%q", b)
	}
	// The layout and the style are open before the slider that mentions them.
	var opened []string
	for _, p := range f.packets {
		var data struct {
			State struct {
				Name   string `json:"_model_name"`
				Layout string `json:"layout"`
			} `json:"state"`
		}
		if err := json.Unmarshal(p.Data, &data); err != nil {
			t.Fatal(err)
		}
		if p.Kind != comm.KindOpen || p.Target != "jupyter.widget" || string(p.Metadata) != `{"version":"2.1.0"}` {
			t.Errorf("opened with %+v", p)
		}
		opened = append(opened, data.State.Name)
	}
	if got := strings.Join(opened, " "); got != "LayoutModel SliderStyleModel IntSliderModel" {
		t.Errorf("opened %s", got)
	}

	changed := make(chan int, 10)
	s.OnChange(func(v int) { changed <- v })
	comm.Deliver(update(s, `{"value":7}`))
	if v := <-changed; v != 7 || s.Value() != 7 {
		t.Errorf("changed to %d, is %d", v, s.Value())
	}
	f.wait(t, "an echo for the other views", has("echo_update", `"value":7`))
	comm.Deliver(update(s, `{"value":"text"}`)) // passed over
	comm.Deliver(update(s, `{"value":3}`))
	if v := <-changed; v != 3 {
		t.Errorf("changed to %d", v)
	}
	s.SetValue(99)
	f.wait(t, "an update", has(`"method":"update"`, `"value":10`))
	comm.Deliver(comm.Packet{Kind: comm.KindMessage, ID: s.ID(), Data: json.RawMessage(`{"method":"request_state"}`)})
	f.wait(t, "the state", has(`"method":"update"`, `"IntSliderModel"`, `"value":10`))
	s.Close()
	f.wait(t, "the end", func(p comm.Packet) bool { return p.Kind == comm.KindClose && p.ID == s.ID() })
}

func TestControls(t *testing.T) {
	connect(t)
	clicked := make(chan string, 10)
	button, check, drop, text, float := NewButton("go"), NewCheckbox(false, "on?"), NewDropdown("a", "b"), NewText("x"),
		NewFloatSlider(0.5, 0, 1)
	box := NewVBox(button, NewHBox(check, drop), text, float, NewLabel("l"), NewHTML("<b>1 &lt; 2</b>"))
	if got := display.Render(box).Text(); got != "[ go ]\n[ ] on?  \"a\" of [\"a\" \"b\"]\n\"x\"\n0.5 (0 to 1)\nl\n1 < 2" {
		t.Errorf("%q", got)
	}
	button.OnClick(func() { clicked <- "click" })
	check.OnChange(func(on bool) { clicked <- map[bool]string{true: "on", false: "off"}[on] })
	drop.OnChange(func(v string) { clicked <- v })
	text.OnChange(func(v string) { clicked <- v })
	float.OnChange(func(v float64) { panic(v) })
	for _, tt := range []struct {
		packet comm.Packet
		want   string
	}{
		{comm.Packet{Kind: comm.KindMessage, ID: button.ID(),
			Data: json.RawMessage(`{"method":"custom","content":{"event":"click"}}`)}, "click"},
		{update(check, `{"value":true}`), "on"},
		{update(drop, `{"index":1}`), "b"},
		{update(text, `{"value":"é"}`), "é"},
	} {
		comm.Deliver(update(float, `{"value":1}`)) // a callback that panics ends nothing
		comm.Deliver(tt.packet)
		if got := <-clicked; got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
	if !check.Value() || drop.Value() != "b" || text.Value() != "é" || float.Value() != 1 {
		t.Errorf("%v %q %q %v", check.Value(), drop.Value(), text.Value(), float.Value())
	}
}

// TestManyUpdates: a loop that changes a widget often sends few messages, and the last state is among them.
func TestManyUpdates(t *testing.T) {
	f := connect(t)
	p := NewIntProgress(0, 100000)
	display.Render(p)
	for i := range 100000 {
		p.SetValue(i + 1)
	}
	comm.Flush()
	f.mu.Lock()
	defer f.mu.Unlock()
	last := f.packets[len(f.packets)-1]
	if len(f.packets) > 1000 || !strings.Contains(string(last.Data), `"value":100000`) {
		t.Errorf("%d packets, the last %s", len(f.packets), last.Data)
	}
}

func TestProgress(t *testing.T) {
	f := connect(t)
	sum := 0
	for i := range Progress(5, "steps") {
		sum += i
	}
	comm.Flush()
	if sum != 10 {
		t.Errorf("sum %d", sum)
	}
	f.wait(t, "the whole bar", has(`"value":5`, "success"))
	f.wait(t, "its time", has("5/5, "))
	for range Progress(5, "") {
		break
	}
	comm.Flush()
	f.wait(t, "a bar that was left", has(`"bar_style":"warning"`))
}

// TestText: without widgets a bar is text that moves.
func TestText(t *testing.T) {
	var mu sync.Mutex
	var shown []string
	display.SetPublisher(func(m display.Message) {
		mu.Lock()
		defer mu.Unlock()
		shown = append(shown, m.Kind+" "+m.Data.Text())
		if m.ID == "" || len(m.Data) != 1 {
			t.Errorf("%+v", m)
		}
	})
	defer display.SetPublisher(nil)
	for range Progress(2, "work") {
	}
	comm.Flush()
	mu.Lock()
	defer mu.Unlock()
	if !strings.HasPrefix(shown[0], "display_data work ░░") ||
		!strings.HasPrefix(shown[len(shown)-1], "update_display work "+strings.Repeat("█", barWidth)+" 2/2") {
		t.Errorf("%q", shown)
	}
}

func TestOutput(t *testing.T) {
	f := connect(t)
	o := NewOutput()
	display.Render(o)
	o.Print("a\n")
	o.Show(42)
	comm.Flush()
	f.wait(t, "the outputs", has(`"output_type":"stream"`, `"text/plain":"42"`))
	if o.String() != "a\n42" {
		t.Errorf("%q", o.String())
	}
	o.Clear()
	if o.String() != "" {
		t.Errorf("%q", o.String())
	}
}

// TestReload: a front end that is loaded again asks for all states.
func TestReload(t *testing.T) {
	f := connect(t)
	s := NewText("kept")
	display.Render(s)
	comm.Deliver(comm.Packet{Kind: comm.KindOpen, ID: "ctl", Target: "jupyter.widget.control"})
	comm.Deliver(comm.Packet{Kind: comm.KindMessage, ID: "ctl", Data: json.RawMessage(`{"method":"request_states"}`)})
	f.wait(t, "the states", has(`"method":"update_states"`, s.ID(), `"model_name":"TextModel"`, `"kept"`))
	comm.Deliver(comm.Packet{Kind: comm.KindOpen, ID: "odd", Target: "nobody.knows"})
	f.wait(t, "the end of a comm that nobody wants",
		func(p comm.Packet) bool { return p.Kind == comm.KindClose && p.ID == "odd" })
}
