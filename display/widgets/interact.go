package widgets

import (
	"fmt"
	"math"
	"reflect"
	"sync/atomic"
	"time"

	"github.com/gorocm/gorocm/display/comm"
)

// Param describes a parameter of the function of Interact. All fields may be left out.
type Param struct {
	Name      string   // beside the control; "a", "b" and so on by default
	Value     any      // at first: of the parameter's type, or convertible to it
	Low, High float64  // of a number; 0 to 1 for floats and 0 to 10 for integers if both are 0
	Choices   any      // a slice of values to choose from: the parameter may be of any type then
	Labels    []string // of the choices; their text by default
}

// Interactive is the controls of a function and what it returns.
type Interactive struct {
	*Box
	call   reflect.Value
	values []func() reflect.Value // of the parameters, as the controls are
	out    *Output
	waits  atomic.Bool // a call that will see the last change is due
}

// Interact makes a control for each parameter of a function, shows what the function returns, and calls it again when
// the user changes a control:
//
//	widgets.Interact(func(a float64, n int, on bool, s string) any { … }, widgets.Param{Name: "amplitude", High: 5})
//
// Floats and integers get sliders, bool a checkbox, string a text field and [time.Time] a date; with Choices every type
// gets a menu. The params are those of the parameters in their order, and may be fewer. The function has one result or
// several; an error that is not nil, or a panic, is shown instead of them. Changes made while it runs lead to one call.
// What cannot be called so is an error that says why.
func Interact(function any, params ...Param) (*Interactive, error) {
	f := reflect.ValueOf(function)
	if !f.IsValid() || f.Kind() != reflect.Func || f.IsNil() {
		return nil, fmt.Errorf("widgets: Interact takes a function, and this is %T", function)
	}
	t := f.Type()
	switch {
	case t.IsVariadic():
		return nil, fmt.Errorf("widgets: Interact cannot know how many arguments %v takes: give it a slice by Choices", t)
	case t.NumOut() == 0:
		return nil, fmt.Errorf("widgets: Interact shows what a function returns, and %v returns nothing", t)
	case len(params) > t.NumIn():
		return nil, fmt.Errorf("widgets: Interact has %d Params for the %d parameters of %v", len(params), t.NumIn(), t)
	}
	in := &Interactive{call: f, out: NewOutput()}
	var children []Child
	for i := range t.NumIn() {
		p := Param{}
		if i < len(params) {
			p = params[i]
		}
		if p.Name == "" {
			p.Name = parameterName(i)
		}
		c, value, err := in.control(t.In(i), p)
		if err != nil {
			return nil, fmt.Errorf("widgets: Interact: parameter %d (%s): %w", i+1, p.Name, err)
		}
		c.Base().SetDescription(p.Name)
		children, in.values = append(children, c), append(in.values, value)
	}
	in.Box = NewVBox(append(children, in.out)...)
	in.run()
	return in, nil
}

func parameterName(i int) string {
	if i < 26 {
		return string(rune('a' + i))
	}
	return fmt.Sprint("p", i+1)
}

// control makes the control of a parameter, and the function that reads it.
func (in *Interactive) control(t reflect.Type, p Param) (Child, func() reflect.Value, error) {
	first, err := firstValue(t, p.Value)
	if err != nil {
		return nil, nil, err
	}
	if p.Choices != nil {
		return in.choice(t, p, first)
	}
	switch {
	case t == reflect.TypeFor[time.Time]():
		c := NewDatePicker(first.Interface().(time.Time))
		c.OnChange(func(time.Time) { in.change() })
		return c, func() reflect.Value { return reflect.ValueOf(c.Value()) }, nil
	case t == reflect.TypeFor[time.Duration](): // an integer of nanoseconds, which nobody means
	case t.Kind() == reflect.Bool:
		c := NewCheckbox(first.Bool(), "")
		return c, follow(in, t, &c.field), nil
	case t.Kind() == reflect.String:
		c := NewText(first.String())
		return c, follow(in, t, &c.field), nil
	case reflect.Zero(t).CanInt() || reflect.Zero(t).CanUint():
		return in.integer(t, p, first)
	case reflect.Zero(t).CanFloat():
		low, high, err := bounds(p, 1)
		if err != nil {
			return nil, nil, err
		}
		if v := first.Float(); p.Value != nil && !(v >= low && v <= high) {
			return nil, nil, fmt.Errorf("value %v is not from %v to %v", v, low, high)
		}
		c := NewFloatSlider(first.Float(), low, high)
		return c, follow(in, t, &c.field), nil
	}
	return nil, nil, fmt.Errorf("there is no control for type %v: give values of it by Choices", t)
}

// integer makes the slider of an integer.
func (in *Interactive) integer(t reflect.Type, p Param, first reflect.Value) (Child, func() reflect.Value, error) {
	low, high, err := bounds(p, 10)
	if err != nil {
		return nil, nil, err
	}
	for _, end := range []float64{low, high} {
		back := reflect.ValueOf(int(end)).Convert(t).Convert(reflect.TypeFor[int]())
		if math.Abs(end) > 1<<31 || end != math.Trunc(end) || back.Int() != int64(end) ||
			reflect.Zero(t).CanUint() && end < 0 {
			return nil, nil, fmt.Errorf("a slider for %v cannot end at %v", t, end)
		}
	}
	v := first.Convert(reflect.TypeFor[int]()).Int()
	if p.Value != nil && (v < int64(low) || v > int64(high)) {
		return nil, nil, fmt.Errorf("value %v is not from %v to %v", v, low, high)
	}
	c := NewIntSlider(int(v), int(low), int(high))
	return c, follow(in, t, &c.field), nil
}

// bounds are those of a number.
func bounds(p Param, usual float64) (low, high float64, err error) {
	if p.Low == 0 && p.High == 0 {
		return 0, usual, nil
	}
	if !(p.Low < p.High) || p.High-p.Low > 1e300 {
		return 0, 0, fmt.Errorf("low %v and high %v are no range", p.Low, p.High)
	}
	return p.Low, p.High, nil
}

// firstValue is the first value of a parameter, zero if none is given.
func firstValue(t reflect.Type, value any) (reflect.Value, error) {
	if value == nil {
		return reflect.Zero(t), nil
	}
	v := reflect.ValueOf(value)
	if !v.CanConvert(t) || t.Kind() == reflect.String && v.Kind() != reflect.String {
		return v, fmt.Errorf("value %v of type %T is no %v", value, value, t)
	}
	to := v.Convert(t)
	if v.Comparable() && to.CanConvert(v.Type()) && !to.Convert(v.Type()).Equal(v) {
		return v, fmt.Errorf("value %v is no %v", value, t)
	}
	return to, nil
}

// choice makes a menu of the choices.
func (in *Interactive) choice(t reflect.Type, p Param, first reflect.Value) (Child, func() reflect.Value, error) {
	list := reflect.ValueOf(p.Choices)
	if list.Kind() != reflect.Slice || list.Len() == 0 {
		return nil, nil, fmt.Errorf("choices must be a slice with values, and this is %T", p.Choices)
	}
	if p.Labels != nil && len(p.Labels) != list.Len() {
		return nil, nil, fmt.Errorf("%d labels for %d choices", len(p.Labels), list.Len())
	}
	var values []reflect.Value
	var names []string
	index := -1
	for i := range list.Len() {
		v, err := firstValue(t, list.Index(i).Interface())
		if err != nil {
			return nil, nil, err
		}
		if index < 0 && (p.Value == nil || v.Comparable() && v.Equal(first)) {
			index = i
		}
		values, names = append(values, v), append(names, fmt.Sprint(v.Interface()))
	}
	if index < 0 {
		return nil, nil, fmt.Errorf("value %v is not among the choices %v", p.Value, p.Choices)
	}
	if p.Labels != nil {
		names = p.Labels
	}
	c := NewDropdown(names...)
	c.m.state["index"] = place(index)
	c.OnChange(func(string) { in.change() })
	return c, func() reflect.Value { return values[c.Index()] }, nil
}

// follow calls the function when a field changes, and reads the field as a t.
func follow[T any](in *Interactive, t reflect.Type, f *field[T]) func() reflect.Value {
	f.OnChange(func(T) { in.change() })
	return func() reflect.Value { return reflect.ValueOf(f.Value()).Convert(t) }
}

// change is called for every change of a control, and calls the function after those that wait already.
func (in *Interactive) change() {
	if in.waits.CompareAndSwap(false, true) {
		comm.Later(in.run)
	}
}

// run calls the function and shows what it returns.
func (in *Interactive) run() {
	in.waits.Store(false)
	shown := []map[string]any{}
	for _, v := range in.results() {
		shown = append(shown, shownOutput(v))
	}
	in.out.m.set("outputs", shown)
	in.touch()
}

// results is what the function returns for the values of the controls: without errors that are nil, and only the error
// where there is one.
func (in *Interactive) results() (out []any) {
	defer func() {
		if p := recover(); p != nil {
			out = []any{fmt.Errorf("panic: %v", p)}
		}
	}()
	args := make([]reflect.Value, len(in.values))
	for i, value := range in.values {
		args[i] = value()
	}
	for i, v := range in.call.Call(args) {
		if in.call.Type().Out(i) == reflect.TypeFor[error]() {
			if !v.IsNil() {
				return []any{v.Interface()}
			}
			continue
		}
		out = append(out, v.Interface())
	}
	return out
}
