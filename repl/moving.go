package repl

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"time"

	"github.com/gorocm/gorocm/repl/golang"
	"github.com/gorocm/gorocm/repl/golang/included"
	"github.com/gorocm/gorocm/repl/internal/packed"
	"github.com/gorocm/gorocm/repl/internal/programs"
	"github.com/gorocm/gorocm/repl/modules"
	"github.com/gorocm/gorocm/repl/modules/compiled"
)

// A session that imports modules can go on in a program that has them compiled in (package compiled), as long as it has
// done nothing but imports: its front end starts that program, which runs the imports again and then the cell. Where
// there is no such program, it is made in the background for later sessions.

// Moved tells the program in which a session goes on where the session is in its cell.
type Moved struct {
	Program string   `json:"program"`           // "" is gorocm as it is installed
	Imports []Past   `json:"imports,omitempty"` // what earlier cells have imported
	Gets    []string `json:"gets,omitempty"`    // arguments of %get
	Done    int      `json:"done,omitempty"`    // parts of the cell that have run
	// Stay says that the session is not to move again for the imports of this cell.
	Stay bool `json:"stay,omitempty"`
	// Since is when %time has begun to measure the imports that it runs.
	Since time.Time `json:"since,omitzero"`
}

// moving is what a session knows of that.
type moving struct {
	session  *Local
	state    bool     // there is something in this process that another one would not have
	imports  []Past   // what cells have imported
	roots    []string // packages of modules among that
	gets     []string // arguments of %get
	module   string   // the key of what they have led to
	expected string   // the program that the front end was told of
	guessed  bool     // no session has noted it
	worth    bool     // they are worth a program of their own
	part     int      // of the running cell
	to       *Moved   // where the session goes on
	stays    bool
	since    time.Time // when %time has begun, here or where the session was before
	program  string    // where the session has come to
	told     bool      // that a program is built in the background
	before   string    // the key of the imports of the running cell, before it imports
}

// elsewhere reports whether the session goes on in another program, which has the packages compiled in.
func (m *moving) elsewhere(paths []string) bool {
	s := m.session
	roots := m.with(paths)
	m.before = compiled.Key(s.opt.Modules, roots)
	if !m.can() {
		return false
	}
	if m.before == included.Key {
		return false
	}
	file, _ := compiled.Lookup(compiled.Folder(s.opt.Modules), m.before, s.opt.Modules, roots)
	if file != "" && file == m.program {
		return false
	}
	if file == "" && (included.Key == "" || !slices.ContainsFunc(paths, m.lacks)) {
		return false
	}
	m.to = &Moved{Program: file, Imports: m.imports, Gets: m.gets, Done: m.part, Stay: file == "", Since: m.since}
	if file != "" {
		m.note(m.before)
	}
	return true
}

// can reports whether the session may go on in another program.
func (m *moving) can() bool {
	s := m.session
	return s.opt.Moves != nil && !m.state && !m.stays && !s.silent && s.besides.shells.Load() == 0 &&
		!s.current().Debugging().Debugger().On()
}

// note keeps for later sessions which program this one goes on in after its %get commands.
func (m *moving) note(key string) {
	for _, from := range []string{compiled.GetsKey(m.gets), m.module} {
		if from != "" && key != "" {
			_ = compiled.Alias(compiled.Folder(m.session.opt.Modules), from, key) // without it they wait longer
		}
	}
}

// got notes that %get has come to an end: sessions with other commands may have come to the same modules.
func (m *moving) got() {
	dir := m.session.opt.Modules
	if m.module = compiled.ModuleKey(dir); m.expected == "" || m.guessed {
		m.expect(m.module, modules.Versions(dir))
	}
}

// expect tells the front end of the program in which the last session went on that has noted this key. Where none has,
// it is one that has the modules of the %get commands; have are their versions, nil where they are not known yet.
func (m *moving) expect(key string, have map[string]string) {
	if !m.can() {
		return
	}
	store := compiled.Folder(m.session.opt.Modules)
	file, _ := compiled.Find(store, key)
	if m.guessed = file == ""; m.guessed {
		file = compiled.Guess(store, m.gets, have)
	}
	if file != m.expected && file != m.program {
		m.expected = file
		m.session.opt.Moves(file)
	}
}

// keepsState notes that there is something in this process that another one would not have.
func (m *moving) keepsState() {
	m.state = true
	if m.expected != "" {
		m.expected = ""
		m.session.opt.Moves("")
	}
}

// lacks reports whether this program, which has modules compiled in, has not all of a package. It would be interpreted
// above compiled packages: then all are interpreted.
func (m *moving) lacks(path string) bool {
	return !golang.Included(m.session.current(), path) || included.Refused[path]
}

func (m *moving) with(paths []string) []string {
	roots := append(slices.Clone(m.roots), paths...)
	slices.Sort(roots)
	return slices.Compact(roots)
}

// imported notes packages of modules that a cell has imported, or could not import. What it returns is told of the
// latter.
func (m *moving) imported(i golang.Imported) (note string) {
	s := m.session
	roots := m.with(i.Paths)
	if !i.Failed {
		m.roots = roots
	}
	slow := compiled.SlowImport
	if i.First {
		slow = compiled.SlowFirstImport
	}
	m.worth = m.worth || i.Took >= slow || i.Obstacles || i.Failed
	if s.opt.Moves == nil || !m.worth {
		return ""
	}
	if m.can() {
		m.note(compiled.Key(s.opt.Modules, roots))
	}
	begun, err := compiled.Start(s.opt.Modules, roots, m.before, programs.Variable)
	if err != nil || !i.Failed {
		m.tellBuild(begun, i.Paths)
		return "" // it is for later sessions
	}
	return compiled.State(s.opt.Modules, roots)
}

// tellBuild says, once in a session and not in scripts, that a program is being built in the background: it takes
// processors for some minutes.
func (m *moving) tellBuild(begun bool, paths []string) {
	if s := m.session; begun && s.asks && !s.silent && !m.told {
		m.told = true
		s.sink.event(Event{Kind: Notice, Text: fmt.Sprintf("gorocm is built with %s compiled in, in the background and for "+
			"later sessions; %%modules shows its state, GOROCM_COMPILE=0 turns it off", strings.Join(paths, ", "))})
	}
}

// ranGo notes a part of a cell that has run.
func (m *moving) ranGo(number int, code string) {
	if m.state {
		return
	}
	if !onlyImports(code) {
		m.keepsState()
		return
	}
	m.imports = append(m.imports, Past{Number: number, Code: code})
}

// onlyImports reports whether Go has nothing but imports.
func onlyImports(code string) bool {
	f, err := parser.ParseFile(token.NewFileSet(), "", "package p;"+code, parser.SkipObjectResolution)
	return err == nil && !slices.ContainsFunc(f.Decls, func(d ast.Decl) bool {
		g, ok := d.(*ast.GenDecl)
		return !ok || g.Tok != token.IMPORT
	})
}

// stateless are commands that leave nothing in the process.
var stateless = []string{"get", "modules", "help", "version"}

// ranCommand notes a command that is about to run, with the lines below it.
func (m *moving) ranCommand(name, args, body string) {
	switch {
	case m.state:
	case name == "time" && onlyImports(args+"\n"+body):
	case !slices.Contains(stateless, name):
		m.keepsState()
	case name == "get":
		m.gets = append(m.gets, strings.TrimSpace(args))
		m.expect(compiled.GetsKey(m.gets), nil)
	}
}

// resume does what the session has done elsewhere.
func (m *moving) resume(from *Moved, again func(Past) *Error) *Error {
	m.stays, m.program, m.part, m.gets = from.Stay, from.Program, 0, from.Gets
	m.since = from.Since
	for _, p := range from.Imports {
		if err := again(p); err != nil {
			return err
		}
	}
	return nil
}

// Continue makes a session that has run nothing the one that earlier workers have begun, as Options does.
func Continue(s *Local, count int, past []Past, life int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count, s.life = count, life
	s.history = packed.List[Past]{}
	for _, p := range past {
		s.history.Add(p)
	}
}
