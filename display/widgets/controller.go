package widgets

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/gorocm/gorocm/display/comm"
)

// Controller is a gamepad of the user's machine. The browser shows it to a page when one of its buttons is pressed.
type Controller struct{ *Widget }

// NewController shows the gamepad of that number, from 0.
func NewController(index int) *Controller {
	comm.Register(target, openInput)
	c := &Controller{newWidget(controls, "Controller", "", map[string]any{"index": index, "name": "", "mapping": "",
		"connected": false, "timestamp": 0.0, "axes": []string{}, "buttons": []string{}})}
	c.m.text = func() string {
		if !c.Connected() {
			return "no gamepad: connect one, and press a button"
		}
		return fmt.Sprintf("%s axes %.2f buttons %.2f", c.m.get("name"), c.Axes(), c.Buttons())
	}
	return c
}

// Connected reports whether there is such a gamepad.
func (c *Controller) Connected() bool { return c.m.get("connected").(bool) }

// Name is the gamepad's name, as the browser has it; empty before one is connected.
func (c *Controller) Name() string { return c.m.get("name").(string) }

// Axes are the positions of the sticks, each from -1 to 1.
func (c *Controller) Axes() []float64 { return c.inputs("axes") }

// Buttons are how far the buttons are pressed, each from 0 to 1.
func (c *Controller) Buttons() []float64 { return c.inputs("buttons") }

func (c *Controller) inputs(name string) []float64 {
	values := []float64{}
	for _, m := range c.models(name) {
		values = append(values, m.get("value").(float64))
	}
	return values
}

// models are the axes or the buttons that the front end has opened.
func (c *Controller) models(name string) (list []*model) {
	models.Lock()
	defer models.Unlock()
	for _, reference := range c.m.get(name).([]string) {
		if m := models.open[strings.TrimPrefix(reference, "IPY_MODEL_")]; m != nil && isInput(m.class) {
			list = append(list, m)
		}
	}
	return list
}

// OnChange registers a function that is called when a stick moves or a button is pressed or released.
func (c *Controller) OnChange(f func()) {
	for _, name := range []string{"axes", "buttons"} {
		watch := func(any) {
			for _, m := range c.models(name) {
				m.onChange("value", func(any) { f() })
			}
		}
		c.m.onChange(name, watch)
		watch(nil)
	}
}

func isInput(class string) bool { return class == "ControllerAxis" || class == "ControllerButton" }

// openInput makes the model of an axis or of a button, which the front end opens, as a gamepad is connected.
func openInput(c *comm.Comm, msg comm.Message) {
	var opened struct {
		State map[string]json.RawMessage `json:"state"`
	}
	var name string
	if json.Unmarshal(msg.Raw, &opened) != nil || json.Unmarshal(opened.State["_model_name"], &name) != nil ||
		!isInput(strings.TrimSuffix(name, "Model")) {
		_ = c.Close(nil) // an empty object has a JSON form
		return
	}
	m := newModel(controls, strings.TrimSuffix(name, "Model"), map[string]any{"value": 0.0})
	if m.class == "ControllerButton" {
		m.state["pressed"] = false
	}
	m.id = c.ID()
	m.take(opened.State) // without an echo
	m.comm = c
	c.OnMessage(m.receive)
	c.OnClose(func(comm.Message) { m.forget() })
	m.remember()
}
