package compiled

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/gorocm/gorocm/internal/tables"
)

// text is a file of the package as the session checks it: the functions that it does not instantiate have no bodies.
func (s *sourced) text(i int) []byte {
	f, text := s.files[i], bytes.Clone(s.texts[i])
	for _, d := range f.Decls {
		fd, ok := d.(*ast.FuncDecl)
		if !ok || fd.Body == nil || s.seen[s.info.Defs[fd.Name]] {
			continue
		}
		part := text[fd.Body.Pos()-f.FileStart : fd.Body.End()-f.FileStart]
		for i, c := range part {
			if c != '\n' {
				part[i] = ' '
			}
		}
	}
	return text
}

// hiddenFile is the file more of a package that has the names of tables.
const hiddenFile = "gorocm_hidden.go"

// hiddenSource is a file of a package that adds to the table of the program what its generic functions use that is not
// exported, and the instances that it spells; nil where there is neither.
func (r *plan) hiddenSource(p *listed) []byte {
	w := spelling{own: p.ImportPath, imports: map[string]string{}}
	var names, added, funcs []string
	if s := r.checked[p.ImportPath]; slices.Contains(r.sources, p) {
		names = s.hiddenNames()
		for o := range r.instantiated(p.ImportPath) {
			funcs = append(funcs, s.instanceFunc(o, w))
		}
		slices.Sort(funcs)
	}
	for _, key := range slices.Sorted(maps.Keys(r.instances[p.ImportPath])) {
		t, name := w.spell(key), r.instances[p.ImportPath][key].Name()
		at := strings.Index(t, name+"[")
		added = append(added, fmt.Sprintf("%s%s%s()(%q)\n", t[:at], instancePrefix, t[at:], key))
	}
	if len(names)+len(added)+len(funcs) == 0 {
		return nil
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "//go:build go1.21\n\npackage %s\n\nimport (\n", r.types[p.ImportPath].Name())
	fmt.Fprintf(&b, "gorocm_hidden_into %q\ngorocm_hidden_reflect \"reflect\"\n", intoPath)
	for _, path := range slices.Sorted(maps.Keys(w.imports)) {
		fmt.Fprintf(&b, "%s %q\n", w.imports[path], path)
	}
	fmt.Fprintf(&b, ")\n\nfunc init() {\ngorocm_hidden_into.Add(%q, map[string]gorocm_hidden_reflect.Value{\n%s})\n%s}\n%s",
		tables.Key(r.types[p.ImportPath]), strings.Join(names, ""), strings.Join(added, ""), strings.Join(funcs, ""))
	return b.Bytes()
}

// instantiated are the generic types of a package that compiled code has instances of.
func (r *plan) instantiated(path string) map[types.Object]bool {
	all := map[types.Object]bool{}
	for _, keys := range r.instances {
		for _, o := range keys {
			if o.Pkg().Path() == path {
				all[o] = true
			}
		}
	}
	return all
}

// instancePrefix begins the names of the functions that add an instance of a type: a package that can name the
// arguments calls them, though the type and its methods may not be exported.
const instancePrefix = "Gorocm_hidden_"

// instanceFunc is the function for a generic type.
func (s *sourced) instanceFunc(o types.Object, w spelling) string {
	spec := s.decls[o].(*ast.TypeSpec)
	at := spec.Pos()
	i := slices.IndexFunc(s.files, func(f *ast.File) bool { return f.FileStart <= at && at < f.FileEnd })
	f := s.files[i]
	var params bytes.Buffer
	last := spec.TypeParams.Pos()
	ast.Inspect(spec.TypeParams, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if p, ok := s.info.Uses[id].(*types.PkgName); ok {
				params.Write(s.texts[i][last-f.FileStart : id.Pos()-f.FileStart])
				params.WriteString(w.imported(p.Imported().Path()))
				last = id.End()
			}
		}
		return true
	})
	params.Write(s.texts[i][last-f.FileStart : spec.TypeParams.End()-f.FileStart])
	var args []string
	for p := range o.Type().(*types.Named).TypeParams().TypeParams() {
		args = append(args, p.Obj().Name())
	}
	instance := o.Name() + "[" + strings.Join(args, ", ") + "]"
	var b bytes.Buffer
	fmt.Fprintf(&b, "\nfunc %s%s%s() func(string) {\n", instancePrefix, o.Name(), params.String())
	fmt.Fprintf(&b, "return gorocm_hidden_into.Instance(%q, (*%s)(nil), map[string]gorocm_hidden_reflect.Value{\n",
		tables.Key(s.pkg), instance)
	for m := range o.Type().(*types.Named).Methods() {
		if !m.Exported() && m.Name() != "_" {
			fmt.Fprintf(&b, "%q: gorocm_hidden_reflect.ValueOf(%s.%s),\n", m.Name(), receiver(m, instance), m.Name())
		}
	}
	b.WriteString("})\n}\n")
	return b.String()
}

// hiddenNames are the entries of a table for what is not exported: functions and variables by their names, types as
// pointers, and methods, as functions of their receivers, by the names of their types and their own.
func (s *sourced) hiddenNames() (list []string) {
	const reflect = "gorocm_hidden_reflect.ValueOf"
	for o := range s.hidden {
		switch o := o.(type) {
		case *types.Var:
			list = append(list, fmt.Sprintf("%q: %s(&%s).Elem(),\n", o.Name(), reflect, o.Name()))
		case *types.TypeName:
			if i, ok := o.Type().Underlying().(*types.Interface); !ok || i.IsMethodSet() {
				list = append(list, fmt.Sprintf("%q: %s((*%s)(nil)),\n", o.Name(), reflect, o.Name()))
			}
		case *types.Func:
			recv := o.Signature().Recv()
			if recv == nil {
				list = append(list, fmt.Sprintf("%q: %s(%s),\n", o.Name(), reflect, o.Name()))
				continue
			}
			n := types.Unalias(pointed(recv.Type())).(*types.Named)
			if n.Obj().Parent() != s.pkg.Scope() {
				continue
			}
			list = append(list, fmt.Sprintf("%q: %s(%s.%s),\n", n.Obj().Name()+"."+o.Name(), reflect,
				receiver(o, n.Obj().Name()), o.Name()))
		}
	}
	slices.Sort(list)
	return list
}

// receiver is the type of a method's receiver as a method expression has it.
func receiver(m *types.Func, of string) string {
	if _, ok := types.Unalias(m.Signature().Recv().Type()).(*types.Pointer); ok {
		return "(*" + of + ")"
	}
	return of
}

// spelling spells keys of types in a file of a package, and notes the packages that they need.
type spelling struct {
	own     string
	imports map[string]string
}

func (w spelling) spell(key string) string {
	return quoted.ReplaceAllStringFunc(key, func(name string) string {
		m := quoted.FindStringSubmatch(name)
		if m[1] == w.own {
			return m[2]
		}
		return w.imported(m[1]) + "." + m[2]
	})
}

// imported is the name of a package in the file.
func (w spelling) imported(path string) string {
	if w.imports[path] == "" {
		w.imports[path] = fmt.Sprint("gorocm_hidden_", len(w.imports))
	}
	return w.imports[path]
}
