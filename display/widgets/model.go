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
	class    string          // such as IntSlider
	parts    []*model        // its layout and style
	children func() []*model // of a box
	links    []*model        // links to other models, opened after this one
	text     func() string   // what stands for it where there are no widgets

	mu      sync.Mutex
	state   map[string]any
	comm    *comm.Comm // nil until it is shown
	closed  bool
	pending map[string]any // changes that have not been sent
	timer   *time.Timer
	sent    time.Time
	shown   bool // as text, by display
	changed map[string]func(value any)
	custom  func(comm.Message)
	checks  map[string]func(state map[string]any, value any) error // of values from the front end
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
	m := &model{id: strings.ReplaceAll(uuid.NewString(), "-", ""), class: class, state: map[string]any{
		"_model_module": module, "_model_module_version": version, "_model_name": class + "Model",
		"_view_module": module, "_view_module_version": version, "_view_name": class + "View", "_view_count": nil,
	}}
	maps.Copy(m.state, state)
	return m
}

// attach gives a model that can be seen its layout and, unless class is empty, its style: models of their own.
func (m *model) attach(class string) (layout, style *model) {
	layout = newModel(base, "Layout", nil)
	m.parts = []*model{layout}
	m.state["layout"] = layout.reference()
	m.state["_dom_classes"] = []string{}
	m.state["tooltip"], m.state["tabbable"] = nil, nil
	if class != "" {
		style = newModel(controls, class, nil)
		style.state["_view_module"], style.state["_view_module_version"] = base, "2.0.0"
		style.state["_view_name"] = "StyleView"
		m.state["style"] = style.reference()
		m.parts = append(m.parts, style)
	}
	return layout, style
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
	for _, l := range m.begin() {
		l.open()
	}
}

// begin opens the comm itself, and returns the links to open after it.
func (m *model) begin() (links []*model) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.comm != nil || m.closed || !comm.Connected() {
		return nil
	}
	state, paths, buffers := split(m.state)
	c, err := comm.OpenAs(m.id, target, map[string]any{"state": state, "buffer_paths": paths}, protocol, buffers...)
	if err != nil {
		return nil // the state is ours, and JSON has it
	}
	m.comm, m.pending = c, nil
	c.OnReceive(m.receive)
	c.OnClose(func(comm.Message) { m.forget() })
	m.remember()
	return m.links
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
	rest, paths, buffers := split(state)
	_ = m.comm.Send(map[string]any{"method": method, "state": rest, "buffer_paths": paths}, buffers...)
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

// close removes the widget from the front end, with its layout, its style and its links.
func (m *model) close() {
	m.end()
	for _, p := range m.parts {
		p.end()
	}
	m.mu.Lock()
	links := m.links
	m.mu.Unlock()
	for _, l := range links {
		l.end()
	}
}

// end closes the comm.
func (m *model) end() {
	m.flush()
	m.mu.Lock()
	c := m.comm
	m.closed = true
	m.mu.Unlock()
	if c != nil {
		_ = c.Close(nil) // an empty object has a JSON form
	}
	m.forget()
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
		states, paths, buffers := map[string]any{}, [][]any{}, [][]byte{}
		for id, m := range all {
			m.mu.Lock()
			if m.comm == nil {
				m.mu.Unlock()
				continue
			}
			state, inside, more := split(m.state)
			for _, path := range inside {
				paths = append(paths, append([]any{id, "state"}, path...))
			}
			buffers = append(buffers, more...)
			states[id] = map[string]any{"model_name": m.state["_model_name"], "model_module": m.state["_model_module"],
				"model_module_version": m.state["_model_module_version"], "state": state}
			m.mu.Unlock()
		}
		// the states are ours
		_ = c.Send(map[string]any{"method": "update_states", "states": states, "buffer_paths": paths}, buffers...)
	})
}

// onChange registers f, to be called on the goroutine for callbacks with the new value of one part of the state.
func (m *model) onChange(name string, f func(any)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.changed == nil {
		m.changed = map[string]func(any){}
	}
	m.changed[name] = f
}
