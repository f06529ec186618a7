package widgets

import (
	"encoding/json"
	"maps"
	"reflect"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/gorocm/gorocm/display"
	"github.com/gorocm/gorocm/display/comm"
)

const (
	base     = "@jupyter-widgets/base"
	controls = "@jupyter-widgets/controls"
	output   = "@jupyter-widgets/output"

	target   = "jupyter.widget"
	viewMIME = "application/vnd.jupyter.widget-view+json"
)

// protocol is the version of the widget messaging protocol that we speak.
var protocol = map[string]any{"version": "2.1.0"}

// holdTime is the time between updates of one widget: a loop may change it a million times.
const holdTime = 50 * time.Millisecond

// textTime is that of text, which may be lines of a log.
const textTime = 250 * time.Millisecond

// model is a widget's state, which the front end has a copy of.
type model struct {
	id       string
	parts    []*model        // its layout and style
	children func() []*model // of a box
	text     func() string   // what stands for it where there are no widgets

	mu      sync.Mutex
	state   map[string]any
	comm    *comm.Comm // nil until it is shown
	closed  bool
	pending map[string]any // changes that have not been sent
	timer   *time.Timer
	sent    time.Time
	shown   bool // as text, by display
	changed func(name string, value any)
	custom  func(content map[string]any)
}

// models are the displayed ones, as widgets or as text.
var models = struct {
	sync.Mutex
	open map[string]*model
}{open: map[string]*model{}}

func init() {
	comm.OnFlush(func() {
		models.Lock()
		all := make([]*model, 0, len(models.open))
		for _, m := range models.open {
			all = append(all, m)
		}
		models.Unlock()
		for _, m := range all {
			m.flush()
		}
	})
	comm.Register("jupyter.widget.control", control)
}

// newModel makes a model of a class such as IntSlider, whose view has the same name.
func newModel(module, class string, state map[string]any) *model {
	version := "2.0.0"
	if module == output {
		version = "1.0.0"
	}
	m := &model{id: strings.ReplaceAll(uuid.NewString(), "-", ""), state: map[string]any{
		"_model_module": module, "_model_module_version": version, "_model_name": class + "Model",
		"_view_module": module, "_view_module_version": version, "_view_name": class + "View", "_view_count": nil,
	}}
	maps.Copy(m.state, state)
	return m
}

// attach gives a model that can be seen its layout and, unless style is empty, its style: models of their own.
func (m *model) attach(style string) (layout *model) {
	layout = newModel(base, "Layout", nil)
	m.parts = []*model{layout}
	m.state["layout"] = layout.reference()
	m.state["_dom_classes"] = []string{}
	if style != "" {
		s := newModel(controls, style, nil)
		s.state["_view_module"], s.state["_view_module_version"], s.state["_view_name"] = base, "2.0.0", "StyleView"
		m.state["style"] = s.reference()
		m.parts = append(m.parts, s)
	}
	return layout
}

func (m *model) reference() string { return "IPY_MODEL_" + m.id }

// open opens the comm, after those of the models that it mentions.
func (m *model) open() {
	for _, p := range m.parts {
		p.open()
	}
	if m.children != nil {
		for _, c := range m.children() {
			c.open()
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.comm != nil || m.closed || !comm.Connected() {
		return
	}
	c, err := comm.OpenAs(m.id, target, map[string]any{"state": m.state, "buffer_paths": []any{}}, protocol)
	if err != nil {
		return // the state is ours, and JSON has it
	}
	m.comm, m.pending = c, nil
	c.OnReceive(m.receive)
	c.OnClose(func(comm.Message) { m.forget() })
	m.remember()
}

func (m *model) remember() {
	models.Lock()
	defer models.Unlock()
	models.open[m.id] = m
}

// set changes the state and informs the front end, after a delay if it was informed just before.
func (m *model) set(name string, value any) {
	if m.change(name, value) {
		m.flush()
	}
}

// change reports whether to inform the front end now.
func (m *model) change(name string, value any) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed || reflect.DeepEqual(m.state[name], value) {
		return false
	}
	m.state[name] = value
	if m.comm == nil && !m.shown {
		return false
	}
	if m.pending == nil {
		m.pending = map[string]any{}
	}
	m.pending[name] = value
	since, hold := time.Since(m.sent), holdTime
	if m.comm == nil {
		hold = textTime
	}
	if since < hold && m.timer == nil {
		m.timer = time.AfterFunc(hold-since, m.flush)
	}
	return since >= hold
}

// flush sends the changes.
func (m *model) flush() {
	if m.send() {
		display.Replace(m.id, display.Bundle{display.MIMEText: m.text()})
	}
}

// send sends the changes as an update message. It reports whether the widget must be displayed as text instead.
func (m *model) send() (asText bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.timer != nil {
		m.timer.Stop()
		m.timer = nil
	}
	if len(m.pending) == 0 {
		return false
	}
	state := m.pending
	m.pending, m.sent = nil, time.Now()
	if m.comm == nil {
		return m.shown && m.text != nil
	}
	m.update("update", state)
	return false
}

// update sends some of the state. m.mu is held.
func (m *model) update(method string, state map[string]any) {
	// the state is ours, and JSON has it
	_ = m.comm.Send(map[string]any{"method": method, "state": state, "buffer_paths": []any{}})
}

// receive handles a message from the front end.
func (m *model) receive(msg comm.Message) {
	var data struct {
		Method  string                     `json:"method"`
		State   map[string]json.RawMessage `json:"state"`
		Content map[string]any             `json:"content"`
	}
	if json.Unmarshal(msg.Raw, &data) != nil {
		return
	}
	switch data.Method {
	case "request_state":
		m.mu.Lock()
		m.update("update", m.state)
		m.mu.Unlock()
	case "custom":
		m.mu.Lock()
		custom := m.custom
		m.mu.Unlock()
		if custom != nil {
			comm.Later(func() { custom(data.Content) })
		}
	case "update":
		m.take(data.State)
	}
}

// take applies a change made in the front end, and informs its other views.
func (m *model) take(state map[string]json.RawMessage) {
	m.mu.Lock()
	news := map[string]any{}
	for name, raw := range state {
		old, known := m.state[name]
		if !known || strings.HasPrefix(name, "_") {
			continue
		}
		if v, ok := like(old, raw); ok {
			m.state[name], news[name] = v, v
			delete(m.pending, name)
		}
	}
	if len(news) > 0 && m.comm != nil {
		m.update("echo_update", news)
	}
	changed := m.changed
	m.mu.Unlock()
	if changed == nil {
		return
	}
	for name, v := range news {
		comm.Later(func() { changed(name, v) })
	}
}

// like decodes JSON to the type of the previous value.
func like(old any, raw json.RawMessage) (any, bool) {
	if old == nil {
		var v any
		err := json.Unmarshal(raw, &v)
		return v, err == nil
	}
	p := reflect.New(reflect.TypeOf(old))
	if json.Unmarshal(raw, p.Interface()) != nil || string(raw) == "null" {
		return nil, false
	}
	return p.Elem().Interface(), true
}

func (m *model) get(name string) any {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.state[name]
}

func (m *model) forget() {
	models.Lock()
	delete(models.open, m.id)
	models.Unlock()
}

// close removes the widget from the front end.
func (m *model) close() {
	m.flush()
	m.mu.Lock()
	c := m.comm
	m.closed = true
	m.mu.Unlock()
	if c != nil {
		_ = c.Close(nil) // an empty object has a JSON form
	}
	m.forget()
	for _, p := range m.parts {
		p.close()
	}
}

// bundle is the widget's bundle for package display.
func (m *model) bundle() map[string]string {
	m.open()
	out := map[string]string{display.MIMEText: m.text()}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.comm != nil {
		view, err := json.Marshal(map[string]any{"version_major": 2, "version_minor": 0, "model_id": m.id})
		if err == nil {
			out[viewMIME] = string(view)
		}
	}
	return out
}

// control answers a front end that has been reloaded: it asks for all states at once.
func control(c *comm.Comm, _ comm.Message) {
	c.OnMessage(func(msg comm.Message) {
		if msg.Data["method"] != "request_states" {
			return
		}
		models.Lock()
		all := maps.Clone(models.open)
		models.Unlock()
		states := map[string]any{}
		for id, m := range all {
			m.mu.Lock()
			if m.comm == nil {
				m.mu.Unlock()
				continue
			}
			states[id] = map[string]any{"model_name": m.state["_model_name"], "model_module": m.state["_model_module"],
				"model_module_version": m.state["_model_module_version"], "state": maps.Clone(m.state)}
			m.mu.Unlock()
		}
		// the states are ours
		_ = c.Send(map[string]any{"method": "update_states", "states": states, "buffer_paths": []any{}})
	})
}

// onChange registers f, to be called on the goroutine for callbacks with the new value of one part of the state.
func (m *model) onChange(name string, f func(any)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.changed = func(what string, v any) {
		if what == name {
			f(v)
		}
	}
}
