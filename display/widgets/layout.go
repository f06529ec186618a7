package widgets

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Layout is how a widget is laid out and looks, in CSS. An empty property stays as it is. The names are those of CSS;
// those of the last group are a widget's own, and not every widget has them.
type Layout struct {
	Width, Height, MinWidth, MaxWidth, MinHeight, MaxHeight string
	Margin, Padding, Overflow, Visibility, Display          string
	Border, BorderTop, BorderRight, BorderBottom            string
	BorderLeft, Top, Right, Bottom, Left                    string
	Flex, FlexFlow, Order, AlignContent, AlignItems         string
	AlignSelf, JustifyContent, JustifyItems                 string
	GridArea, GridAutoColumns, GridAutoFlow, GridAutoRows   string
	GridColumn, GridRow, GridGap, GridTemplateAreas         string
	GridTemplateColumns, GridTemplateRows                   string
	ObjectFit, ObjectPosition                               string

	Background, TextColor, TextDecoration                    string
	FontFamily, FontSize, FontStyle, FontVariant, FontWeight string
	DescriptionWidth, HandleColor, BarColor                  string
	ButtonColor, ButtonWidth                                 string
}

// firstStyle is the first property of the last group, which belong to a model of their own.
const firstStyle = "Background"

var (
	fontStyle = []string{"font_family", "font_size", "font_style", "font_variant", "font_weight", "text_color",
		"text_decoration"}
	fieldStyle = []string{"background", "description_width", "font_size", "text_color"}
	// styles are the properties of the last group that each class of styles has.
	styles = map[string][]string{
		"ButtonStyle":        append([]string{"button_color"}, fontStyle...),
		"CheckboxStyle":      {"background", "description_width"},
		"DescriptionStyle":   {"description_width"},
		"HTMLMathStyle":      fieldStyle,
		"HTMLStyle":          fieldStyle,
		"LabelStyle":         append([]string{"background", "description_width"}, fontStyle...),
		"ProgressStyle":      {"bar_color", "description_width"},
		"SliderStyle":        {"description_width", "handle_color"},
		"TextStyle":          fieldStyle,
		"ToggleButtonStyle":  append([]string{"description_width"}, fontStyle...),
		"ToggleButtonsStyle": {"button_width", "description_width", "font_weight"},
	}
)

// SetLayout changes the properties that are not empty. It panics for a property that this widget does not have, and
// then changes nothing.
func (w *Widget) SetLayout(l Layout) {
	layout, style := l.properties()
	var known []string
	if w.style != nil {
		known = styles[w.style.class]
	}
	for _, name := range slices.Sorted(maps.Keys(style)) {
		if !slices.Contains(known, name) {
			panic(fmt.Errorf("widgets: this widget has no %s, only %s", name,
				cmp.Or(strings.Join(known, ", "), "the properties of a layout")))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(layout)) {
		w.layout.set(name, layout[name])
	}
	for _, name := range slices.Sorted(maps.Keys(style)) {
		w.style.set(name, style[name])
	}
}

// properties are those that are not empty, by the names that the front end has for them.
func (l Layout) properties() (layout, style map[string]string) {
	layout, style = map[string]string{}, map[string]string{}
	v, into := reflect.ValueOf(l), layout
	for i := range v.NumField() {
		name, text := v.Type().Field(i).Name, v.Field(i).String()
		if name == firstStyle {
			into = style
		}
		switch {
		case text == "":
		case name == "Border": // before the four sides, which may differ
			for _, side := range []string{"top", "right", "bottom", "left"} {
				into["border_"+side] = text
			}
		default:
			into[snake(name)] = text
		}
	}
	return layout, style
}

// snake is the name GridGap as grid_gap.
func snake(name string) string {
	var b strings.Builder
	for i, r := range name {
		if i > 0 && r >= 'A' && r <= 'Z' {
			b.WriteByte('_')
		}
		b.WriteRune(r)
	}
	return strings.ToLower(b.String())
}
