package main

import (
	"bytes"
	"fmt"
	"go/format"
	"go/types"
	"slices"
	"strconv"
	"strings"
)

// table is the Go file for one package. It has no constants: cells contain their values. A generic function is there in
// its instances if its type parameter stands for one of finitely many types. Nothing else that is generic is there:
// compiled code has instances only.
type table struct {
	pkg     *types.Package
	folder  string            // the name of the package that the file belongs to
	imports map[string]string // import path to name
	values  bytes.Buffer
	types   bytes.Buffer
	wraps   bytes.Buffer
	code    bytes.Buffer // the wrappers' declarations
}

// ends are the functions that would end the process. The session has its own.
var ends = map[string]bool{"os.Exit": true, "log.Fatal": true, "log.Fatalf": true, "log.Fatalln": true}

func newTable(pkg *types.Package, folder string) *table {
	t := &table{pkg: pkg, folder: folder, imports: map[string]string{"reflect": "reflect"}}
	for _, name := range pkg.Scope().Names() {
		o := pkg.Scope().Lookup(name)
		if !o.Exported() || ends[pkg.Path()+"."+name] {
			continue
		}
		switch o := o.(type) {
		case *types.Func:
			for _, instance := range instances(o) {
				fmt.Fprintf(&t.values, "%q: reflect.ValueOf(%s.%s),\n", instance, t.qualify(pkg), instance)
			}
		case *types.Var:
			fmt.Fprintf(&t.values, "%q: reflect.ValueOf(&%s.%s).Elem(),\n", name, t.qualify(pkg), name)
		case *types.TypeName:
			t.typeName(o)
		}
	}
	return t
}

// instances are the names of the functions that o stands for: its own, or F[int64] and so on for a generic function F
// whose one type parameter is constrained to a union of basic types.
func instances(o *types.Func) (names []string) {
	params := o.Signature().TypeParams()
	if params.Len() == 0 {
		return []string{o.Name()}
	}
	constraint := params.At(0).Constraint().Underlying().(*types.Interface)
	if params.Len() > 1 || constraint.NumEmbeddeds() != 1 {
		return nil
	}
	union, ok := constraint.EmbeddedType(0).(*types.Union)
	if !ok {
		return nil
	}
	for term := range union.Terms() {
		basic, ok := term.Type().(*types.Basic)
		if !ok || term.Tilde() {
			return nil
		}
		names = append(names, o.Name()+"["+types.Typ[basic.Kind()].Name()+"]")
	}
	return names
}

func (t *table) typeName(o *types.TypeName) {
	if p, ok := o.Type().(interface{ TypeParams() *types.TypeParamList }); ok && p.TypeParams().Len() > 0 {
		return
	}
	it, isInterface := o.Type().Underlying().(*types.Interface)
	if isInterface && !it.IsMethodSet() {
		return // a constraint
	}
	fmt.Fprintf(&t.types, "%q: reflect.ValueOf((*%s.%s)(nil)),\n", o.Name(), t.qualify(t.pkg), o.Name())
	if isInterface {
		t.wrap(o.Name(), it)
	}
}

// wrap declares the struct by which yaegi lets an interpreted value be an interface: a field for each method, and
// methods that call them.
func (t *table) wrap(name string, it *types.Interface) {
	wrapper := "_" + strings.NewReplacer("/", "_", "-", "_", ".", "_").Replace(t.pkg.Path()) + "_" + name
	fmt.Fprintf(&t.wraps, "%q: reflect.ValueOf((*%s)(nil)),\n", "_"+name, wrapper)
	fmt.Fprintf(&t.code, "\n// %s is an interpreted %s.\ntype %s struct {\nIValue any\n", wrapper, name, wrapper)
	var methods bytes.Buffer
	for m := range it.Methods() {
		if !m.Exported() {
			continue
		}
		params, args, results := t.signature(m.Signature())
		fmt.Fprintf(&t.code, "W%s func(%s) %s\n", m.Name(), params, results)
		fmt.Fprintf(&methods, "\nfunc (w %s) %s(%s) %s {\n", wrapper, m.Name(), params, results)
		if m.Name() == "String" {
			fmt.Fprintf(&methods, "if w.WString == nil {\nreturn \"\"\n}\n")
		}
		if m.Signature().Results().Len() > 0 {
			methods.WriteString("return ")
		}
		fmt.Fprintf(&methods, "w.W%s(%s)\n}\n", m.Name(), args)
	}
	t.code.WriteString("}\n")
	t.code.Write(methods.Bytes())
}

// signature prints the parameters of a function, the arguments that pass them on, and the results.
func (t *table) signature(s *types.Signature) (params, args, results string) {
	var ps, as, rs []string
	for v := range s.Params().Variables() {
		a := "a" + strconv.Itoa(len(ps))
		typ := types.TypeString(v.Type(), t.qualify)
		if s.Variadic() && len(ps) == s.Params().Len()-1 {
			ps, as = append(ps, a+" ..."+strings.TrimPrefix(typ, "[]")), append(as, a+"...")
			continue
		}
		ps, as = append(ps, a+" "+typ), append(as, a)
	}
	for v := range s.Results().Variables() {
		rs = append(rs, types.TypeString(v.Type(), t.qualify))
	}
	return strings.Join(ps, ", "), strings.Join(as, ", "), "(" + strings.Join(rs, ", ") + ")"
}

// qualify imports a package and returns its name in the file.
func (t *table) qualify(p *types.Package) string {
	if name, ok := t.imports[p.Path()]; ok {
		return name
	}
	name := p.Name()
	for i := 2; ; i++ {
		taken := false
		for _, other := range t.imports {
			taken = taken || other == name
		}
		if !taken {
			t.imports[p.Path()] = name
			return name
		}
		name = p.Name() + strconv.Itoa(i)
	}
}

func (t *table) source(constraint string) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("// Code generated by internal/gen/symbols. DO NOT EDIT.\n\n//lint:file-ignore SA1019 cells may use what is deprecated\n\n")
	if constraint != "" {
		fmt.Fprintf(&b, "//go:build %s\n\n", constraint)
	}
	fmt.Fprintf(&b, "package %s\n\nimport (\n", t.folder)
	var paths []string
	for p := range t.imports {
		paths = append(paths, p)
	}
	slices.Sort(paths)
	for _, p := range paths {
		if name := t.imports[p]; p == name || strings.HasSuffix(p, "/"+name) {
			fmt.Fprintf(&b, "%q\n", p)
		} else {
			fmt.Fprintf(&b, "%s %q\n", name, p)
		}
	}
	fmt.Fprintf(&b, ")\n\nfunc init() {\nSymbols[%q] = map[string]reflect.Value{", t.pkg.Path()+"/"+t.pkg.Name())
	for _, part := range []struct {
		title string
		rows  *bytes.Buffer
	}{{"functions and variables", &t.values}, {"types", &t.types}, {"interfaces of interpreted values", &t.wraps}} {
		if part.rows.Len() > 0 {
			fmt.Fprintf(&b, "\n// %s\n%s", part.title, part.rows.Bytes())
		}
	}
	b.WriteString("}\n}\n")
	b.Write(t.code.Bytes())
	return format.Source(b.Bytes())
}
