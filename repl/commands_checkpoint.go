package repl

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gorocm/gorocm/internal/owned"
	"github.com/gorocm/gorocm/repl/golang"
	"github.com/gorocm/gorocm/repl/internal/checkpoint"
)

// checkpointFile is the file of %checkpoint and %restore without an argument.
const checkpointFile = "gorocm.checkpoint"

// checkpoint writes the session to a file.
func (c *Call) checkpoint() *Error {
	s := c.session
	set, rest, wrong := c.options("a")
	if wrong != nil {
		return wrong
	}
	if rest == "off" {
		s.checkpoints.end()
		s.sink.event(Event{Kind: Notice, Text: "no checkpoints are written by themselves any more"})
		return nil
	}
	path := checkpointFile
	if rest != "" {
		path = expand(rest)
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return c.failed(err)
	}
	start := time.Now()
	header, finish, err := s.checkpoints.write(path)
	if err == nil {
		err = finish()
	}
	if err != nil {
		return c.failed(err)
	}
	text := fmt.Sprintf("%s: %s", path, names(header.Vars))
	if st, err := os.Stat(path); err == nil {
		text += fmt.Sprintf(", %s in %v", size(st.Size()), time.Since(start).Round(time.Millisecond))
	}
	if _, ok := set['a']; ok {
		s.checkpoints.file, s.checkpoints.last, s.checkpoints.fresh = path, time.Now(), true
		text += "; from now on it is written again after cells, at most every " + autoEvery.String()
	}
	s.print("%s\n", text)
	s.checkpoints.tellLost(header.Lost)
	return nil
}

// names lists variables.
func names(vars []checkpoint.Variable) string {
	if len(vars) == 0 {
		return "no variables"
	}
	const most = 20
	var list []string
	for _, v := range vars[:min(len(vars), most)] {
		list = append(list, v.Name)
	}
	if more := len(vars) - most; more > 0 {
		list = append(list, fmt.Sprintf("%d more", more))
	}
	return strings.Join(list, ", ")
}

func (a *checkpoints) tellLost(lost []checkpoint.Lost) {
	for _, l := range lost {
		text := fmt.Sprintf("%s (%s) is not kept: %s", l.Name, l.Type, l.Why)
		if l.Cell != "" {
			text += "; " + l.Cell + " has made it"
		}
		a.session.sink.event(Event{Kind: Notice, Name: "stderr", Text: text})
	}
}

// write writes the session to a new file. finish brings it to the disk and gives it its name; it may be
// called while cells run.
func (a *checkpoints) write(path string) (h checkpoint.Header, finish func() error, err error) {
	e := a.session.current()
	defer e.Goroutines().Hold()()
	w := checkpoint.NewWriter()
	q := golang.NewQualifier(e)
	h = checkpoint.Header{Version: a.session.opt.Version}
	for _, v := range e.Vars(q) {
		why := v.Unspellable
		if why == "" {
			if err := w.Add(v.Memory); err != nil {
				why = err.Error()
			}
		}
		if why == "" {
			h.Vars = append(h.Vars, checkpoint.Variable{Name: v.Name, Type: v.Type})
		} else {
			h.Lost = append(h.Lost, checkpoint.Lost{Name: v.Name, Type: v.Type, Why: why, Cell: v.Cell})
		}
	}
	for _, t := range w.Boxed() {
		h.Boxed = append(h.Boxed, spelled(t, q))
	}
	h.Random = a.generators()
	h.Declarations = q.Imports() + e.Declarations()
	if err := owned.Replaceable(path); err != nil {
		return h, nil, err
	}
	f, err := checkpointBeside(path)
	if err != nil {
		return h, nil, openError(err)
	}
	if err := w.Write(f, h); err != nil {
		return h, nil, errors.Join(err, f.Close(), os.Remove(f.Name()))
	}
	return h, func() error {
		defer f.Close() // another session takes it for its own from then on, unless it has its name
		if err := f.Sync(); err != nil {
			return errors.Join(err, os.Remove(f.Name()))
		}
		return os.Rename(f.Name(), path)
	}, nil
}

// checkpointBeside makes a file, for its owner only, that is to be renamed to path. It is locked while it is open.
// Files like it that nobody has open are removed: sessions have left them that were killed.
func checkpointBeside(path string) (*os.File, error) {
	folder, begin := filepath.Dir(path), "."+filepath.Base(path)+"."
	entries, _ := os.ReadDir(folder) // what is wrong with it is told below
	for _, e := range entries {
		number, ok := strings.CutPrefix(e.Name(), begin)
		if _, err := strconv.ParseUint(number, 10, 32); !ok || err != nil {
			continue
		}
		if f, err := os.OpenFile(filepath.Join(folder, e.Name()), os.O_RDWR, 0); err == nil {
			st, err := f.Stat()
			if err == nil && time.Since(st.ModTime()) > leftAfter && lock(f) == nil {
				_ = os.Remove(f.Name()) // if it cannot be removed it stays
			}
			f.Close()
		}
	}
	f, err := os.CreateTemp(folder, begin+"*")
	if err == nil {
		_ = lock(f) // on a file system without locks it counts as left after a while
	}
	return f, err
}

// leftAfter is how long nobody must have written to a file that is removed: locks come a moment after files.
const leftAfter = time.Minute

// spelled is a type as a cell writes it.
func spelled(t reflect.Type, q *golang.Qualifier) string {
	switch {
	case t.PkgPath() != "" && t.PkgPath() != "main":
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

// restore brings back what a checkpoint holds.
func (c *Call) restore() *Error {
	set, rest, wrong := c.options("f")
	if wrong != nil {
		return wrong
	}
	path := checkpointFile
	if rest != "" {
		path = expand(rest)
	}
	f, err := os.Open(path)
	if err != nil {
		return c.failed(openError(err))
	}
	defer f.Close()
	if _, force := set['f']; !force && !owned.IsOurs(f) {
		e := c.failed(fmt.Errorf("%s belongs to another user, whose functions would run in this session", path))
		e.Notes = []string{"%restore -f " + path + " takes it all the same"}
		return e
	}
	r, err := checkpoint.Open(f)
	if err != nil {
		return c.failed(fmt.Errorf("%s: %w", path, err))
	}
	if e := c.restoreFrom(r); e != nil {
		return e
	}
	c.session.checkpoints.resume(path)
	return nil
}

// boxPrefix begins the names of variables that are declared for the types of values in interfaces.
const boxPrefix = "checkpointBox"

func (c *Call) restoreFrom(r *checkpoint.Reader) *Error {
	s, h := c.session, r.Header
	var code strings.Builder
	declarations, left := mentionable(h)
	code.WriteString(declarations)
	for _, v := range h.Vars {
		fmt.Fprintf(&code, "var %s %s\n", v.Name, v.Type)
	}
	for _, l := range h.Lost { // functions may mention them
		if l.Spellable() {
			fmt.Fprintf(&code, "var %s %s\n", l.Name, l.Type)
		}
	}
	if out := s.eval(c.ctx, c.cell, code.String()); out.Failure != nil {
		e := toError(out.Failure)
		e.Frames = nil // the cell has no such line
		e.Notes = append(e.Notes, "the declarations of the checkpoint do not compile in this session: "+
			"packages that %get has brought must be there first")
		return e
	}
	var lost []checkpoint.Lost
	for _, l := range h.Lost { // a type that cannot be written is left out
		if l.Spellable() || s.current().EvalNamed(c.ctx, c.cell, "var "+l.Name+" "+l.Type).Failure == nil {
			l.Why += "; it is zero now"
		}
		lost = append(lost, l)
	}
	if failure := restoreVars(c, r); failure != nil {
		for _, v := range h.Vars { // they are zero, which they never were
			s.current().Forget(c.ctx, v.Name)
		}
		failure.Notes = append(failure.Notes, "no variable of the checkpoint is restored; its functions and types are declared")
		return failure
	}
	s.sink.event(Event{Kind: Notice, Text: "restored: " + names(h.Vars)})
	for _, n := range r.Notes {
		s.sink.event(Event{Kind: Notice, Name: "stderr", Text: n})
	}
	s.checkpoints.tellLost(lost)
	for _, name := range left {
		s.sink.event(Event{Kind: Notice, Name: "stderr",
			Text: name + " is left out: it uses what is not kept and cannot be declared"})
	}
	return nil
}

// restoreVars sets the variables of a checkpoint, which are declared.
func restoreVars(c *Call, r *checkpoint.Reader) *Error {
	s := c.session
	boxed, failure := c.boxes(r.Header.Boxed)
	if failure != nil {
		return failure
	}
	memory := map[string]reflect.Value{}
	for _, v := range s.current().Vars(golang.NewQualifier(s.current())) {
		memory[v.Name] = v.Memory
	}
	var vars []reflect.Value
	for _, v := range r.Header.Vars {
		if !memory[v.Name].IsValid() {
			return c.failed(fmt.Errorf("the variable %s could not be declared", v.Name))
		}
		vars = append(vars, memory[v.Name])
	}
	if err := r.Read(vars, boxed); err != nil {
		return c.failed(err)
	}
	return nil
}

// mentionable are the declarations of a checkpoint but for those that use a variable which cannot be declared, or
// something that was left out for that. left names them.
func mentionable(h checkpoint.Header) (text string, left []string) {
	const head = "package main\n"
	files := token.NewFileSet()
	f, err := parser.ParseFile(files, "", head+h.Declarations, 0)
	if err != nil || !slices.ContainsFunc(h.Lost, func(l checkpoint.Lost) bool { return !l.Spellable() }) {
		return h.Declarations, nil
	}
	lost := map[*ast.Ident]bool{} // uses
	for _, id := range f.Unresolved {
		lost[id] = slices.ContainsFunc(h.Lost,
			func(l checkpoint.Lost) bool { return l.Name == id.Name && !l.Spellable() })
	}
	out, gone := map[ast.Decl]bool{}, map[any]bool{} // gone: what the ast.Objects of names that are left out stand for
	for more := true; more; {
		more = false
		for _, d := range f.Decls {
			uses := false
			ast.Inspect(d, func(n ast.Node) bool {
				id, ok := n.(*ast.Ident)
				uses = uses || ok && (lost[id] || id.Obj != nil && gone[id.Obj.Decl])
				return !uses
			})
			if fn, ok := d.(*ast.FuncDecl); ok && uses && !out[d] {
				out[d], gone[fn], more = true, true, true
			}
		}
	}
	text = h.Declarations
	for i := len(f.Decls) - 1; i >= 0; i-- {
		if fn, ok := f.Decls[i].(*ast.FuncDecl); ok && out[fn] {
			from, to := files.Position(fn.Pos()).Offset-len(head), files.Position(fn.End()).Offset-len(head)
			text = text[:from] + text[to:]
			name := fn.Name.Name
			if fn.Recv.NumFields() > 0 {
				name = strings.TrimPrefix(types.ExprString(fn.Recv.List[0].Type), "*") + "." + name
			}
			left = append(left, name)
		}
	}
	slices.Reverse(left)
	return text, left
}

// boxes finds the types that are written so, by variables of them.
func (c *Call) boxes(list []string) (types []reflect.Type, failure *Error) {
	e := c.session.current()
	for i, text := range list {
		name := fmt.Sprint(boxPrefix, i)
		if out := e.EvalNamed(c.ctx, c.cell, "var "+name+" "+text); out.Failure != nil {
			return nil, c.failed(fmt.Errorf("a value in an interface has the type %s: %s", text, out.Failure.Message))
		}
		v, err := e.Var(name)
		if err != nil || v == nil {
			return nil, c.failed(fmt.Errorf("a value in an interface has the type %s, which is none", text))
		}
		types = append(types, reflect.TypeOf(v))
		e.Forget(c.ctx, name)
	}
	return types, nil
}
