package golang

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"regexp"
	"sort"
	"strconv"
	"strings"
)

// panicFailure makes a failure of a panic's value.
func (e *Engine) panicFailure(v any, stack string) *Failure {
	f := &Failure{Name: "Panic", Trace: stack}
	var lines []string
	if t, ok := thrown(v); ok {
		lines, f.Trace = t.lines, t.trace
	}
	v = plain(v)
	switch v := v.(type) {
	case exited:
		return &Failure{Name: "Exit", Message: strconv.Itoa(v.code)}
	case interrupted:
		f.Name, f.Message = "Interrupted", "interrupted"
	case failed:
		f.Name, f.Message = "Error", v.err.Error()
		e.describe(f, v.err)
	case error:
		f.Message = v.Error()
		if t := runtimeText(f.Message); t != f.Message || isRuntime(v) {
			f.Name, f.Message = "RuntimeError", t
		} else if !e.describe(f, v) {
			f.Message = v.Error()
		}
	case string:
		f.Message = v
		if t := runtimeText(v); t != v {
			f.Name, f.Message = "RuntimeError", t
		}
	case fmt.Stringer:
		f.Message = v.String()
	default:
		f.Message = panicText(v)
	}
	f.Frames = e.frames(append(lines, e.panicLines(stack)...))
	if len(f.Frames) > 0 {
		e.pointAtCall(&f.Frames[0], f.Trace)
	}
	return f
}

// panicText spells a panic's value that is neither text nor an error, with its type.
func panicText(v any) string {
	r := reflect.ValueOf(v)
	switch k := r.Kind(); {
	case k == reflect.Invalid:
		return "nil"
	case k <= reflect.Complex128 || k == reflect.String:
		if r.Type().PkgPath() == "" {
			return fmt.Sprintf("%v (%T)", v, v)
		}
		if k == reflect.String {
			return fmt.Sprintf("%T(%q)", v, r.String())
		}
		return fmt.Sprintf("%T(%v)", v, v)
	case k == reflect.Func || k == reflect.Chan || k == reflect.UnsafePointer:
		return fmt.Sprintf("%v (%T)", v, v)
	}
	return fmt.Sprintf("%#v", v)
}

// describe lets the owner of the engine name an error, and reports whether it did.
func (e *Engine) describe(f *Failure, err error) bool {
	if e.opt.Describe == nil {
		return false
	}
	name, message, notes, ok := e.opt.Describe(err)
	if ok {
		f.Name, f.Message, f.Notes = name, message, notes
	}
	return ok
}

func isRuntime(err error) bool {
	r, ok := err.(interface{ RuntimeError() })
	return ok && r != nil
}

// reflectTexts are what package reflect says where compiled code would have had a runtime error.
var reflectTexts = []struct{ has, text string }{
	{"slice index out of range", "index out of range"},
	{"array index out of range", "index out of range"},
	{"string index out of range", "index out of range"},
	{"slice index out of bounds", "slice bounds out of range"},
	{"using zero Value argument", "invalid memory address or nil pointer dereference"},
	{"call of nil function", "invalid memory address or nil pointer dereference"},
	{"Method on nil interface value", "invalid memory address or nil pointer dereference"},
	{"len > cap", "makeslice: cap out of range"},
	{"negative buffer size", "makechan: size out of range"},
	{"negative len", "makeslice: len out of range"},
	{"negative cap", "makeslice: cap out of range"},
	{"on zero Value", "invalid memory address or nil pointer dereference"},
	{"value obtained using unexported field", "invalid use of an unexported field"},
}

func runtimeText(s string) string {
	s = strings.TrimPrefix(s, "runtime error: ")
	if m := conversionRE.FindStringSubmatch(s); m != nil {
		return m[1] // without yaegi's own position
	}
	if m := arrayRE.FindStringSubmatch(s); m != nil {
		return "cannot convert slice with length " + m[1] + " to array or pointer to array with length " + m[2]
	}
	if strings.HasPrefix(s, "reflect") {
		for _, t := range reflectTexts {
			if strings.Contains(s, t.has) {
				return t.text
			}
		}
	}
	return s
}

// chunk is a piece of lowered code that yaegi was given. Every chunk has lines of its own: the numbers go on from chunk to
// chunk, because yaegi names the place of a panic by the position of the function's first statement.
type chunk struct {
	first, last int
	funcs       []located
}

// located is where the first statement of a function stands, and the mark of the function.
type located struct {
	from, to spot
	mark     *mark
}

type spot struct{ line, col int }

func (p spot) before(q spot) bool { return p.line < q.line || p.line == q.line && p.col < q.col }

// locate notes where the functions of a chunk begin.
func (e *Engine) locate(code string, first int, marks []*mark) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", "package main;"+code, parser.SkipObjectResolution)
	if err != nil {
		return // yaegi has taken it; frames will be missing
	}
	by := map[string]*mark{}
	for _, m := range marks {
		by[m.symbol] = m
	}
	c := chunk{first: first, last: first + strings.Count(code, "\n")}
	at := func(p token.Pos) spot {
		q := fset.Position(p)
		if q.Line == 1 {
			q.Column -= len("package main;")
		}
		return spot{q.Line - 1 + first, q.Column}
	}
	names := functionNames{}
	ast.Inspect(f, func(n ast.Node) bool {
		var body *ast.BlockStmt
		switch n := n.(type) {
		case *ast.FuncDecl:
			body = n.Body
			names.decl = n
		case *ast.FuncLit:
			body = n.Body
		}
		if body == nil || len(body.List) == 0 {
			return true
		}
		if m := firstMark(body, by); m != nil {
			if e.sources[m.cell] != nil {
				names.name(m)
			}
			c.funcs = append(c.funcs, located{at(body.Lbrace), at(body.List[0].End()), m})
		}
		return true
	})
	e.chunks = append(e.chunks, c)
}

// functionNames give the marks of lowered functions the names that Go has for them: (*T).M, Map[...], f.func1, f.func1.2.
type functionNames struct {
	decl   *ast.FuncDecl     // being visited
	lasts  map[string]string // the last name by what lowering has called it
	counts map[string]int    // of the literals in a function
	named  map[*mark]bool
}

func (n *functionNames) name(m *mark) {
	if m.fn == "" || n.named[m] {
		return
	}
	if n.named == nil {
		n.lasts, n.counts, n.named = map[string]string{}, map[string]int{}, map[*mark]bool{}
	}
	n.named[m] = true
	raw := m.fn
	outer, isLit := strings.CutSuffix(raw, ".func")
	parent, known := n.lasts[outer]
	switch {
	case raw == "func literal" || strings.HasPrefix(raw, "func literal."):
		m.fn = "func literal"
	case isLit && known:
		n.counts[parent]++
		count := strconv.Itoa(n.counts[parent])
		if strings.HasSuffix(outer, ".func") {
			m.fn = parent + "." + count
		} else {
			m.fn = parent + ".func" + count
		}
	case !isLit:
		m.fn = declaredName(raw, n.decl)
	}
	n.lasts[raw] = m.fn
}

// declaredName is Go's name of a function or method that lowering has printed as d.
func declaredName(raw string, d *ast.FuncDecl) string {
	recv, method, isMethod := strings.Cut(raw, ".")
	if !isMethod {
		if strings.Count(d.Name.Name, tick) > 1 {
			return raw + "[...]"
		}
		return raw
	}
	if !strings.HasPrefix(d.Name.Name, recv+tick+method) && strings.HasPrefix(d.Name.Name, method+tick) {
		recv += "[...]"
	}
	if ps := d.Type.Params.List; len(ps) > 0 {
		if _, isPtr := ps[0].Type.(*ast.StarExpr); isPtr {
			recv = "(*" + recv + ")"
		}
	}
	return recv + "." + method
}

// firstMark finds the first mark that is set in a function's body, its literals last.
func firstMark(body *ast.BlockStmt, by map[string]*mark) *mark {
	var own, inner *mark
	depth := 0
	var visit func(ast.Node) bool
	visit = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			depth++
			ast.Inspect(n.Body, visit)
			depth--
			return false
		case *ast.StarExpr:
			if s, ok := n.X.(*ast.SelectorExpr); ok {
				if x, ok := s.X.(*ast.Ident); ok && x.Name == cellPkg {
					if m := by[cellPkg+"."+s.Sel.Name]; m != nil && depth == 0 && own == nil {
						own = m
					} else if m != nil && inner == nil {
						inner = m
					}
				}
			}
		}
		return own == nil
	}
	ast.Inspect(body, visit)
	if own != nil {
		return own
	}
	return inner
}

// find returns the mark of the function whose first statement is at a place that yaegi gave: the innermost one.
func (e *Engine) find(line, col int) *mark {
	i := sort.Search(len(e.chunks), func(i int) bool { return e.chunks[i].last >= line })
	if i == len(e.chunks) {
		return nil
	}
	var r *located
	p := spot{line, col}
	for k := range e.chunks[i].funcs {
		f := &e.chunks[i].funcs[k]
		if !p.before(f.from) && !f.to.before(p) && (r == nil || r.from.before(f.from)) {
			r = f
		}
	}
	if r == nil {
		return nil
	}
	return r.mark
}

func (m *mark) at() (line, col int) { return *m.value / markColumns, *m.value % markColumns }

// where is the place of the last statement that the cell began.
func (e *Engine) where(lw *lowered) []Frame {
	for _, m := range lw.marks {
		if m.fn == "" {
			return []Frame{e.markFrame(m)}
		}
	}
	return nil
}

func (e *Engine) markFrame(m *mark) Frame {
	line, col := m.at()
	return e.frame(position(m.cell, line, col), m.fn)
}

// maxFrames is how many frames of a failure are told.
const maxFrames = 12

// panicLines takes what yaegi has told of a panic that has this stack: the place of each function that it unwound.
func (e *Engine) panicLines(stack string) []string {
	lines := e.yerr.take()
	// A panic that was recovered earlier in the cell has left lines too: the Go stack knows how many belong to this one.
	last := stack
	if i := strings.LastIndex(stack, "\npanic("); i >= 0 {
		last = stack[i:]
	}
	depth := strings.Count(last, "/interp.runCfg(")
	if strings.Contains(stack, "frames elided") {
		depth = len(lines)
	}
	if depth < len(lines) {
		lines = lines[len(lines)-depth:]
	}
	return lines
}

// frames tells where a panic came from.
func (e *Engine) frames(lines []string) []Frame {
	var fs []Frame
	for _, s := range lines {
		m := panicRE.FindStringSubmatch(s)
		if m == nil {
			continue
		}
		line, _ := strconv.Atoi(m[1])
		col, _ := strconv.Atoi(m[2])
		if mk := e.find(line, col); mk != nil {
			f := e.markFrame(mk)
			if n := len(fs); f.Line == 0 || n > 0 && fs[n-1] == f {
				continue
			}
			if fs = append(fs, f); len(fs) == maxFrames {
				break
			}
		}
	}
	return fs
}

var arrayRE = regexp.MustCompile(`^reflect: cannot convert slice with length (\d+) to (?:pointer to )?array with length (\d+)$`)

var conversionRE = regexp.MustCompile(`^(?:\d+:\d+: )?(interface conversion: .*)$`)

// compiledRE finds the compiled function that a cell has called, also through one of the session's own that stands in for it.
var compiledRE = regexp.MustCompile(`\n(\S+)\(.*\)\n\t[^\n]*\n(?:github\.com/gorocm/gorocm/repl/golang\.[^\n]*\n\t[^\n]*\n)?reflect\.Value\.call\(`)

// pointAtCall moves the caret to the compiled call that panicked: the Go stack names it, and the line of the cell has it.
func (e *Engine) pointAtCall(f *Frame, stack string) {
	if i := strings.LastIndex(stack, "\npanic("); i >= 0 {
		stack = stack[i:]
	}
	m := compiledRE.FindStringSubmatch(stack)
	if m == nil || f.Source == "" {
		return
	}
	name := m[1][strings.LastIndexByte(m[1], '.')+1:]
	if !ast.IsExported(name) {
		return
	}
	lines := e.sources[f.Cell]
	for line, from := f.Line, max(f.Column-1, 0); line <= len(lines) && line < f.Line+callLines; line, from = line+1, 0 {
		src := lines[line-1]
		if from > len(src) {
			continue
		}
		if i := strings.Index(src[from:], name+"("); i >= 0 && (from+i == 0 || !isIdentByte(src[from+i-1])) {
			f.Line, f.Column, f.Source = line, from+i+1, src
			return
		}
	}
}

// callLines is how many lines of a statement are searched for the call that failed.
const callLines = 20

var panicRE = regexp.MustCompile(`^(\d+):(\d+): panic: `)
