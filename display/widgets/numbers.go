package widgets

import (
	"fmt"
	"math"
	"time"
)

// slider is the state that sliders have in common.
func slider(step any, format string) map[string]any {
	return map[string]any{"step": step, "disabled": false, "orientation": "horizontal", "readout": true,
		"readout_format": format, "continuous_update": true, "behavior": "drag-tap"}
}

// describeRange is the text of a number in a range.
func (r *ranged[T]) describeRange() string {
	return r.describe("%v (%v to %v)", r.Value(), r.m.get("min"), r.m.get("max"))
}

// IntSlider is a slider for an integer in a range.
type IntSlider struct{ ranged[int] }

// NewIntSlider makes a slider with a value from low to high, both included. A value outside is clamped to the range.
func NewIntSlider(value, low, high int) *IntSlider {
	s := &IntSlider{newRanged(described("IntSlider", "SliderStyle", slider(1, "d")), value, low, high)}
	s.m.text = s.describeRange
	return s
}

// SetStep sets the step between values.
func (s *IntSlider) SetStep(step int) { s.m.set("step", max(step, 1)) }

// SetContinuous sets whether the value changes while the slider is dragged, or only when it is released.
func (s *IntSlider) SetContinuous(continuous bool) { s.m.set("continuous_update", continuous) }

// FloatSlider is a slider for a number in a range.
type FloatSlider struct{ ranged[float64] }

// NewFloatSlider makes a slider with a value from low to high in a hundred steps. A value outside is clamped to the
// range. It panics for numbers that are not finite.
func NewFloatSlider(value, low, high float64) *FloatSlider {
	s := &FloatSlider{newRanged(described("FloatSlider", "SliderStyle", slider(math.Abs(high-low)/100, ".4~g")),
		value, low, high)}
	s.m.text = s.describeRange
	return s
}

// SetStep sets the step between values.
func (s *FloatSlider) SetStep(step float64) {
	finite(step)
	s.m.set("step", step)
}

// SetContinuous sets whether the value changes while the slider is dragged, or only when it is released.
func (s *FloatSlider) SetContinuous(continuous bool) { s.m.set("continuous_update", continuous) }

// FloatLogSlider is a slider for a positive number on a logarithmic scale.
type FloatLogSlider struct{ field[float64] }

// NewFloatLogSlider makes a slider with a value from 10^low to 10^high, in steps of a tenth of a power. A value outside
// is clamped. It panics for numbers that are not finite.
func NewFloatLogSlider(value, low, high float64) *FloatLogSlider {
	finite(value, low, high, math.Pow(10, low), math.Pow(10, high))
	low, high = min(low, high), max(low, high)
	w := described("FloatLogSlider", "SliderStyle", slider(0.1, ".3g"),
		map[string]any{"base": 10.0, "min": low, "max": high})
	s := &FloatLogSlider{newField(w, min(max(value, math.Pow(10, low)), math.Pow(10, high)))}
	s.must(func(state map[string]any, v float64) error {
		low, high := logBounds(state)
		if slack := 1e-9; v < low*(1-slack) || v > high*(1+slack) || math.IsNaN(v) { // powers of the browser's
			return fmt.Errorf("%v is not from %v to %v", v, low, high)
		}
		return nil
	})
	s.m.text = func() string {
		low, high := logBounds(s.m.copy())
		return s.describe("%g (%g to %g)", s.Value(), low, high)
	}
	return s
}

func logBounds(state map[string]any) (low, high float64) {
	base := state["base"].(float64)
	return math.Pow(base, state["min"].(float64)), math.Pow(base, state["max"].(float64))
}

// SetValue moves the slider. A value outside its range is clamped; NaN panics.
func (s *FloatLogSlider) SetValue(v float64) {
	finite(v)
	low, high := logBounds(s.m.copy())
	s.field.SetValue(min(max(v, low), high))
}

// IntText is a field to type an integer in.
type IntText struct{ field[int] }

// NewIntText makes a field for any integer.
func NewIntText(value int) *IntText {
	t := &IntText{newField(described("IntText", "DescriptionStyle", typed(1)), value)}
	t.m.text = func() string { return t.describe("%d", t.Value()) }
	return t
}

// BoundedIntText is a field to type an integer of a range in.
type BoundedIntText struct{ ranged[int] }

// NewBoundedIntText makes a field for an integer from low to high. A value outside is clamped to the range.
func NewBoundedIntText(value, low, high int) *BoundedIntText {
	t := &BoundedIntText{newRanged(described("BoundedIntText", "DescriptionStyle", typed(1),
		map[string]any{"_view_name": "IntTextView"}), value, low, high)}
	t.m.text = t.describeRange
	return t
}

// FloatText is a field to type a number in.
type FloatText struct{ field[float64] }

// NewFloatText makes a field for any finite number. It panics for others.
func NewFloatText(value float64) *FloatText {
	t := &FloatText{newField(described("FloatText", "DescriptionStyle", typed(nil)), value)}
	t.must(func(_ map[string]any, v float64) error {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("a widget cannot show %v: give a finite number", v)
		}
		return nil
	})
	t.SetValue(value)
	t.m.text = func() string { return t.describe("%g", t.Value()) }
	return t
}

// BoundedFloatText is a field to type a number of a range in.
type BoundedFloatText struct{ ranged[float64] }

// NewBoundedFloatText makes a field for a number from low to high. A value outside is clamped to the range. It panics
// for numbers that are not finite.
func NewBoundedFloatText(value, low, high float64) *BoundedFloatText {
	t := &BoundedFloatText{newRanged(described("BoundedFloatText", "DescriptionStyle", typed(nil),
		map[string]any{"_view_name": "FloatTextView"}), value, low, high)}
	t.m.text = t.describeRange
	return t
}

func typed(step any) map[string]any {
	return map[string]any{"step": step, "disabled": false, "continuous_update": false}
}

// Play counts through a range when its button is clicked.
type Play struct{ ranged[int] }

// NewPlay makes buttons that count from low to high, one number in 100 ms.
func NewPlay(value, low, high int) *Play {
	p := &Play{newRanged(described("Play", "DescriptionStyle", map[string]any{"step": 1, "disabled": false,
		"interval": 100, "playing": false, "repeat": false, "show_repeat": true}), value, low, high)}
	p.m.text = p.describeRange
	return p
}

// SetInterval sets the time between numbers, at least a millisecond.
func (p *Play) SetInterval(d time.Duration) { p.m.set("interval", int(max(d.Milliseconds(), 1))) }

// SetPlaying starts or stops counting.
func (p *Play) SetPlaying(playing bool) { p.m.set("playing", playing) }
