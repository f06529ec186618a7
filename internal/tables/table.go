// Package tables writes what a session knows of a compiled package: a Go file that maps its exported names to their
// values, in the form that yaegi requires, the types of these names, and their doc comments.
package tables

import (
	"bytes"
	"fmt"
	"go/format"
	"go/types"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Table is the Go file for one package. It has no constants: cells contain their values. A generic function is there in
// its instances if its type parameter stands for one of finitely many types. Nothing else that is generic is there:
// compiled code has instances only.
type Table struct {
	pkg     *types.Package
	folder  string            // the name of the package that the file belongs to
	own     bool              // that is pkg
	imports map[string]string // import path to name
	values  bytes.Buffer
	types   bytes.Buffer
	wraps   bytes.Buffer
	code    bytes.Buffer // the wrappers' declarations
}

// ends are the functions that would end the process. The session has its own.
var ends = map[string]bool{"os.Exit": true, "log.Fatal": true, "log.Fatalf": true, "log.Fatalln": true}

// New makes the table of a package, as a file of the package folder, which has a variable Symbols.
func New(pkg *types.Package, folder string) *Table {
	return fill(&Table{pkg: pkg, folder: folder, imports: map[string]string{"reflect": "reflect"}})
}

// Own makes the table of a package as a file of that package, which adds it to the table of the program by the function
// Add of the package into.
func Own(pkg *types.Package, into string) *Table {
	return fill(&Table{pkg: pkg, folder: pkg.Name(), own: true,
		imports: map[string]string{"reflect": ownPrefix + "reflect", into: ownPrefix + "into"}})
}

// Key is the name under which a program has the table of a package.
func Key(pkg *types.Package) string { return pkg.Path() + "/" + pkg.Name() }

// ownPrefix begins the names that the file of Own has, so that no other file of the package has them.
const ownPrefix = "gorocm_table_"

func fill(t *Table) *Table {
	pkg, reflect := t.pkg, t.imports["reflect"]
	for _, name := range pkg.Scope().Names() {
		o := pkg.Scope().Lookup(name)
		if !o.Exported() || ends[pkg.Path()+"."+name] {
			continue
		}
		switch o := o.(type) {
		case *types.Func:
			for _, instance := range instances(o) {
				fmt.Fprintf(&t.values, "%q: %s.ValueOf(%s),\n", instance, reflect, t.member(instance))
			}
		case *types.Var:
			fmt.Fprintf(&t.values, "%q: %s.ValueOf(&%s).Elem(),\n", name, reflect, t.member(name))
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

func (t *Table) typeName(o *types.TypeName) {
	if p, ok := o.Type().(interface{ TypeParams() *types.TypeParamList }); ok && p.TypeParams().Len() > 0 {
		return
	}
	it, isInterface := o.Type().Underlying().(*types.Interface)
	if isInterface && !it.IsMethodSet() {
		return // a constraint
	}
	fmt.Fprintf(&t.types, "%q: %s.ValueOf((*%s)(nil)),\n", o.Name(), t.imports["reflect"], t.member(o.Name()))
	if isInterface && (!t.own || t.spellable(it)) {
		t.wrap(o.Name(), it)
	}
}

// member spells a package-level name of the package.
func (t *Table) member(name string) string {
	if t.own {
		return name
	}
	return t.qualify(t.pkg) + "." + name
}

// spellable reports whether a file of the package can spell the methods of an interface: they may mention types of
// packages that only others can import.
func (t *Table) spellable(it *types.Interface) bool {
	ok := true
	mention := func(p *types.Package) string {
		ok = ok && (p == t.pkg || Importable(p.Path(), t.pkg.Path()))
		return ""
	}
	for m := range it.Methods() {
		if m.Exported() {
			types.TypeString(m.Signature(), mention)
			ok = ok && exportedOnly(m.Signature(), t.pkg)
		}
	}
	return ok
}

// Importable reports whether a package can import another one, which may be internal.
func Importable(path, from string) bool {
	before, _, internal := strings.Cut("/"+path+"/", "/internal/")
	return !internal || strings.HasPrefix("/"+from+"/", before+"/") && strings.Count("/"+path+"/", "/internal/") == 1
}

// exportedOnly reports whether a type mentions no unexported name of another package than pkg.
func exportedOnly(s *types.Signature, pkg *types.Package) bool {
	ok := true
	var visit func(t types.Type)
	visit = func(t types.Type) {
		switch t := t.(type) {
		case interface{ Obj() *types.TypeName }:
			o := t.Obj()
			ok = ok && (o.Pkg() == nil || o.Pkg() == pkg || o.Exported())
			if n, is := t.(interface{ TypeArgs() *types.TypeList }); is {
				for a := range n.TypeArgs().Types() {
					visit(a)
				}
			}
		case *types.Map:
			visit(t.Key())
			visit(t.Elem())
		case interface{ Elem() types.Type }:
			visit(t.Elem())
		case *types.Signature:
			for v := range t.Params().Variables() {
				visit(v.Type())
			}
			for v := range t.Results().Variables() {
				visit(v.Type())
			}
		case *types.Struct, *types.Interface:
			ok = ok && types.TypeString(t, nil) != "" && !unexportedMembers(t)
		}
	}
	visit(s)
	return ok
}

// unexportedMembers reports whether a struct or interface without a name has fields or methods of one package only.
func unexportedMembers(t types.Type) bool {
	switch t := t.(type) {
	case *types.Struct:
		for f := range t.Fields() {
			if !f.Exported() {
				return true
			}
		}
	case *types.Interface:
		for m := range t.Methods() {
			if !m.Exported() {
				return true
			}
		}
	}
	return false
}

// wrap declares the struct by which yaegi lets an interpreted value be an interface: a field for each method, and
// methods that call them.
func (t *Table) wrap(name string, it *types.Interface) {
	wrapper := "_" + strings.Map(letter, t.pkg.Path()) + "_" + name
	fmt.Fprintf(&t.wraps, "%q: %s.ValueOf((*%s)(nil)),\n", "_"+name, t.imports["reflect"], wrapper)
	fmt.Fprintf(&t.code, "\n// %s is an interpreted %s.\ntype %s struct {\nIValue any\n", wrapper, name, wrapper)
	var methods bytes.Buffer
	for m := range it.Methods() {
		if !m.Exported() {
			continue
		}
		params, args, results := t.signature(m.Signature())
		fmt.Fprintf(&t.code, "W%s func(%s) %s\n", m.Name(), params, results)
		fmt.Fprintf(&methods, "\nfunc (w %s) %s(%s) %s {\n", wrapper, m.Name(), params, results)
		if m.Name() == "String" && results == "(string)" {
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

// letter is c where a name may have it, and otherwise _.
func letter(c rune) rune {
	if c == '_' || unicode.IsLetter(c) || unicode.IsDigit(c) {
		return c
	}
	return '_'
}

// signature prints the parameters of a function, the arguments that pass them on, and the results.
func (t *Table) signature(s *types.Signature) (params, args, results string) {
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
func (t *Table) qualify(p *types.Package) string {
	if t.own && p == t.pkg {
		return ""
	}
	if name, ok := t.imports[p.Path()]; ok {
		return name
	}
	name := p.Name()
	if t.own {
		name = ownPrefix + name
	}
	base := name
	for i := 2; ; i++ {
		taken := false
		for _, other := range t.imports {
			taken = taken || other == name
		}
		if !taken {
			t.imports[p.Path()] = name
			return name
		}
		name = base + strconv.Itoa(i)
	}
}

// Source is the text of the file, with a build constraint or none.
func (t *Table) Source(constraint string) ([]byte, error) {
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
	key, end := Key(t.pkg), "}\n}\n"
	if t.own {
		end = "})\n}\n"
		fmt.Fprintf(&b, ")\n\nfunc init() {\n%sinto.Add(%q, map[string]%sreflect.Value{", ownPrefix, key, ownPrefix)
	} else {
		fmt.Fprintf(&b, ")\n\nfunc init() {\nSymbols[%q] = map[string]reflect.Value{", key)
	}
	for _, part := range []struct {
		title string
		rows  *bytes.Buffer
	}{{"functions and variables", &t.values}, {"types", &t.types}, {"interfaces of interpreted values", &t.wraps}} {
		if part.rows.Len() > 0 {
			fmt.Fprintf(&b, "\n// %s\n%s", part.title, part.rows.Bytes())
		}
	}
	b.WriteString(end)
	b.Write(t.code.Bytes())
	return format.Source(b.Bytes())
}
