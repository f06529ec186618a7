package onnx

import (
	"cmp"
	"fmt"
	"html"
	"maps"
	"slices"
	"strings"

	"github.com/gorocm/gorocm/internal/visible"
)

// shownOps are the operators that a model is shown with.
const shownOps = 12

// counted returns how many nodes each operator has, those with the most first.
func (m *Model) counted() []string {
	names := slices.SortedFunc(maps.Keys(m.ops), func(a, b string) int {
		return cmp.Or(cmp.Compare(m.ops[b], m.ops[a]), cmp.Compare(a, b))
	})
	var list []string
	for i, name := range names {
		if i == shownOps && len(names) > shownOps+1 {
			return append(list, fmt.Sprintf("%d others", len(names)-i))
		}
		list = append(list, fmt.Sprintf("%s %d", name, m.ops[name]))
	}
	return list
}

// rows are what is shown of a model: pairs of what and how.
func (m *Model) rows() [][2]string {
	rows := [][2]string{{"model", strings.TrimSpace(m.Name + m.by())}}
	for _, list := range []struct {
		what  string
		infos []Info
	}{{"input", m.inputs}, {"output", m.outputs}} {
		for _, info := range list.infos {
			rows = append(rows, [2]string{list.what, info.String()})
		}
	}
	ops := strings.Join(m.counted(), ", ")
	return append(rows, [2]string{"parameters", grouped(m.params)}, [2]string{"operators", ops},
		[2]string{"opset", m.opsets()}, [2]string{"device", m.dev.String()})
}

func (m *Model) by() string {
	if m.Producer == "" {
		return ""
	}
	return " by " + m.Producer
}

func (m *Model) opsets() string {
	var list []string
	for _, domain := range slices.Sorted(maps.Keys(m.Opsets)) {
		list = append(list, strings.TrimSpace(fmt.Sprintf("%s %d", domain, m.Opsets[domain])))
	}
	return strings.Join(list, ", ")
}

// grouped writes a number with commas.
func grouped(n int) string {
	digits := fmt.Sprint(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// String has a line for what the model is, for each input and output, for its parameters and its operators.
func (m *Model) String() string {
	var b strings.Builder
	for _, row := range m.rows() {
		fmt.Fprintf(&b, "%-10s  %s\n", row[0], visible.Text(row[1])) // names come from the file
	}
	return strings.TrimRight(b.String(), "\n")
}

// HTML is a table of the same, which notebooks show.
func (m *Model) HTML() string {
	var b strings.Builder
	b.WriteString("<table><tbody>")
	for _, row := range m.rows() {
		fmt.Fprintf(&b, "<tr><th style=\"text-align:left\">%s</th><td style=\"text-align:left\">%s</td></tr>", row[0],
			html.EscapeString(row[1]))
	}
	b.WriteString("</tbody></table>")
	return b.String()
}
