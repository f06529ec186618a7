package repl

import (
	"fmt"
	"html"
	"path"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"sort"
	"strings"

	"github.com/gorocm/gorocm/display"
	"github.com/gorocm/gorocm/internal/printing"
	"github.com/gorocm/gorocm/repl/golang"
	"github.com/gorocm/gorocm/tensor"
)

func (c *Call) vars() *Error {
	s := c.session
	e := s.current()
	names, err := matching(e.Names(), strings.Fields(c.Args))
	if err != nil {
		return c.wrong("%v", err)
	}
	order := map[string]int{"variable": 0, "constant": 1, "function": 2, "type": 3, "package": 4}
	sort.Slice(names, func(i, j int) bool {
		a, b := names[i], names[j]
		if a.Kind != b.Kind {
			return order[a.Kind] < order[b.Kind]
		}
		return a.Name < b.Name
	})
	var rows [][]string
	for _, n := range names {
		switch n.Kind {
		case "variable":
			v, err := e.Var(n.Name)
			if err != nil {
				return &Error{Name: "InternalError", Message: err.Error()}
			}
			rows = append(rows, []string{n.Name, n.Type, summary(v)})
		case "package":
		case "constant":
			text, _ := e.TypeOf(n.Name)
			rows = append(rows, []string{n.Name, n.Kind, text})
		default:
			rows = append(rows, []string{n.Name, n.Kind, n.Type})
		}
	}
	switch {
	case len(rows) == 0 && c.Args != "":
		s.print("nothing matches %s\n", c.Args)
	case len(rows) == 0:
		s.print("nothing is defined yet\n")
	default:
		text := strings.TrimRight(columns(rows), "\n")
		s.sink.event(Event{Kind: Display,
			Data: display.Bundle{display.MIMEText: text, display.MIMEHTML: varsHTML(rows)}})
	}
	return nil
}

// varsHTML is the table of %vars for notebooks.
func varsHTML(rows [][]string) string {
	var b strings.Builder
	b.WriteString("<table><thead><tr><th style=\"text-align:left\">Name</th><th style=\"text-align:left\">Type</th><th style=\"text-align:left\">Value</th></tr></thead><tbody>\n")
	for _, r := range rows {
		b.WriteString("<tr>")
		for _, cell := range r {
			b.WriteString("<td style=\"text-align:left\"><code>" + html.EscapeString(cell) + "</code></td>")
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</tbody></table>")
	return b.String()
}

// matching are the names that one of the patterns matches; all of them without a pattern.
func matching(names []golang.Name, patterns []string) ([]golang.Name, error) {
	if len(patterns) == 0 {
		return names, nil
	}
	var r []golang.Name
	for _, n := range names {
		for _, p := range patterns {
			ok, err := path.Match(p, n.Name)
			if err != nil {
				return nil, fmt.Errorf("%s is not a pattern", p)
			}
			if ok {
				r = append(r, n)
				break
			}
		}
	}
	return r, nil
}

// summary shows a value on one line.
func summary(v any) (text string) {
	defer func() {
		if recover() != nil { // a value's own methods
			text = "(cannot be shown)"
		}
	}()
	switch v := v.(type) {
	case *tensor.Tensor:
		if v != nil {
			text := fmt.Sprintf("%v %v on %v", v.Shape(), v.DType(), v.Device())
			if v.IsFreed() {
				text += ", freed"
			}
			return text
		}
	case *tensor.Device:
		if v != nil {
			return v.String()
		}
	}
	whole := strings.TrimSpace(display.Render(v).Text())
	if n := tableSize(v, whole); n != "" {
		return n
	}
	text, rest, more := strings.Cut(whole, "\n")
	const limit = 60
	if r := []rune(text); len(r) > limit {
		text, more = string(r[:limit]), true
	}
	if more || rest != "" {
		text += " …"
	}
	return text
}

var rowsRE = regexp.MustCompile(`\n\(?(\d[\d,]* rows? × \d[\d,]* columns?)\)?$`)

// tableSize tells how large a value is that is shown as a table; "" for others.
func tableSize(v any, text string) string {
	if m := rowsRE.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	if r := reflect.ValueOf(v); strings.Contains(text, "\n") && (r.Kind() == reflect.Slice || r.Kind() == reflect.Map) {
		return fmt.Sprintf("%d rows", r.Len())
	}
	return ""
}

func size(n int64) string {
	f, units := float64(n), []string{"B", "KiB", "MiB", "GiB", "TiB"}
	i := 0
	for f >= 1024 && i < len(units)-1 {
		f, i = f/1024, i+1
	}
	if i == 0 {
		return fmt.Sprintf("%d B", n)
	}
	return fmt.Sprintf("%.1f %s", f, units[i])
}

func (c *Call) showTrace() *Error {
	s := c.session
	if err := c.noArgs(); err != nil {
		return err
	}
	s.mu.Lock()
	t := s.trace
	s.mu.Unlock()
	if t == "" {
		t = "no error has left a stack\n"
	}
	s.print("%s\n", strings.TrimRight(t, "\n"))
	return nil
}

func (c *Call) doc() *Error {
	s := c.session
	if c.Args == "" {
		return c.wrong("a name is missing")
	}
	if name, ok := strings.CutPrefix(c.Args, "%"); ok {
		return (&Call{session: s, Args: name, command: commandNames["help"], asked: c.asked, pages: c.pages,
			reply: c.reply}).help()
	}
	text, ok := s.current().Inspect(c.Args, len(c.Args), 0)
	if ok && c.asked && c.pages {
		s.page(c, s.inspect(c.Args, len(c.Args), 0).Data)
		return nil
	}
	if !ok {
		e := &Error{Name: "CommandError", Message: "nothing is known of " + c.Args}
		if _, f := s.current().TypeOf(c.Args); f != nil {
			e.Notes = slices.DeleteFunc(f.Notes, func(n string) bool { return !strings.HasPrefix(n, "did you mean ") })
		}
		return e
	}
	s.print("%s\n", printing.Document(text, printing.Columns()))
	return nil
}

func (c *Call) src() *Error {
	s := c.session
	if c.Args == "" {
		return c.wrong("a name is missing")
	}
	text, where, ok := s.current().Source(c.Args)
	if !ok {
		e := &Error{Name: "CommandError", Message: "there is no source of " + c.Args}
		if _, f := s.current().TypeOf(c.Args); f == nil {
			e.Notes = []string{"sources are kept of functions, types and constants of cells, and of packages with generic functions; %doc " + c.Args + " tells what it is"}
		}
		return e
	}
	s.page(c, display.Bundle{display.MIMEText: fmt.Sprintf("// %s\n%s", where, text)})
	return nil
}

func (c *Call) typeOf() *Error {
	s := c.session
	if c.Args == "" {
		return c.wrong("an expression is missing")
	}
	text, f := s.current().TypeOf(c.Args)
	if f != nil {
		return toError(f)
	}
	s.print("%s\n", text)
	return nil
}

func (c *Call) version() *Error {
	s := c.session
	if err := c.noArgs(); err != nil {
		return err
	}
	i := s.Info()
	v := i.Version
	if v == "" {
		v = "(unknown version)"
	}
	s.print("gorocm %s, cells are %s, built with %s for %s/%s\n", v, i.Go, runtime.Version(), runtime.GOOS,
		runtime.GOARCH)
	return nil
}
