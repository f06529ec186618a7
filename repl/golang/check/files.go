package check

import (
	"go/ast"
	"go/token"
	"go/types"
	"weak"
)

// cellFile is what a parse of a cell has added to Scope.Fset.
type cellFile struct {
	name string // of the cell
	file *token.File
	cell weak.Pointer[Cell] // whoever is checking or running the cell has it
}

// files are those that cells have added to Scope.Fset, oldest first. A file, and the lines of its cell, are needed as
// long as something may ask for a position in it: the newest cells, those that run, what names stand for, and code that
// can still run. What else there is goes when their number has doubled.
type files struct {
	list    []cellFile
	next    int // how long the list is when it is looked through
	holders []func(hold func(token.Pos))
}

const (
	recentFiles = 64  // that are kept whatever they are
	firstSweep  = 192 // how long the list is at first when it is looked through
)

// HoldPositions has the positions that list passes to hold stay valid. It is called while Mu is held.
func (sc *Scope) HoldPositions(list func(hold func(token.Pos))) {
	sc.files.holders = append(sc.files.holders, list)
}

// addFile notes a file of a cell, nil for a cell without one.
func (sc *Scope) addFile(c *Cell, f *ast.File) {
	x := cellFile{name: c.Name, cell: weak.Make(c)}
	if f != nil {
		x.file = sc.Fset.File(f.Package)
	}
	sc.files.list = append(sc.files.list, x)
}

// forgetFiles removes the files that nothing asks for any more, once there are many.
func (sc *Scope) forgetFiles() {
	fs := &sc.files
	if len(fs.list) < max(fs.next, firstSweep) {
		return
	}
	held := map[*token.File]bool{nil: false}
	hold := func(p token.Pos) {
		if f := sc.Fset.File(p); f != nil {
			held[f] = true
		}
	}
	sc.holdNames(hold)
	for _, list := range fs.holders {
		list(hold)
	}
	names := map[string]bool{}
	keep := fs.list[:0:0]
	for i, x := range fs.list {
		inUse := i >= len(fs.list)-recentFiles || x.cell.Value() != nil
		if inUse || held[x.file] {
			names[x.name] = true
			keep = append(keep, x)
		} else if x.file != nil {
			sc.Fset.RemoveFile(x.file)
		}
	}
	for _, x := range fs.list {
		if !names[x.name] {
			sc.Sources.forget(x.name)
		}
	}
	fs.list, fs.next = keep, 2*len(keep)
}

// holdNames holds the positions of what the session's names stand for.
func (sc *Scope) holdNames(hold func(token.Pos)) {
	seen := map[types.Type]bool{}
	for _, d := range sc.Decls {
		hold(d.Node.Pos())
	}
	for _, b := range sc.Bindings {
		if b.Decl != nil {
			hold(b.Decl.Node.Pos())
		}
		if b.Object != nil {
			hold(b.Object.Pos())
			holdTypes(b.Object.Type(), seen, hold)
		}
	}
	for _, m := range sc.Methods {
		hold(m.Object.Pos())
		if m.Decl != nil {
			hold(m.Decl.Node.Pos())
		}
	}
	for _, r := range sc.Results.List {
		holdTypes(r.Type, seen, hold)
	}
}

// holdTypes holds the positions of the session's types that t is made of.
func holdTypes(t types.Type, seen map[types.Type]bool, hold func(token.Pos)) {
	if t == nil || seen[t] {
		return
	}
	seen[t] = true
	tuple := func(list *types.Tuple) {
		for v := range list.Variables() {
			holdTypes(v.Type(), seen, hold)
		}
	}
	switch t := t.(type) {
	case *types.Alias:
		hold(t.Obj().Pos())
		holdTypes(types.Unalias(t), seen, hold)
	case *types.Named:
		for arg := range t.TypeArgs().Types() {
			holdTypes(arg, seen, hold)
		}
		if o := t.Obj(); IsSession(o) {
			hold(o.Pos())
			for m := range t.Methods() {
				hold(m.Pos())
				holdTypes(m.Type(), seen, hold)
			}
			holdTypes(t.Underlying(), seen, hold)
		}
	case *types.Map:
		holdTypes(t.Key(), seen, hold)
		holdTypes(t.Elem(), seen, hold)
	case *types.Struct:
		for f := range t.Fields() {
			hold(f.Pos())
			holdTypes(f.Type(), seen, hold)
		}
	case *types.Signature:
		tuple(t.Params())
		tuple(t.Results())
	case *types.Interface:
		for m := range t.Methods() {
			hold(m.Pos())
			holdTypes(m.Type(), seen, hold)
		}
	case interface{ Elem() types.Type }: // pointers, slices, arrays, channels
		holdTypes(t.Elem(), seen, hold)
	}
}
