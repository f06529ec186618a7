package widgets

import (
	"fmt"
	"strings"
)

// Box arranges widgets horizontally or vertically.
type Box struct{ *Widget }

// NewBox arranges widgets horizontally, without aligning them: see Layout's FlexFlow and AlignItems.
func NewBox(children ...Child) *Box { return newBox("Box", "  ", children) }

// NewHBox arranges widgets horizontally.
func NewHBox(children ...Child) *Box { return newBox("HBox", "  ", children) }

// NewVBox arranges widgets vertically.
func NewVBox(children ...Child) *Box { return newBox("VBox", "\n", children) }

// NewGridBox arranges widgets in a grid: see Layout's GridTemplateColumns.
func NewGridBox(children ...Child) *Box { return newBox("GridBox", "\n", children) }

func newBox(class, between string, children []Child) *Box {
	var inside []*Widget
	names := []string{}
	for _, c := range children {
		w := c.Base()
		inside, names = append(inside, w), append(names, w.m.reference())
	}
	b := &Box{newWidget(controls, class, "", map[string]any{"children": names, "box_style": ""})}
	b.m.children = func() (list []*model) {
		for _, w := range inside {
			list = append(list, w.m)
		}
		return list
	}
	b.m.text = func() string {
		var texts []string
		for _, w := range inside {
			texts = append(texts, w.String())
		}
		return strings.Join(texts, between)
	}
	return b
}

// SetStyle colours the box: "" or "primary", "success", "info", "warning", "danger".
func (b *Box) SetStyle(style string) { b.m.set("box_style", style) }

// touch redraws a box that is displayed as text.
func (b *Box) touch() {
	text := b.m.text()
	b.m.mu.Lock()
	asText := b.m.shown && b.m.comm == nil
	b.m.mu.Unlock()
	if asText {
		b.m.set("text", text)
	}
}

// Pages is a box that shows one of its widgets at a time.
type Pages struct {
	*Box
	count int
}

// NewTab arranges widgets as pages with tabs, the first one selected.
func NewTab(children ...Child) *Pages { return newPages("Tab", min(len(children), 1)-1, children) }

// NewAccordion arranges widgets as pages below each other, all folded.
func NewAccordion(children ...Child) *Pages { return newPages("Accordion", -1, children) }

// NewStack shows one widget of several, at first none. The user cannot choose: see Link.
func NewStack(children ...Child) *Pages { return newPages("Stack", -1, children) }

func newPages(class string, selected int, children []Child) *Pages {
	p := &Pages{newBox(class, "\n", children), len(children)}
	p.m.state["titles"], p.m.state["selected_index"] = make([]string, len(children)), place(selected)
	p.m.checkWith("selected_index", below(len(children)))
	return p
}

// SetTitles names the pages, in their order.
func (p *Pages) SetTitles(titles ...string) {
	all := make([]string, p.count)
	copy(all, titles)
	p.m.set("titles", all)
}

// Selected is the index of the page that is shown, from 0; -1 for none.
func (p *Pages) Selected() int { return int(p.m.get("selected_index").(place)) }

// Select shows a page, none for -1. It panics if there is no such page.
func (p *Pages) Select(page int) {
	if page < -1 || page >= p.count {
		panic(fmt.Errorf("widgets: there is no page %d among %d", page, p.count))
	}
	p.m.set("selected_index", place(page))
}

// OnSelect registers a function that is called with the index of the page that the user has selected, -1 for none.
func (p *Pages) OnSelect(f func(page int)) {
	p.m.onChange("selected_index", func(v any) { f(int(v.(place))) })
}
