package widgets

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// place is an index of an option or of a page, -1 for none. Its JSON form is a number, or null.
type place int

func (p place) MarshalJSON() ([]byte, error) {
	if p < 0 {
		return []byte("null"), nil
	}
	return json.Marshal(int(p))
}

func (p *place) UnmarshalJSON(raw []byte) error {
	var i *int
	if err := json.Unmarshal(raw, &i); err != nil {
		return err
	}
	*p = -1
	if i != nil {
		if *i < 0 {
			return fmt.Errorf("%d is not an index", *i)
		}
		*p = place(*i)
	}
	return nil
}

// below is the check that an index from the front end is one of n.
func below(n int) func(map[string]any, any) error {
	return func(_ map[string]any, v any) error {
		if p := v.(place); int(p) >= n {
			return fmt.Errorf("there is no %d among %d", p, n)
		}
		return nil
	}
}

// Choice is a choice of one of several texts.
type Choice struct {
	*Widget
	options []string
}

// Dropdown is a choice of one of several texts in a menu.
type Dropdown struct{ *Choice }

// NewDropdown makes a menu with the first option selected.
func NewDropdown(options ...string) *Dropdown {
	return &Dropdown{newChoice("Dropdown", "DescriptionStyle", nil, options)}
}

// NewRadioButtons makes a round button for each option, with the first one selected.
func NewRadioButtons(options ...string) *Choice {
	return newChoice("RadioButtons", "DescriptionStyle", map[string]any{"orientation": "vertical"}, options)
}

// NewSelect makes a list of five lines with the first option selected.
func NewSelect(options ...string) *Choice {
	return newChoice("Select", "DescriptionStyle", map[string]any{"rows": 5}, options)
}

// NewToggleButtons makes a row of buttons of which the first is pressed.
func NewToggleButtons(options ...string) *Choice {
	return newChoice("ToggleButtons", "ToggleButtonsStyle",
		map[string]any{"button_style": "", "icons": []string{}, "tooltips": []string{}}, options)
}

// NewSelectionSlider makes a slider along the options with the first one selected.
func NewSelectionSlider(options ...string) *Choice {
	return newChoice("SelectionSlider", "SliderStyle", map[string]any{"orientation": "horizontal", "readout": true,
		"continuous_update": true, "behavior": "drag-tap"}, options)
}

func newChoice(class, style string, state map[string]any, options []string) *Choice {
	c := &Choice{options: append([]string{}, options...)}
	index := place(0)
	if len(options) == 0 {
		index = -1
	}
	c.Widget = described(class, style, map[string]any{"_options_labels": c.options, "index": index,
		"disabled": false}, state)
	c.m.checkWith("index", below(len(options)))
	c.m.text = func() string { return c.describe("%q of %q", c.Value(), c.options) }
	return c
}

// Value is the selected text; empty while none is selected.
func (c *Choice) Value() string { return c.at(c.Index()) }

// Index is the index of the selected option, from 0; -1 while none is selected.
func (c *Choice) Index() int { return int(c.m.get("index").(place)) }

func (c *Choice) at(i int) string {
	if i < 0 {
		return ""
	}
	return c.options[i]
}

// SetValue selects an option. A text that is not among the options changes nothing.
func (c *Choice) SetValue(text string) {
	if i := slices.Index(c.options, text); i >= 0 {
		c.m.set("index", place(i))
	}
}

// OnChange registers a function that is called with the text that the user has selected.
func (c *Choice) OnChange(f func(value string)) {
	c.m.onChange("index", func(v any) { f(c.at(int(v.(place)))) })
}

// SelectionRangeSlider is a choice of a range of texts that have an order, with two handles.
type SelectionRangeSlider struct {
	*Widget
	options []string
}

// NewSelectionRangeSlider makes a slider along the options with both handles at the first one. It panics without an
// option.
func NewSelectionRangeSlider(options ...string) *SelectionRangeSlider {
	if len(options) == 0 {
		panic(errors.New("widgets: a slider needs at least one option"))
	}
	s := &SelectionRangeSlider{options: append([]string{}, options...)}
	s.Widget = described("SelectionRangeSlider", "SliderStyle", map[string]any{"_options_labels": s.options,
		"index": span[int]{}, "disabled": false, "orientation": "horizontal", "readout": true,
		"continuous_update": true, "behavior": "drag-tap"})
	s.m.checkWith("index", func(_ map[string]any, v any) error {
		if ends := v.(span[int]); ends.low < 0 || ends.low > ends.high || ends.high >= len(s.options) {
			return fmt.Errorf("there are no %d to %d among %d options", ends.low, ends.high, len(s.options))
		}
		return nil
	})
	s.m.text = func() string {
		from, to := s.Value()
		return s.describe("%q to %q of %q", from, to, s.options)
	}
	return s
}

// Value is the texts at both ends of the range.
func (s *SelectionRangeSlider) Value() (from, to string) {
	first, last := s.Index()
	return s.options[first], s.options[last]
}

// Index is the indices of both ends, from 0, the last one included.
func (s *SelectionRangeSlider) Index() (first, last int) {
	ends := s.m.get("index").(span[int])
	return ends.low, ends.high
}

// SetValue moves both handles, to texts in either order. A text that is not among the options changes nothing.
func (s *SelectionRangeSlider) SetValue(from, to string) {
	i, j := slices.Index(s.options, from), slices.Index(s.options, to)
	if i >= 0 && j >= 0 {
		s.m.set("index", span[int]{min(i, j), max(i, j)})
	}
}

// OnChange registers a function that is called with the texts at both ends when the user moves a handle.
func (s *SelectionRangeSlider) OnChange(f func(from, to string)) {
	s.m.onChange("index", func(v any) { f(s.options[v.(span[int]).low], s.options[v.(span[int]).high]) })
}

// SelectMultiple is a choice of any number of texts.
type SelectMultiple struct {
	*Widget
	options []string
}

// NewSelectMultiple makes a list of five lines with no option selected.
func NewSelectMultiple(options ...string) *SelectMultiple {
	s := &SelectMultiple{options: append([]string{}, options...)}
	s.Widget = described("SelectMultiple", "DescriptionStyle", map[string]any{"_options_labels": s.options,
		"index": []int{}, "disabled": false, "rows": 5})
	s.m.checkWith("index", func(_ map[string]any, v any) error {
		for _, i := range v.([]int) {
			if i < 0 || i >= len(s.options) {
				return fmt.Errorf("there is no %d among %d options", i, len(s.options))
			}
		}
		return nil
	})
	s.m.text = func() string { return s.describe("%q of %q", s.Value(), s.options) }
	return s
}

// Value is the selected texts.
func (s *SelectMultiple) Value() []string { return s.at(s.m.get("index").([]int)) }

func (s *SelectMultiple) at(index []int) []string {
	texts := []string{}
	for _, i := range index {
		texts = append(texts, s.options[i])
	}
	return texts
}

// SetValue selects the options that are given. Texts that are not among the options are passed over.
func (s *SelectMultiple) SetValue(texts ...string) {
	index := []int{}
	for i, o := range s.options {
		if slices.Contains(texts, o) {
			index = append(index, i)
		}
	}
	s.m.set("index", index)
}

// OnChange registers a function that is called with the texts that the user has selected.
func (s *SelectMultiple) OnChange(f func(values []string)) {
	s.m.onChange("index", func(v any) { f(s.at(v.([]int))) })
}
