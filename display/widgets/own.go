package widgets

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gorocm/gorocm/display/comm"
)

const (
	anywidget  = "anywidget"
	anyVersion = "*" // whichever is installed
)

// Own is a widget of one's own, in JavaScript.
type Own struct{ *Widget }

// NewOwn makes a widget from the source of an ECMAScript module and from its state, whose values have JSON forms; those
// of type []byte are sent as they are. The module is one for [anywidget], whose front end has to be installed where the
// notebook is shown (pip install anywidget): a front end without it says that it does not know the module "anywidget".
//
//	widgets.NewOwn(`export default { render({ model, el }) {
//		el.textContent = model.get("n");
//		model.on("change:n", () => el.textContent = model.get("n"));
//		el.onclick = () => { model.set("n", model.get("n") + 1); model.save_changes(); };
//	} }`, map[string]any{"n": 0})
//
// [anywidget]: https://anywidget.dev/en/afm/
func NewOwn(module string, state map[string]any) (*Own, error) {
	o := &Own{newWidget(anywidget, "Any", "", map[string]any{"_esm": module, "_anywidget_id": "gorocm.Own"})}
	o.m.state["_model_module_version"], o.m.state["_view_module_version"] = anyVersion, anyVersion
	for _, name := range slices.Sorted(maps.Keys(state)) {
		if _, taken := o.m.state[name]; taken || strings.HasPrefix(name, "_") {
			return nil, fmt.Errorf("widgets: a widget has its own %q: choose another name", name)
		}
		if err := jsonForm(name, state[name]); err != nil {
			return nil, err
		}
		o.m.state[name] = state[name]
	}
	names := slices.Sorted(maps.Keys(state))
	o.m.text = func() string {
		parts := []string{}
		for _, name := range names {
			parts = append(parts, fmt.Sprintf("%s: %v", name, o.Get(name)))
		}
		return "[" + anywidget + " " + strings.Join(parts, ", ") + "]"
	}
	return o, nil
}

func jsonForm(name string, v any) error {
	if _, err := json.Marshal(v); err != nil {
		return fmt.Errorf("widgets: %s is of type %T, which the front end cannot have: %w", name, v, err)
	}
	return nil
}

// SetCSS changes the style sheet of the widget.
func (o *Own) SetCSS(css string) { o.m.set("_css", css) }

// Get is a value of the state, of the type that it had at first; nil if there is none of this name.
func (o *Own) Get(name string) any { return o.m.get(name) }

// Set changes a value of the state. It must have the type that it had at first, so that Get's value keeps it.
func (o *Own) Set(name string, value any) error {
	old, known := o.m.copy()[name]
	if !known || strings.HasPrefix(name, "_") {
		return fmt.Errorf("widgets: the state has no %q: name it in NewOwn", name)
	}
	if was, is := fmt.Sprintf("%T", old), fmt.Sprintf("%T", value); old != nil && was != is {
		return fmt.Errorf("widgets: %s is of type %s, not %s", name, was, is)
	}
	if err := jsonForm(name, value); err != nil {
		return err
	}
	o.m.set(name, value)
	return nil
}

// OnChange registers a function that is called with the new value of a part of the state when the front end changes it.
func (o *Own) OnChange(name string, f func(value any)) { o.m.onChange(name, f) }

// OnMessage registers a function that is called with what the module sends by model.send.
func (o *Own) OnMessage(f func(m comm.Message)) {
	o.m.mu.Lock()
	defer o.m.mu.Unlock()
	o.m.custom = f
}

// Send sends a message, which has a JSON form, and buffers to the module's model.on("msg:custom"). It is an error while
// the widget is not shown in a front end that supports widgets.
func (o *Own) Send(content any, buffers ...[]byte) error {
	o.m.mu.Lock()
	c := o.m.comm
	o.m.mu.Unlock()
	if c == nil {
		return errors.New("widgets: a widget that is not shown cannot be sent a message: show it first")
	}
	return c.Send(map[string]any{"method": "custom", "content": content}, buffers...)
}
