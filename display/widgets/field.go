package widgets

import (
	"cmp"
	"fmt"
	"maps"
	"math"
)

// field is a widget with one value, which the user may change.
type field[T any] struct {
	*Widget
	name  string // of the value in the state
	check func(state map[string]any, v T) error
}

// described makes a widget of the controls with a description. The states are joined, the later over the earlier.
func described(class, style string, states ...map[string]any) *Widget {
	all := map[string]any{"description": "", "description_allow_html": false}
	for _, state := range states {
		maps.Copy(all, state)
	}
	return newWidget(controls, class, style, all)
}

func newField[T any](w *Widget, value T) field[T] {
	w.m.state["value"] = value
	return field[T]{Widget: w, name: "value"}
}

// must sets what values have to fulfil: those of the front end are refused otherwise, and SetValue panics.
func (f *field[T]) must(check func(state map[string]any, v T) error) {
	f.check = check
	f.m.checkWith(f.name, func(state map[string]any, v any) error { return check(state, v.(T)) })
}

func (m *model) checkWith(name string, check func(state map[string]any, v any) error) {
	if m.checks == nil {
		m.checks = map[string]func(map[string]any, any) error{}
	}
	m.checks[name] = check
}

// Value is the value that the front end shows.
func (f *field[T]) Value() T { return f.m.get(f.name).(T) }

// SetValue changes the value. It panics if the widget cannot have it.
func (f *field[T]) SetValue(v T) {
	if f.check != nil {
		if err := f.check(f.m.copy(), v); err != nil {
			panic(fmt.Errorf("widgets: %w", err))
		}
	}
	f.m.set(f.name, v)
}

// OnChange registers a function that is called with the new value when the user changes it.
func (f *field[T]) OnChange(changed func(value T)) {
	f.m.onChange(f.name, func(v any) { changed(v.(T)) })
}

func (m *model) copy() map[string]any {
	m.mu.Lock()
	defer m.mu.Unlock()
	return maps.Clone(m.state)
}

type number interface{ int | float64 }

// ranged is a field for a number in a range.
type ranged[T number] struct{ field[T] }

// newRanged makes a field of a number with bounds in the state. A value outside is clamped.
func newRanged[T number](w *Widget, value, low, high T) ranged[T] {
	finite(value, low, high)
	low, high = min(low, high), max(low, high)
	w.m.state["min"], w.m.state["max"] = low, high
	r := ranged[T]{newField(w, min(max(value, low), high))}
	r.must(within[T])
	return r
}

// SetValue changes the value. A value outside the range is clamped; NaN panics.
func (r *ranged[T]) SetValue(v T) {
	finite(v)
	state := r.m.copy()
	r.field.SetValue(min(max(v, state["min"].(T)), state["max"].(T)))
}

// within is the check that a number from the front end is in the range.
func within[T number](state map[string]any, v T) error {
	low, high := state["min"].(T), state["max"].(T)
	if cmp.Less(v, low) || cmp.Less(high, v) {
		return fmt.Errorf("%v is not from %v to %v", v, low, high)
	}
	return nil
}

// finite panics for numbers that JSON does not have.
func finite[T number](numbers ...T) {
	for _, v := range numbers {
		if f := float64(v); math.IsNaN(f) || math.IsInf(f, 0) {
			panic(fmt.Errorf("widgets: a widget cannot show %v: give a finite number", v))
		}
	}
}
