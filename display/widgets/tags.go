package widgets

import (
	"fmt"
	"slices"
)

// tags is a field for a list of values that the user adds to and removes from.
type tags[T comparable] struct {
	field[[]T]
	allowed []T
	one     func(state map[string]any, v T) error // the check of a value, nil for none
}

// newTags makes such a field. Where there are allowed values, others cannot be added.
func newTags[T comparable](class string, state map[string]any, value, allowed []T) *tags[T] {
	w := described(class, "DescriptionStyle", map[string]any{"placeholder": "\u200b", "allow_duplicates": true,
		"allowed_tags": append([]T{}, allowed...)}, state)
	t := &tags[T]{field: newField(w, append([]T{}, value...)), allowed: allowed}
	t.must(func(state map[string]any, list []T) error {
		for i, v := range list {
			switch {
			case len(t.allowed) > 0 && !slices.Contains(t.allowed, v):
				return fmt.Errorf("%v is not among %v", v, t.allowed)
			case state["allow_duplicates"] == false && slices.Contains(list[:i], v):
				return fmt.Errorf("%v is there twice", v)
			case t.one != nil:
				if err := t.one(state, v); err != nil {
					return err
				}
			}
		}
		return nil
	})
	return t
}

// begin panics for values that the widget cannot begin with.
func (t *tags[T]) begin() *tags[T] {
	t.SetValue(t.Value()...)
	return t
}

// Value is the list that the front end shows. It must not be changed.
func (t *tags[T]) Value() []T { return t.field.Value() }

// SetValue changes the list. It panics for values that the widget cannot have.
func (t *tags[T]) SetValue(values ...T) { t.field.SetValue(append([]T{}, values...)) }

// SetAllowDuplicates sets whether the user can add a value that is there already.
func (t *tags[T]) SetAllowDuplicates(allow bool) { t.m.set("allow_duplicates", allow) }

// SetPlaceholder sets the text in the place of the next value.
func (t *tags[T]) SetPlaceholder(text string) { t.m.set("placeholder", text) }

// TagsInput is a list of texts that the user adds to and removes from.
type TagsInput struct{ *tags[string] }

// NewTagsInput makes a list of texts. Where allowed texts are given, it takes only these, and panics for another value.
func NewTagsInput(value []string, allowed ...string) *TagsInput {
	t := newTags("TagsInput", map[string]any{"tag_style": ""}, value, allowed)
	t.m.text = func() string { return t.describe("%q", t.Value()) }
	return &TagsInput{t.begin()}
}

// SetStyle colours the texts: "" or "primary", "success", "info", "warning", "danger".
func (t *TagsInput) SetStyle(style string) { t.m.set("tag_style", style) }

// ColorsInput is a list of colours that the user adds to and removes from.
type ColorsInput struct{ *tags[string] }

// NewColorsInput makes a list of colours, as in CSS: "teal", "#008080". Where allowed colours are given, it takes only
// these. It panics for a value that is not allowed, or not a colour.
func NewColorsInput(value []string, allowed ...string) *ColorsInput {
	t := newTags("ColorsInput", nil, value, allowed)
	t.one = isColor
	t.m.text = func() string { return t.describe("%v", t.Value()) }
	return &ColorsInput{t.begin()}
}

// numbersInput is a list of numbers that the user adds to and removes from.
type numbersInput[T number] struct{ *tags[T] }

func newNumbersInput[T number](class, format string, value []T) numbersInput[T] {
	t := newTags(class, map[string]any{"tag_style": "", "format": format, "min": nil, "max": nil}, value, nil)
	t.one = func(state map[string]any, v T) error {
		finite(v)
		if state["min"] == nil {
			return nil
		}
		return within(state, v)
	}
	t.m.text = func() string { return t.describe("%v", t.Value()) }
	return numbersInput[T]{t.begin()}
}

// SetRange has the list take numbers from low to high alone. It panics if one in it is outside.
func (t numbersInput[T]) SetRange(low, high T) {
	finite(low, high)
	low, high = min(low, high), max(low, high)
	for _, v := range t.Value() {
		if v < low || v > high {
			panic(fmt.Errorf("widgets: %v is not from %v to %v", v, low, high))
		}
	}
	t.m.set("min", low)
	t.m.set("max", high)
}

// SetFormat sets how numbers are written, as d3-format has it: ".2f".
func (t numbersInput[T]) SetFormat(format string) { t.m.set("format", format) }

// SetStyle colours the numbers: "" or "primary", "success", "info", "warning", "danger".
func (t numbersInput[T]) SetStyle(style string) { t.m.set("tag_style", style) }

// FloatsInput is a list of numbers that the user adds to and removes from.
type FloatsInput struct{ numbersInput[float64] }

// NewFloatsInput makes a list of any finite numbers. It panics for others.
func NewFloatsInput(value ...float64) *FloatsInput {
	return &FloatsInput{newNumbersInput("FloatsInput", ".1f", value)}
}

// IntsInput is a list of integers that the user adds to and removes from.
type IntsInput struct{ numbersInput[int] }

// NewIntsInput makes a list of any integers.
func NewIntsInput(value ...int) *IntsInput {
	return &IntsInput{newNumbersInput("IntsInput", "d", value)}
}
