package lower

import (
	"go/types"
	"slices"
	"strconv"
	"strings"

	"github.com/gorocm/gorocm/repl/golang/check"
	"github.com/gorocm/gorocm/repl/golang/rtype"
	"github.com/gorocm/gorocm/repl/golang/run"
)

// maxOlder is how many versions of a function are told directly of a new one. Their callers stay fast, and a function
// that is defined very often costs no more for it.
const maxOlder = 16

// CommitDecls binds what the cell declares; it has compiled.
func (st *State) CommitDecls(ck *check.Checked) {
	for name, p := range ck.Imports {
		if b := st.scope.Bindings[name]; b == nil || b.Object != nil || b.Path != p {
			st.Release(b)
			st.scope.Bindings[name] = &check.Binding{Name: name, Path: p, Cell: ck.Cell.Name}
		}
	}
	for _, p := range ck.Dots {
		_ = st.scope.DotImport(p) // the checker has imported it
	}
	st.scope.ReplaceDecls(ck)
	for _, d := range ck.Decls {
		if d.Receiver != "" {
			continue
		}
		for _, n := range d.Names {
			obj := ck.Objs[n]
			if obj == nil {
				continue
			}
			if f, ok := obj.(*types.Func); ok && f.Signature().TypeParams().Len() == 0 {
				if old := st.succeed(f, n); old != "" {
					defer st.rt.Forget(old) // nothing mentions it any more; what has called it goes on doing so
				}
			}
			if b := st.scope.Bindings[n]; b != nil && b.Object != nil && check.SameUse(b.Object, obj) {
				st.scope.ReplaceUses(b.Object, obj)
			} else if b != nil && b.Object != obj {
				st.forgetInstances(b.Object)
			}
			st.Release(st.scope.Bindings[n])
			st.scope.Bindings[n] = &check.Binding{Name: n, Object: obj, Decl: d, Cell: d.Cell}
		}
	}
	st.commitRetyped(ck)
	for _, f := range ck.Funcs {
		if len(f.TypeParams) > 0 {
			st.generics[f.Object] = f
		}
		if f.Receiver != "" {
			st.scope.Methods[f.Names[0]] = &check.Method{Object: f.Object, SignatureText: check.SignatureText(f.Node),
				Decl: f.Decl}
			if len(f.TypeParams) == 0 {
				older := st.older[f.Object] // of the same type, defined again as it was
				if len(older) > 0 {
					defer st.rt.Forget(older[len(older)-1])
				}
				st.older[f.Object] = append(st.recent(older), st.names[f.Object])
			}
		}
	}
}

// commitRetyped binds variables with their newer types.
func (st *State) commitRetyped(ck *check.Checked) {
	for n, r := range ck.Retyped {
		if b := st.scope.Bindings[n]; b == nil || b.Object != r.Old {
			continue
		}
		st.scope.Bindings[n].Object = r.New
		if old, s := st.Slots.Of(r.Old), st.Slots.Of(r.New); s != old {
			s.Ptr.Elem().Set(rtype.Retype(old.Ptr.Elem(), s.Ptr.Type().Elem()))
			if !old.Shared {
				old.Ptr.Elem().SetZero()
			}
		}
		st.scope.ReplaceUses(r.Old, r.New)
	}
}

// succeed has a function take over the older versions of the one that its name stands for. It returns what that one is
// called in lowered code, "" where there is none of the same type.
func (st *State) succeed(f *types.Func, name string) (old string) {
	var versions []string
	if b := st.scope.Bindings[name]; b != nil {
		if before, ok := b.Object.(*types.Func); ok && before != f && check.SameUse(before, f) {
			versions, old = st.older[before], st.names[before]
			delete(st.older, before)
			delete(st.names, before)
		}
	}
	st.older[f] = append(st.recent(versions), st.names[f])
	return old
}

// forgetInstances removes what has been lowered of a generic function that its name no longer stands for. What calls an
// instance goes on doing so; what mentions the function, such as another generic one, has it lowered again.
func (st *State) forgetInstances(o types.Object) {
	f, ok := o.(*types.Func)
	if !ok || f.Signature().TypeParams().Len() == 0 {
		return
	}
	prefix := "instance:" + st.Types.ObjectKey(f) + "["
	var names []string
	for key, n := range st.helpers {
		if strings.HasPrefix(key, prefix) {
			delete(st.helpers, key)
			names = append(names, n)
		}
	}
	st.rt.Forget(names...)
	if st.scope.Used(f) {
		return
	}
	delete(st.generics, f)
	st.Types.Forget(f)
}

// recent shortens a list of older versions: all of them call the last one, which goes on from there.
func (st *State) recent(names []string) []string {
	if len(names) > maxOlder {
		for _, n := range names[:len(names)-1] {
			st.rt.DropRedirect(n)
		}
		return names[len(names)-1:]
	}
	return names
}

// share notes the variables that something may use when their names stand for something else: functions mention them,
// closures do, or something has their address.
func (u *unit) share(ck *check.Checked) {
	for v := range u.escapes {
		if s := u.slotOf(v); s != nil {
			s.Shared = true
		}
	}
	for _, used := range ck.Uses {
		for o := range used {
			if s := u.slotOf(o); s != nil {
				s.Shared = true
			}
		}
	}
}

// Release lets go of a variable that a name no longer stands for. While other cells run, which may use it, that waits
// until they have ended.
func (st *State) Release(b *check.Binding) {
	if b == nil {
		return
	}
	if v, ok := b.Object.(*types.Var); ok && st.Slots.Of(v) != nil {
		st.unreleased = append(st.unreleased, v)
	}
	if st.cells <= 1 {
		st.release()
	}
}

// release zeroes the variables that were to be released, so that their values become collectable. A shared one keeps
// its value for as long as something has it: what was lowered has the variable itself, and what may still be lowered is
// among the declarations.
func (st *State) release() {
	used := st.unreleased[:0]
	for _, v := range st.unreleased {
		switch s := st.Slots.Of(v); {
		case s == nil:
		case !s.Shared:
			s.Ptr.Elem().SetZero()
		case st.scope.Used(st.Slots.objects(s)...):
			used = append(used, v)
		default:
			st.Slots.Delete(st.Slots.objects(s)...)
		}
	}
	clear(st.unreleased[len(used):])
	st.unreleased = used
}

// Enter notes a cell that is about to be checked and run. Scope.Mu is held.
func (st *State) Enter() { st.cells++ }

// Leave notes that such a cell has ended. Scope.Mu is held.
func (st *State) Leave() {
	if st.cells--; st.cells == 0 {
		st.release()
	}
	run.Withdraw(st.rt, st.Slots.gone.take())
}

// Follow gives the variables that follow their types a slot: the one that they have, when interpreted code has the same
// type for both. It returns a note for each variable that cannot follow.
func (st *State) Follow(ck *check.Checked) []string {
	for _, r := range ck.Retyped {
		old := st.Slots.Of(r.Old)
		if old == nil {
			continue
		}
		st.Slots.Set(r.New, old)
		if st.scope.Inner(r.New.Type()) != st.scope.Inner(r.Old.Type()) {
			st.Slots.Set(r.New, st.NewSlot(r.New.Type()))
		}
	}
	newer := st.scope.Newer(ck)
	if len(newer) == 0 {
		return nil
	}
	declared := map[string]bool{}
	for _, v := range ck.Vars {
		declared[v.Name] = true
	}
	var notes []string
	for n, b := range st.scope.Bindings {
		v, ok := b.Object.(*types.Var)
		if _, follows := ck.Retyped[n]; !ok || follows || n == "_" || declared[n] || ck.Objs[n] != nil {
			continue
		}
		for _, tn := range check.TypeNames(v.Type()) {
			if _, again := newer[tn]; again {
				cell := st.scope.Fset.Position(tn.Pos()).Filename
				notes = append(notes, n+" keeps the older "+tn.Name()+" ("+cell+")")
				break
			}
		}
	}
	slices.Sort(notes)
	return notes
}

// Load gives yaegi the lowered declarations, and binds methods.
func (st *State) Load(c *Code) *check.Failure {
	u := c.unit
	if u.failure != nil {
		return u.failure
	}
	for p := range u.imports {
		if _, ok := st.Imported[p]; !ok {
			a := u.aliases[p]
			if _, err := st.rt.Declare("import " + a + " " + strconv.Quote(p)); err != nil {
				return st.rt.Unsupported(err, "import "+p)
			}
			st.Imported[p] = a
		}
	}
	if c.code == "" {
		return check.Changing(st.scope)
	}
	file, err := st.rt.Declare(c.code)
	if err != nil {
		return st.rt.Unsupported(err, c.code)
	}
	if f := check.Changing(st.scope); f != nil { // machine code is called as soon as it is there
		return f
	}
	if f := st.compile(u.plan); f != nil {
		return f
	}
	st.compileInstances(u)
	st.rt.Debugger.Bind()
	st.rt.GuardFunctions()
	st.rt.Forget(u.plan.loopNames()...) // the cell has been compiled, and nothing else calls them
	run.Locate(st.rt, file, u.out.Trees)
	for _, i := range u.late {
		if err := st.rt.Later(i.name, func() (string, *check.Failure) { return st.lowerDeclared(i) }); err != nil {
			return st.rt.Unsupported(err, c.code)
		}
		st.declared[i.name] = i
	}
	for o, n := range u.names {
		st.names[o] = n
	}
	for o, s := range u.slots {
		st.Slots.Set(o, s)
	}
	for k, n := range u.helpers {
		st.helpers[k] = n
	}
	for k := range u.reached {
		st.printed[k] = true
	}
	elementCompiler{st}.compile(u)
	if c.first != "" {
		return st.rt.CallPlain(c.first)
	}
	return nil
}

// alias is the name of a package inside yaegi, which no variable of a cell can hide, and which no other package has,
// those of more included.
func (st *State) alias(importPath, name string, more map[string]string) string {
	if a, ok := st.Imported[importPath]; ok {
		return a
	}
	taken := func(a string) bool {
		for _, names := range []map[string]string{st.Imported, more} {
			for other, n := range names {
				if n == a && other != importPath {
					return true
				}
			}
		}
		return false
	}
	a := name + run.Tick
	for i := 0; taken(a); i++ {
		a = strings.NewReplacer("/", "_", ".", "_", "-", "_").Replace(importPath) + run.Tick
		if i > 0 { // a path of one element is the name
			a += strconv.Itoa(i)
		}
	}
	return a
}
