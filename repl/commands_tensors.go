package repl

import (
	"fmt"
	"html"
	"runtime"
	"sort"
	"strings"

	"github.com/gorocm/gorocm/display"
	"github.com/gorocm/gorocm/repl/internal/opened"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/quant"
)

// tensors shows the tensors that variables hold, and the devices that cells have opened with the memory of each.
func (c *Call) tensors() *Error {
	s := c.session
	if err := c.noArgs(); err != nil {
		return err
	}
	rows := s.tensorRows()
	runtime.GC() // gives back what dropped tensors hold
	var text, page strings.Builder
	if len(rows) == 0 {
		text.WriteString("no variable holds a tensor\n")
		page.WriteString("<p>no variable holds a tensor</p>")
	} else {
		text.WriteString(columns(rows))
		page.WriteString(tensorsHTML(rows))
	}
	if line := s.resultTensors(); line != "" {
		text.WriteString(line + "\n")
		page.WriteString("<p>" + html.EscapeString(line) + "</p>")
	}
	for _, d := range opened.Devices() {
		forms := d.MIMEBundle()
		text.WriteString(forms[display.MIMEText] + "\n")
		page.WriteString(forms[display.MIMEHTML])
	}
	s.sink.event(Event{Kind: Display, Data: display.Bundle{display.MIMEText: strings.TrimRight(text.String(), "\n"),
		display.MIMEHTML: page.String()}})
	return nil
}

// tensorRows tell name, shape, type, device and size of each tensor that a variable holds, or that is inside of one's
// value.
func (s *Local) tensorRows() (rows [][]string) {
	e := s.current()
	names := e.Names()
	sort.Slice(names, func(i, j int) bool { return names[i].Name < names[j].Name })
	values, seen := map[string]any{}, map[any]bool{}
	for _, n := range names {
		if n.Kind != "variable" {
			continue
		}
		v, err := e.Var(n.Name)
		if err != nil {
			continue
		}
		if row := tensorRow(n.Name, v); row != nil {
			rows, seen[v] = append(rows, row), true
		} else {
			values[n.Name] = v
		}
	}
	for hops := range heldHops + 1 { // a tensor gets its shortest name
		for _, n := range names {
			if v, ok := values[n.Name]; ok {
				rows = append(rows, heldRows(n.Name, v, hops, seen)...)
			}
		}
	}
	return rows
}

// tensorRow is the row of a tensor; nil for any other value.
func tensorRow(name string, v any) []string {
	switch t := v.(type) {
	case *tensor.Tensor:
		if t == nil {
			return nil
		}
		bytes := size(int64(t.Bytes()))
		if t.IsFreed() {
			bytes = "freed"
		}
		place := t.Device().String()
		if t.IsPinned() {
			place += ", pinned"
		}
		return []string{name, fmt.Sprint(t.Shape()), t.DType().String(), place, bytes}
	case *quant.QTensor:
		if t != nil {
			return []string{name, fmt.Sprint(t.Dims()), t.Type().String(), t.Device().String(), size(int64(t.Bytes()))}
		}
	}
	return nil
}

// resultTensors tells of the tensors that are kept because cells have shown them, and no variable holds; "" when there
// are none.
func (s *Local) resultTensors() string {
	e := s.current()
	seen := map[*tensor.Tensor]bool{}
	for _, n := range e.Names() {
		if v, err := e.Var(n.Name); err == nil {
			if t, ok := v.(*tensor.Tensor); ok {
				seen[t] = true
			}
		}
	}
	_, kept := e.Results()
	n, bytes := 0, int64(0)
	for _, v := range kept {
		if t, ok := v.(*tensor.Tensor); ok && t != nil && !seen[t] && !t.IsFreed() {
			seen[t] = true
			n++
			bytes += int64(t.StorageBytes())
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("results of cells, such as _3, hold %s, %s; %%reset Out forgets them", count(n, "tensor"),
		size(bytes))
}

func tensorsHTML(rows [][]string) string {
	const left, right = ` style="text-align:left"`, ` style="text-align:right"`
	var b strings.Builder
	b.WriteString("<table><thead><tr>")
	for _, h := range []string{"Name", "Shape", "Type", "Device"} {
		fmt.Fprintf(&b, "<th%s>%s</th>", left, h)
	}
	fmt.Fprintf(&b, "<th%s>Size</th></tr></thead><tbody>\n", right)
	for _, r := range rows {
		b.WriteString("<tr>")
		for i, cell := range r {
			align := left
			if i == len(r)-1 {
				align = right
			}
			fmt.Fprintf(&b, "<td%s><code>%s</code></td>", align, html.EscapeString(cell))
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</tbody></table>")
	return b.String()
}
