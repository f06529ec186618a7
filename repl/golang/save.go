package golang

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Step is Go that a session has run, for Program.
type Step struct {
	Label  string // stands above its statements; "" for none
	Cell   int    // its number, by which later steps name what it shows; 0 for none
	Code   string
	Failed bool // its statements did not run to their end: only its declarations count, and those before Line
	Line   int  // of the statement that failed; 0 for none to be kept
}

// Program writes steps as a Go program: the declarations as they are after the last step, and a main function with the statements
// of all steps in their order. It checks the steps anew and runs nothing. The engine must be new, and is of no other use
// afterwards. Notes tell of steps that are left out because they do not compile without what failed, and of an error that is in the
// program all the same.
//
// A redefinition of the same type takes the place of the older one. Where the types differ, both are kept, and the older one gets
// a number. What only cells have is written out: errors that stop a cell, shown values, names that are defined again.
func (e *Engine) Program(steps []Step, about string) (text []byte, notes []string, err error) {
	e.running.Lock()
	defer e.running.Unlock()
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v: this is a bug in gorocm", r)
		}
	}()
	p := &savedProgram{
		e: e, about: about,
		versions: map[types.Object]*version{}, methods: map[types.Object]map[string]*version{}, next: map[types.Object]types.Object{},
		vars: map[types.Object]bool{}, uses: map[types.Object]int{}, read: map[types.Object]bool{}, defined: map[types.Object]bool{},
		global: map[types.Object]bool{}, kept: map[*version]bool{}, results: map[*result]types.Object{}, names: map[types.Object]string{}, taken: map[string]bool{}, imports: map[string]string{},
	}
	for i, s := range steps {
		if note := p.replay(i, s); note != "" {
			notes = append(notes, note)
		}
	}
	if len(p.steps) == 0 && len(p.order) == 0 && len(notes) > 0 {
		return nil, nil, errors.New("nothing of it compiles by itself: " + notes[0])
	}
	text = p.write()
	if err := p.verify(text); err != nil {
		notes = append(notes, "the program needs a change before it compiles: "+err.Error())
	}
	return text, notes, nil
}

// savedProgram is a program in the making.
type savedProgram struct {
	e     *Engine
	about string
	steps []*savedStep

	versions map[types.Object]*version            // declarations by every object that they declare
	methods  map[types.Object]map[string]*version // by type and name
	next     map[types.Object]types.Object        // what took an object's place
	order    []*version
	vars     map[types.Object]bool // variables of the session
	varOrder []types.Object

	uses    map[types.Object]int  // in how many steps a variable is
	read    map[types.Object]bool // variables that statements read
	global  map[types.Object]bool // variables that stand outside main
	kept    map[*version]bool
	last    []*version // what is kept, in the order in which it is written
	results map[*result]types.Object
	names   map[types.Object]string
	taken   map[string]bool   // identifiers
	imports map[string]string // path to name
	shows   bool              // package display shows something

	body    strings.Builder
	defined map[types.Object]bool // in main, by the statements written so far
	helpers [maxMust + 1]string   // functions that take an error from a call's results; the first one only checks
	errName string                // of main's variable for errors, once there is one
}

// version is one declaration as it was checked once.
type version struct {
	d    *decl
	src  string
	info *types.Info
	objs []types.Object

	method, recv types.Object // of a method: itself, and its type
}

// savedStep is a step that was checked.
type savedStep struct {
	label  string
	cell   *cell
	info   *types.Info
	slots  map[types.Object]types.Object // variables as its statements see them to those of the session
	shown  types.Object                  // what _ stands for afterwards, when this step shows a value
	keeps  bool                          // a later step reads that
	result types.Object                  // what its cell's number stands for afterwards
	reads  map[types.Object]bool         // variables
	wrap   bool                          // its statements need a function of their own
}

// replay checks a step and binds what it declares.
func (p *savedProgram) replay(i int, s Step) (note string) {
	e := p.e
	name := "step[" + strconv.Itoa(i+1) + "]"
	label := s.Label
	if label == "" {
		label = name
	}
	if strings.Contains(s.Code, "//line ") || strings.Contains(s.Code, "/*line ") { // places would be others than the text's
		return label + " is left out: it has line directives"
	}
	if s.Failed && s.Line > 0 {
		s.Code, s.Failed = beforeLine(s.Code, s.Line)
	}
	if err := p.importPackages(name, s.Code); err != nil {
		return label + " is left out: " + err.Error()
	}
	before := maps.Clone(e.scope)
	ck, lw, out := p.compile(name, s.Code)
	if out.Failure != nil {
		if s.Failed {
			return ""
		}
		return label + " is left out: " + out.Failure.Message
	}
	if !s.Failed {
		e.commitVars(ck, lw, 1<<60)
	}
	p.bind(ck, before)
	p.bindResults(ck)
	if s.Failed || ck.cell.body == nil {
		return ""
	}
	st := &savedStep{label: s.Label, cell: ck.cell, info: ck.info, slots: map[types.Object]types.Object{}, reads: map[types.Object]bool{}}
	for _, v := range ck.vars {
		st.slots[v.local] = p.final(v.slot)
		p.addVariable(p.final(v.slot))
	}
	if x, ok := lastOf(ck.cell).(*ast.ExprStmt); ok && ck.cell.shows && !ck.cell.quiet && showsValue(ck.info, x.X) {
		if b := e.scope["_"]; b != nil {
			st.shown = p.final(b.obj)
			p.addVariable(st.shown)
			p.numberResult(st, s.Cell)
		}
	}
	p.steps = append(p.steps, st)
	return ""
}

// beforeLine is code without the statements that reach a line; none is true when there are no others.
func beforeLine(src string, line int) (text string, none bool) {
	none = true
	items := split(src)
	text = string(mask(src, items, func(it item) bool {
		above := strings.Count(src[:it.end], "\n")+1 < line
		if it.kind == statement && above {
			none = false
		}
		return above || it.kind != statement
	}))
	return text, none
}

// importPackages loads the third-party packages that a step imports. Nothing of them runs.
func (p *savedProgram) importPackages(name, src string) error {
	e := p.e
	for _, i := range e.moduleImports(name, src) {
		pkgs, err := e.packages.Load(context.Background(), importPath(i))
		if err != nil {
			return err
		}
		for _, pkg := range pkgs {
			e.srcs[pkg.Path] = e.adopt(pkg)
		}
	}
	return nil
}

func (p *savedProgram) compile(name, src string) (ck *checked, lw *lowered, out Outcome) {
	defer func() {
		if r := recover(); r != nil { // as in evalCell
			out.Failure = bug(r)
		}
	}()
	return p.e.compile(name, src, true)
}

func (p *savedProgram) addVariable(v types.Object) {
	if !p.vars[v] {
		p.vars[v] = true
		p.varOrder = append(p.varOrder, v)
	}
}

// showsValue reports whether an expression at the end of a cell shows something.
func showsValue(info *types.Info, x ast.Expr) bool {
	if isOut(x) {
		x = x.(*ast.CallExpr).Args[0]
	}
	tv := info.Types[x]
	t, ok := tv.Type.(*types.Tuple)
	if !ok {
		return !tv.IsVoid() && !onlyError(info, x)
	}
	return t.Len() > 0 && !(t.Len() == 2 && isError(t.At(1).Type()) && isInt(t.At(0).Type()) && countsBytes(x))
}

// write puts the program together.
func (p *savedProgram) write() []byte {
	p.survey()
	p.keepsShown()
	p.choose()
	p.nameAll()
	p.nameMethods()
	var decls strings.Builder
	own := p.runsMain()
	if own {
		decls.WriteString(p.fileVariables())
	} else {
		for _, st := range p.steps {
			p.step(st)
		}
		decls.WriteString(p.variables())
	}
	main := p.body.String()
	for _, v := range p.last {
		decls.WriteString(p.declaration(v) + "\n\n")
	}
	if p.shows && !own {
		main = fmt.Sprintf("%s.SetPublisher(func(m %[1]s.Message) {\n%s.Println(m.Data.Text())\n})\n\n", p.use(displayPath, "display"), p.use("fmt", "fmt")) + main
	}
	var helpers strings.Builder
	for n, name := range p.helpers {
		if name != "" {
			helpers.WriteString(p.helper(n, name) + "\n")
		}
	}
	var b bytes.Buffer
	if p.about != "" {
		for _, l := range strings.Split(p.about, "\n") {
			b.WriteString(strings.TrimRight("// "+l, " ") + "\n")
		}
	}
	b.WriteString("package main\n\n")
	b.WriteString(p.importDecl())
	b.WriteString(decls.String())
	if !own {
		b.WriteString("func main() {\n" + strings.Trim(main, "\n") + "\n}\n")
	}
	b.WriteString("\n" + helpers.String())
	text, err := format.Source(b.Bytes())
	if err != nil {
		return b.Bytes() // verify tells why
	}
	return text
}

// importDecl writes the imports, other modules' in a group of their own.
func (p *savedProgram) importDecl() string {
	var specs []string
	module := false
	for _, path := range p.importOrder() {
		if thirdParty(path) && !module && len(specs) > 0 {
			specs = append(specs, "")
		}
		module = thirdParty(path)
		name := p.imports[path]
		if pkg, err := p.e.packages.Import(path); err == nil && pkg.Name() == name {
			name = ""
		}
		specs = append(specs, strings.TrimSpace(name+" "+strconv.Quote(path)))
	}
	return specGroup("import", specs)
}

// specGroup writes specs in parentheses, a single one without.
func specGroup(keyword string, specs []string) string {
	switch len(specs) {
	case 0:
		return ""
	case 1:
		return keyword + " " + specs[0] + "\n\n"
	}
	return keyword + " (\n" + strings.Join(specs, "\n") + "\n)\n\n"
}

// importOrder lists the standard library first.
func (p *savedProgram) importOrder() []string {
	paths := slices.Sorted(maps.Keys(p.imports))
	slices.SortStableFunc(paths, func(a, b string) int {
		switch {
		case thirdParty(a) == thirdParty(b):
			return 0
		case thirdParty(a):
			return 1
		}
		return -1
	})
	return paths
}

// verify checks the program as a compiler does.
func (p *savedProgram) verify(text []byte) error {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "program.go", text, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	var first error
	conf := types.Config{Importer: p.e.packages, GoVersion: goVersion, Error: func(err error) {
		if first == nil {
			first = err
		}
	}}
	_, _ = conf.Check("main", fset, []*ast.File{f}, nil)
	return first
}
