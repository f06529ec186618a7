package golang

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gorocm/gorocm/repl/golang/check"
	"github.com/gorocm/gorocm/repl/golang/included"
	"github.com/gorocm/gorocm/repl/modules"
)

// Third-party packages are lowered as the generic packages of the standard library are: a function is printed when
// something that is printed needs it. Their variables live in slots, like those of cells, and their initialisation runs
// once, in the first cell that imports them.

// Get adds a module to the session, so that cells can import its packages: see modules.Get. The notes tell what
// imported packages stay as they are. It may be called while a cell runs.
func (e *Engine) Get(ctx context.Context, query string, progress func(line string)) (r modules.Result, notes []string,
	err error) {
	if e.scope.Modules.Dir() == "" {
		return r, nil, errors.New("this session has no folder for modules")
	}
	return e.scope.Modules.Get(ctx, query, progress)
}

// Included reports whether a package of a module is compiled into this program.
func Included(e *Engine, path string) bool { return e.scope.Library.Included(path) }

// ModuleState is the version of a package of a module that cells have imported, and whether it is compiled or
// interpreted.
func ModuleState(e *Engine, path string) (version, state string) {
	if e.scope.Library.Included(path) {
		return included.VersionOf(path), "compiled"
	}
	if p := e.scope.Modules.Package(path); p != nil && p.Version != "" {
		return p.Version, "interpreted"
	}
	return "in a folder", "interpreted"
}

// ModuleDir is the folder of the session's module, empty without one.
func (e *Engine) ModuleDir() string { return e.scope.Modules.Dir() }

// Imported is what became of the packages of modules that a cell imports.
type Imported struct {
	Paths     []string
	Took      time.Duration
	First     bool // the go command was asked for them
	Failed    bool // they cannot be interpreted
	Obstacles bool // they have functions without a body, or assembly in place of which other files are interpreted
}

// importCell loads the third-party packages that a cell imports, and initialises them.
func (e *Engine) importCell(ctx context.Context, c *check.Cell) *check.Failure {
	list := e.moduleImports(c)
	if len(list) == 0 {
		return nil
	}
	r := Imported{}
	for _, i := range list {
		r.Paths = append(r.Paths, importPath(i))
	}
	if e.opt.Elsewhere != nil && e.opt.Elsewhere(r.Paths) {
		return &check.Failure{Name: check.MovedName}
	}
	start := time.Now()
	for _, i := range list {
		path := importPath(i)
		if e.scope.Library.Included(path) {
			continue
		}
		if f := e.importPackage(ctx, path, &r); f != nil {
			if len(f.Frames) == 0 {
				f.Frames = []check.Frame{e.scope.FrameOf(i)}
			}
			if r.Failed = f.Name == "ImportError" && compilable(f.Message); r.Failed && e.opt.Imported != nil {
				if note := e.opt.Imported(r); note != "" {
					f.Notes = append(f.Notes, note)
				}
			}
			return f
		}
	}
	if r.Took = time.Since(start); e.opt.Imported != nil {
		e.opt.Imported(r)
	}
	return nil
}

// hasAssembly reports whether there is assembly in a folder.
func hasAssembly(dir string) bool {
	list, err := os.ReadDir(dir)
	assembly := func(e os.DirEntry) bool { return strings.HasSuffix(e.Name(), ".s") }
	return err == nil && slices.ContainsFunc(list, assembly)
}

// compilable reports whether what cannot be interpreted, for the reason that an error gives, may be compiled.
func compilable(message string) bool {
	return strings.Contains(message, "cannot be interpreted") && !strings.Contains(message, "(cgo)")
}

// Reload loads the packages of local modules again that cells have imported and whose files have changed since. Cells
// use the new version from now on; what was made before keeps the older one, which is told.
func (e *Engine) Reload(ctx context.Context) *check.Failure {
	e.running.Lock()
	defer e.running.Unlock()
	for _, path := range e.scope.Modules.Changed() {
		if f := e.importPackage(ctx, path, &Imported{}); f != nil {
			return f
		}
	}
	return nil
}

// moduleImports lists the imports of a cell that modules provide.
func (e *Engine) moduleImports(c *check.Cell) (list []*ast.ImportSpec) {
	if e.scope.Modules.Dir() == "" {
		return nil
	}
	for _, g := range c.Imports {
		for _, s := range g.Specs {
			i := s.(*ast.ImportSpec)
			if path := importPath(i); path != "" && (!e.scope.Library.Has(path) || e.scope.Library.Included(path)) &&
				(thirdParty(path) || e.scope.Modules.Requires(path)) {
				list = append(list, i)
			}
		}
	}
	return list
}

// importPath is the path of an import, "" for one that is not well formed.
func importPath(i *ast.ImportSpec) string {
	path, _ := strconv.Unquote(i.Path.Value) // "" beside an error
	return path
}

// thirdParty reports whether a path begins with a host, as those of modules do.
func thirdParty(path string) bool {
	host, _, _ := strings.Cut(path, "/")
	return strings.Contains(host, ".")
}

// importPackage loads a package, and notes of which kind it is.
func (e *Engine) importPackage(ctx context.Context, path string, kind *Imported) *check.Failure {
	defer collectLess()()
	pkgs, err := e.scope.Modules.Load(ctx, path)
	if err != nil {
		return importFailure(path, err)
	}
	for _, note := range modules.Notes(pkgs) {
		fmt.Fprintln(e.rt.Stderr(), note)
	}
	for _, p := range pkgs {
		kind.Obstacles = kind.Obstacles || len(p.Obstacles) > 0 || hasAssembly(p.Dir)
		kind.First = kind.First || p.Sum == ""
		if p.Again {
			fmt.Fprintf(e.rt.Stderr(), "%s has changed and is loaded again; what was made before keeps the older version\n",
				p.Path)
			e.pending = slices.DeleteFunc(e.pending, func(old *modules.Checked) bool { return old.Path == p.Path })
		}
	}
	e.adoptAll(pkgs)
	for len(e.pending) > 0 {
		if f := e.initialise(ctx, e.pending[0]); f != nil {
			return f // another import tries again
		}
		e.pending = e.pending[1:]
	}
	return nil
}

// importingGC is the least GOGC while packages are imported, and importingHeap what the heap may grow by before the
// collector runs: nearly all that this allocates stays. The memory limit holds.
const (
	importingGC   = 400
	importingHeap = 256 << 20
)

// collectLess has the collector run less often until what it returns is called. It leaves alone what a package sets.
func collectLess() (restore func()) {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	percent := max(importingGC, int(importingHeap*100/max(live[0].Value.Uint64(), 1<<20)))
	before := debug.SetGCPercent(percent)
	if before < 0 || before > percent {
		debug.SetGCPercent(before)
		return func() {}
	}
	return func() {
		if now := debug.SetGCPercent(before); now != percent {
			debug.SetGCPercent(now)
		}
	}
}

func importFailure(path string, err error) *check.Failure {
	var me *modules.Error
	switch {
	case errors.Is(err, context.Canceled):
		return &check.Failure{Name: "Interrupted", Message: "interrupted while " + path + " was loaded"}
	case errors.As(err, &me):
		return &check.Failure{Name: "ImportError", Message: me.Message, Notes: me.Notes, Trace: me.Output}
	}
	return &check.Failure{Name: "ImportError", Message: err.Error()}
}

// adoptAll makes checked packages ones that are still to be initialised.
func (e *Engine) adoptAll(pkgs []*modules.Checked) {
	e.scope.Mu.Lock()
	defer e.scope.Mu.Unlock()
	for _, p := range pkgs {
		e.state.Adopt(p)
		for _, f := range p.Syntax {
			e.rt.Traces.AddPackageFile(e.scope.Fset.Position(f.Pos()).Filename, p.Path)
		}
		e.pending = append(e.pending, p)
	}
}

// initialise runs what initialises a package's variables, and its init functions.
func (e *Engine) initialise(ctx context.Context, p *modules.Checked) *check.Failure {
	lw, f := e.state.LowerInit(p)
	if f != nil {
		return f
	}
	if lw.Run == "" {
		return nil
	}
	if f := e.rt.Run(ctx, lw.Run, lw.Mark); f != nil {
		f.Notes = append(f.Notes, "while package "+p.Path+" was initialised")
		return f
	}
	return nil
}
