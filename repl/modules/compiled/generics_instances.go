package compiled

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/types"
	"maps"
	"regexp"
	"slices"
	"sort"
	"strings"

	"github.com/gorocm/gorocm/internal/tables"
	"github.com/gorocm/gorocm/repl/golang/typekey"
)

// Compiled code has instances of generic types, which the session must not make once more: they would be other types.
// All of them are found in the source: those that code which is not generic names or infers, those that these make, and
// so on. A package that can spell the type adds it to the program's table.

// use is a mention of an instance of a generic function or type, in code that may be generic itself.
type use struct {
	of   types.Object
	args *types.TypeList
}

// generic is a declaration, or a method, of a generic function or type: which instances an instance of it has.
type generic struct {
	params *types.TypeParamList
	uses   []use
}

// instance is one in compiled code. The package is one that needs all that it is made of.
type instance struct {
	of   string // "path.Name"
	args []string
	from string // the package
}

// maxInstances ends a search that finds no end.
const maxInstances = 50000

// findInstances puts the instances that compiled code has of the types of packages with source into r.instances, and
// returns the packages some of whose instances no package can spell, and why cells cannot use them then.
func (r *plan) findInstances() (why map[string]string) {
	why = map[string]string{}
	if len(r.sources) == 0 {
		return why
	}
	bodies := map[string][]generic{}
	var queue []instance
	for _, q := range r.packages {
		var used []*listed
		for _, p := range r.sources {
			if p == q || r.needs(q.ImportPath, p.ImportPath) {
				used = append(used, p)
			}
		}
		if used == nil {
			continue
		}
		s := r.check(q)
		if s != nil {
			queue = append(queue, s.mentions(q.ImportPath, bodies)...)
			continue
		}
		for _, p := range used {
			why[p.ImportPath] = "has generic types, and " + q.ImportPath + " cannot be checked from source"
		}
	}
	seen := map[string]bool{}
	for len(queue) > 0 {
		i := queue[0]
		queue = queue[1:]
		key := i.of + "[" + strings.Join(i.args, ",") + "]"
		if seen[key] || len(seen) > maxInstances {
			continue
		}
		seen[key] = true
		r.note(i, why)
		for _, g := range bodies[i.of] {
			queue = append(queue, g.made(i)...)
		}
	}
	return why
}

// needs reports whether a package imports another one, itself or through others.
func (r *plan) needs(path, other string) bool {
	if r.closure == nil {
		r.closure = map[string]map[string]bool{}
	}
	all, ok := r.closure[path]
	if !ok {
		all = map[string]bool{}
		if p := r.listed[path]; p != nil {
			for _, i := range p.Imports {
				i = cmp.Or(p.ImportMap[i], i)
				all[i] = true
				r.needs(i, "")
				maps.Copy(all, r.closure[i])
			}
		}
		r.closure[path] = all
	}
	return all[other]
}

// nameOf names an object in whichever run of the type checker.
func nameOf(o types.Object) string { return o.Pkg().Path() + "." + o.Name() }

// mentions notes what the package's generic declarations mention, and returns the instances that the rest of it does.
func (s *sourced) mentions(path string, bodies map[string][]generic) (list []instance) {
	type span struct {
		ast.Node
		of     string
		params *types.TypeParamList
		uses   []use
	}
	var spans []*span
	for o, n := range s.decls {
		if o == nil {
			continue
		}
		switch o := o.(type) {
		case *types.Func:
			if t := ownerOf(o); t != nil {
				spans = append(spans, &span{n, nameOf(t), o.Signature().RecvTypeParams(), nil})
			} else if isGeneric(o) {
				spans = append(spans, &span{n, nameOf(o), o.Signature().TypeParams(), nil})
			}
		case *types.TypeName:
			if isGeneric(o) {
				params := o.Type().(interface{ TypeParams() *types.TypeParamList }).TypeParams()
				spans = append(spans, &span{n, nameOf(o), params, nil})
			}
		}
	}
	slices.SortFunc(spans, func(a, b *span) int { return cmp.Compare(a.Pos(), b.Pos()) })
	for id, in := range s.info.Instances {
		o := s.info.Uses[id]
		if o == nil || o.Pkg() == nil || s.claims(id) {
			continue
		}
		i := sort.Search(len(spans), func(i int) bool { return spans[i].Pos() > id.Pos() }) - 1
		if i >= 0 && id.Pos() < spans[i].End() {
			spans[i].uses = append(spans[i].uses, use{o, in.TypeArgs})
			continue
		}
		list = append(list, instance{of: nameOf(o), args: keys(in.TypeArgs, nil), from: path})
	}
	for _, sp := range spans {
		bodies[sp.of] = append(bodies[sp.of], generic{sp.params, sp.uses})
	}
	return list
}

func keys(list *types.TypeList, argument func(*types.TypeParam) string) (r []string) {
	for t := range list.Types() {
		r = append(r, typekey.Of(t, argument))
	}
	return r
}

// made are the instances that an instance of a declaration has.
func (g generic) made(of instance) (list []instance) {
	argument := func(p *types.TypeParam) string {
		for i := range g.params.Len() {
			if g.params.At(i) == p && i < len(of.args) {
				return of.args[i]
			}
		}
		return typekey.Local + p.Obj().Name()
	}
	for _, u := range g.uses {
		list = append(list, instance{of: nameOf(u.of), args: keys(u.args, argument), from: of.from})
	}
	return list
}

// claims reports whether a name is part of a declaration var _ T = …, which only says that a type implements an
// interface.
func (s *sourced) claims(id *ast.Ident) bool {
	for _, f := range s.files {
		if id.Pos() < f.FileStart || id.Pos() > f.FileEnd {
			continue
		}
		for _, d := range f.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || id.Pos() < d.Pos() || id.Pos() > d.End() {
				continue
			}
			for _, spec := range g.Specs {
				v, ok := spec.(*ast.ValueSpec)
				if ok && v.Pos() <= id.Pos() && id.Pos() < v.End() {
					return len(v.Names) == 1 && v.Names[0].Name == "_" && v.Type != nil
				}
			}
		}
	}
	return false
}

// note has a package spell an instance, if it is of a type that the session makes instances of.
func (r *plan) note(i instance, why map[string]string) {
	dot := strings.LastIndexByte(i.of, '.')
	path, name := i.of[:dot], i.of[dot+1:]
	s := r.checked[path]
	if s == nil || !slices.ContainsFunc(r.sources, func(p *listed) bool { return p.ImportPath == path }) {
		return
	}
	o, ok := s.pkg.Scope().Lookup(name).(*types.TypeName)
	if !ok || !s.seen[o] || !structural(o) {
		return
	}
	key := typekey.Instance(o, i.args)
	if strings.Contains(key, typekey.Local) {
		return // nothing outside of a function can name it
	}
	for _, host := range []string{path, i.from} {
		if r.spells(host, key) && !blank(o) {
			if r.instances[host] == nil {
				r.instances[host] = map[string]types.Object{}
			}
			r.instances[host][key] = o
			return
		}
	}
	why[path] = fmt.Sprintf("has generic %s, of which compiled code has the instance %s, which no package can name", name,
		quoted.ReplaceAllString(key, "$2"))
}

// blank reports whether a type parameter has no name.
func blank(o *types.TypeName) bool {
	for p := range o.Type().(*types.Named).TypeParams().TypeParams() {
		if p.Obj().Name() == "_" {
			return true
		}
	}
	return false
}

// quoted is a name of a package in a key.
var quoted = regexp.MustCompile(`"([^" ]+)"\.((?:` + typekey.Local + `)?\w+)`)

// spells reports whether a file of a package can spell the arguments in the key of an instance, and reach the package
// of its type.
func (r *plan) spells(host, key string) bool {
	if strings.Contains(key, typekey.Private) {
		return false
	}
	for i, m := range quoted.FindAllStringSubmatch(key, -1) {
		path, name := m[1], m[2]
		if path == host {
			continue
		}
		reached := (r.needs(host, path) || path == "unsafe") && tables.Importable(path, host)
		if !reached || i > 0 && !ast.IsExported(name) {
			return false
		}
	}
	return true
}
