package widgets

import (
	"encoding/json"
	"fmt"
)

// span is the two ends of a range. Its JSON form is an array of exactly two numbers.
type span[T number] struct{ low, high T }

func (s span[T]) MarshalJSON() ([]byte, error) { return json.Marshal([2]T{s.low, s.high}) }

func (s *span[T]) UnmarshalJSON(raw []byte) error {
	var ends []T
	if err := json.Unmarshal(raw, &ends); err != nil {
		return err
	}
	if len(ends) != 2 {
		return fmt.Errorf("%d numbers are not the two ends of a range", len(ends))
	}
	s.low, s.high = ends[0], ends[1]
	return nil
}

// rangeSlider is a slider with two handles.
type rangeSlider[T number] struct{ *Widget }

func newRangeSlider[T number](class string, state map[string]any, from, to, low, high T) rangeSlider[T] {
	finite(from, to, low, high)
	low, high = min(low, high), max(low, high)
	s := rangeSlider[T]{described(class, "SliderStyle", state, map[string]any{"min": low, "max": high})}
	s.m.state["value"] = fit(from, to, low, high)
	s.m.checkWith("value", func(state map[string]any, v any) error {
		ends := v.(span[T])
		if ends.low > ends.high {
			return fmt.Errorf("%v to %v: the ends are in the wrong order", ends.low, ends.high)
		}
		if err := within(state, ends.low); err != nil {
			return err
		}
		return within(state, ends.high)
	})
	s.m.text = func() string {
		from, to := s.Value()
		return s.describe("%v to %v (%v to %v)", from, to, s.m.get("min"), s.m.get("max"))
	}
	return s
}

// fit is a span in order and within bounds.
func fit[T number](from, to, low, high T) span[T] {
	from, to = min(from, to), max(from, to)
	return span[T]{min(max(from, low), high), min(max(to, low), high)}
}

// Value is the two ends of the range that the slider shows.
func (s *rangeSlider[T]) Value() (from, to T) {
	ends := s.m.get("value").(span[T])
	return ends.low, ends.high
}

// SetValue moves both handles. Ends outside the slider's bounds are clamped; NaN panics.
func (s *rangeSlider[T]) SetValue(from, to T) {
	finite(from, to)
	state := s.m.copy()
	s.m.set("value", fit(from, to, state["min"].(T), state["max"].(T)))
}

// OnChange registers a function that is called with the new ends when the user moves a handle.
func (s *rangeSlider[T]) OnChange(f func(from, to T)) {
	s.m.onChange("value", func(v any) { f(v.(span[T]).low, v.(span[T]).high) })
}

// SetStep sets the step between values.
func (s *rangeSlider[T]) SetStep(step T) {
	finite(step)
	s.m.set("step", step)
}

// IntRangeSlider is a slider for a range of integers, with two handles.
type IntRangeSlider struct{ rangeSlider[int] }

// NewIntRangeSlider makes a slider whose handles are at from and to, within low and high.
func NewIntRangeSlider(from, to, low, high int) *IntRangeSlider {
	return &IntRangeSlider{newRangeSlider("IntRangeSlider", slider(1, "d"), from, to, low, high)}
}

// FloatRangeSlider is a slider for a range of numbers, with two handles.
type FloatRangeSlider struct{ rangeSlider[float64] }

// NewFloatRangeSlider makes a slider whose handles are at from and to, within low and high, in a hundred steps. It
// panics for numbers that are not finite.
func NewFloatRangeSlider(from, to, low, high float64) *FloatRangeSlider {
	step := max(low, high)/100 - min(low, high)/100
	return &FloatRangeSlider{newRangeSlider("FloatRangeSlider", slider(step, ".4~g"), from, to, low, high)}
}
