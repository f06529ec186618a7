package widgets

// IntSlider is a slider for an integer in a range.
type IntSlider struct{ *Widget }

// NewIntSlider makes a slider with a value from low to high, both included. A value outside is clamped to the range.
func NewIntSlider(value, low, high int) *IntSlider {
	low, high = min(low, high), max(low, high)
	s := &IntSlider{newWidget(controls, "IntSlider", "SliderStyle", map[string]any{
		"value": min(max(value, low), high), "min": low, "max": high, "step": 1, "description": "", "disabled": false,
		"tooltip":     nil,
		"orientation": "horizontal", "readout": true, "readout_format": "d", "continuous_update": true,
		"behavior": "drag-tap"})}
	s.m.text = func() string { return s.describe("%d (%d to %d)", s.Value(), s.m.get("min"), s.m.get("max")) }
	return s
}

// Value is the number that the slider shows.
func (s *IntSlider) Value() int { return s.m.get("value").(int) }

// SetValue moves the slider. A value outside its range is clamped.
func (s *IntSlider) SetValue(v int) {
	s.m.set("value", min(max(v, s.m.get("min").(int)), s.m.get("max").(int)))
}

// SetStep sets the step between values.
func (s *IntSlider) SetStep(step int) { s.m.set("step", max(step, 1)) }

// SetContinuous sets whether the value changes while the slider is dragged, or only when it is released.
func (s *IntSlider) SetContinuous(continuous bool) { s.m.set("continuous_update", continuous) }

// OnChange registers a function that is called with the new value when the user moves the slider.
func (s *IntSlider) OnChange(f func(value int)) { s.m.onChange("value", func(v any) { f(v.(int)) }) }

// FloatSlider is a slider for a number in a range.
type FloatSlider struct{ *Widget }

// NewFloatSlider makes a slider with a value from low to high in a hundred steps. A value outside is clamped to the
// range.
func NewFloatSlider(value, low, high float64) *FloatSlider {
	low, high = min(low, high), max(low, high)
	s := &FloatSlider{newWidget(controls, "FloatSlider", "SliderStyle", map[string]any{
		"value": min(max(value, low), high), "min": low, "max": high, "step": (high - low) / 100, "description": "",
		"disabled": false, "tooltip": nil,
		"orientation": "horizontal", "readout": true, "readout_format": ".4~g", "continuous_update": true,
		"behavior": "drag-tap"})}
	s.m.text = func() string { return s.describe("%g (%g to %g)", s.Value(), s.m.get("min"), s.m.get("max")) }
	return s
}

// Value is the number that the slider shows.
func (s *FloatSlider) Value() float64 { return s.m.get("value").(float64) }

// SetValue moves the slider. A value outside its range is clamped.
func (s *FloatSlider) SetValue(v float64) {
	s.m.set("value", min(max(v, s.m.get("min").(float64)), s.m.get("max").(float64)))
}

// SetStep sets the step between values.
func (s *FloatSlider) SetStep(step float64) { s.m.set("step", step) }

// SetContinuous sets whether the value changes while the slider is dragged, or only when it is released.
func (s *FloatSlider) SetContinuous(continuous bool) { s.m.set("continuous_update", continuous) }

// OnChange registers a function that is called with the new value when the user moves the slider.
func (s *FloatSlider) OnChange(f func(value float64)) {
	s.m.onChange("value", func(v any) { f(v.(float64)) })
}
