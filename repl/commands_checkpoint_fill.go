package repl

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"reflect"
	"strings"

	"github.com/gorocm/gorocm/repl/golang"
	"github.com/gorocm/gorocm/repl/internal/checkpoint"
)

// filling is a checkpoint that is being filled.
type filling struct {
	e    *golang.Engine
	q    *golang.Qualifier
	h    *checkpoint.Header
	vars []golang.SessionVar
	why  map[string]string            // variables are not kept, by name
	held map[checkpoint.Held][]string // the variables with such a value in an interface
}

// fill collects what a new session can have of this one. All that the file declares is checked as one program: what
// does not compile is left out, and the variables whose values need it.
func fill(e *golang.Engine, h *checkpoint.Header) (*checkpoint.Writer, error) {
	q := golang.NewQualifier(e)
	f := &filling{e, q, h, e.Vars(q), map[string]string{}, map[checkpoint.Held][]string{}}
	w := f.collect()
	before := len(f.why)
	if err := f.check(); err != nil {
		return nil, err
	}
	if len(f.why) > before {
		w = f.collect()
	}
	for _, v := range f.vars {
		if why := f.why[v.Name]; why != "" {
			h.Lost = append(h.Lost, checkpoint.Lost{Name: v.Name, Type: v.Type, Why: why, Cell: v.Cell})
		} else {
			h.Vars = append(h.Vars, checkpoint.Variable{Name: v.Name, Type: v.Type})
		}
	}
	for _, t := range w.Boxed() {
		h.Boxed = append(h.Boxed, cmp.Or(checkpoint.Code(t), spelled(t, q)))
	}
	return w, nil
}

// collect collects the values of the variables that are kept.
func (f *filling) collect() *checkpoint.Writer {
	w := checkpoint.NewWriter()
	for _, v := range f.vars {
		if why := cmp.Or(v.Unspellable, v.Unkept); why != "" {
			f.why[v.Name] = why
		}
		if f.why[v.Name] != "" {
			continue
		}
		if err := w.Add(v.Memory); err != nil {
			f.why[v.Name] = err.Error()
			continue
		}
		for what := range w.Held() {
			f.held[what] = append(f.held[what], v.Name)
		}
	}
	return w
}

// check finds what does not compile in a new session.
func (f *filling) check() error {
	var program []string
	var fails []func(why string) // what to do where a part of the program does not compile
	add := func(text string, fail func(string)) { program, fails = append(program, text), append(fails, fail) }
	for _, v := range f.vars {
		if v.Unspellable == "" {
			add(declared(v.Name, v.Type), func(why string) {
				f.why[v.Name] = checkpoint.TypeHas + "no meaning in a new session: " + why
			})
		}
	}
	for what := range f.held {
		fail := func(why string) { f.notHeld(what, why) }
		if old := golang.Outdated(f.e, what.Value); old != "" {
			fail(old)
		} else {
			add(f.holder(what, len(program)), fail)
		}
	}
	files := len(program)
	imports, _ := golang.SplitDeclarations(f.q.Imports())
	for _, text := range imports {
		add(text, func(string) {})
	}
	own, others := golang.SplitDeclarations(f.e.Declarations())
	for _, text := range append(own, others...) {
		add(text, func(why string) { f.h.Left = append(f.h.Left, checkpoint.Left{Name: nameOf(text), Why: why}) })
	}
	failing, failure := golang.Failing(f.e, program, true)
	if failure != nil {
		return errors.New(failure.Message)
	}
	causes := map[string]string{} // of errors of packages that cells cannot import
	for i, text := range imports {
		if why := failing[files+i]; why != "" {
			causes["undefined: "+strings.Fields(text)[1]] = why
		}
	}
	for i, text := range program {
		if why := failing[i]; why != "" {
			fails[i](cmp.Or(causes[why], why))
		} else if i >= files {
			f.h.Declarations += text + "\n"
		}
	}
	return nil
}

// notHeld leaves out the variables that hold such a value.
func (f *filling) notHeld(what checkpoint.Held, why string) {
	t := strings.ReplaceAll(what.Value.String(), "main.", "")
	for _, name := range f.held[what] {
		if f.why[name] == "" {
			f.why[name] = "it holds a " + t + ": " + why
		}
	}
}

// holder declares a variable that shows whether a new session can have such a value in an interface.
func (f *filling) holder(what checkpoint.Held, n int) string {
	name, value, in := fmt.Sprint(boxPrefix, n), spelled(what.Value, f.q), what.Interface
	switch {
	case in.NumMethod() == 0 || isCompiled(in) && !token.IsExported(in.Name()): // all fits; no cell can name it
		return declared(name, value)
	case in.Name() == "":
		if text := f.q.Spelled(f.e, in); text != "" {
			return declared(name, text) + " = *new(" + value + ")"
		}
		return declared(name, value)
	}
	return declared(name, spelled(in, f.q)) + " = *new(" + value + ")"
}

// isCompiled reports whether a type has the name of a package.
func isCompiled(t reflect.Type) bool { return t.PkgPath() != "" && t.PkgPath() != "main" }

// declared is the declaration of a variable.
func declared(name, typ string) string { return "var " + name + " " + typ }

// nameOf names what a declaration declares: T.M of a method, the path of an import.
func nameOf(declaration string) string {
	f, err := parser.ParseFile(token.NewFileSet(), "", "package main\n"+declaration, parser.SkipObjectResolution)
	if err != nil || len(f.Decls) == 0 {
		return "a declaration"
	}
	fn, ok := f.Decls[0].(*ast.FuncDecl)
	if ok && fn.Recv.NumFields() > 0 {
		return strings.TrimPrefix(types.ExprString(fn.Recv.List[0].Type), "*") + "." + fn.Name.Name
	}
	if ok {
		return fn.Name.Name
	}
	var list []string
	for _, spec := range f.Decls[0].(*ast.GenDecl).Specs {
		switch spec := spec.(type) {
		case *ast.ImportSpec:
			list = append(list, "the import of "+spec.Path.Value)
		case *ast.TypeSpec:
			list = append(list, spec.Name.Name)
		case *ast.ValueSpec:
			for _, id := range spec.Names {
				list = append(list, id.Name)
			}
		}
	}
	return strings.Join(list, ", ")
}

// spelled is a type as a cell writes it.
func spelled(t reflect.Type, q *golang.Qualifier) string {
	switch {
	case isCompiled(t):
		name, _, _ := strings.Cut(t.String(), ".")
		return q.Name(t.PkgPath(), name) + "." + t.Name()
	case t.Name() != "":
		return strings.ReplaceAll(t.Name(), "main.", "")
	case t.Kind() == reflect.Pointer:
		return "*" + spelled(t.Elem(), q)
	case t.Kind() == reflect.Slice:
		return "[]" + spelled(t.Elem(), q)
	case t.Kind() == reflect.Array:
		return fmt.Sprintf("[%d]%s", t.Len(), spelled(t.Elem(), q))
	case t.Kind() == reflect.Map:
		return "map[" + spelled(t.Key(), q) + "]" + spelled(t.Elem(), q)
	}
	return strings.ReplaceAll(t.String(), "main.", "")
}
