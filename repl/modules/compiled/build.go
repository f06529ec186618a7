package compiled

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/gorocm/gorocm/repl/golang/library"
	"github.com/gorocm/gorocm/repl/modules"
)

// Build makes the program of an entry that Start has prepared, and notes what became of it. Only one build of a user
// runs at a time.
func Build(ctx context.Context, dir, key string) error {
	background()
	store := filepath.Dir(dir)
	unlock, err := lock(filepath.Join(store, "lock"))
	if err != nil {
		return err
	}
	defer unlock()
	text, err := os.ReadFile(filepath.Join(dir, rootsFile))
	if err != nil {
		return err
	}
	roots := strings.Fields(string(text))
	if file, r := Lookup(store, key, dir, roots); file != "" || r != nil {
		return nil // another session has made it
	}
	left, _ := filepath.Glob(filepath.Join(store, "tree-*")) // of builds that were interrupted
	for _, d := range left {
		_ = os.RemoveAll(d)
	}
	trim(store)
	log := logTo(dir)
	defer log.Close()
	start := time.Now()
	r := &Result{Roots: roots}
	err = r.build(ctx, dir, key, log)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		fmt.Fprintln(log, err)
		r.Err, r.Modified = err.Error(), time.Now().UnixNano()
	}
	r.Took = time.Since(start)
	return errors.Join(err, writeResult(dir, key, r), r.share(store, key))
}

func (r *Result) build(ctx context.Context, dir, key string, log io.Writer) (err error) {
	defer func() {
		if p := recover(); p != nil { // a bug must not be met again in each session
			err = fmt.Errorf("a bug of gorocm: %v", p)
		}
	}()
	if Key(dir, r.Roots) != key {
		return errors.New("the settings of the go command have changed since the import")
	}
	t, err := newTool(ctx, dir, log)
	if err != nil {
		return err
	}
	own, err := t.source(ctx, dir)
	if err != nil {
		return err
	}
	lib, err := library.New(nil)
	if err != nil {
		return err
	}
	all, err := t.list(ctx, dir, append([]string{"-export", "-mod=readonly", "--"}, r.Roots...)...)
	if err != nil { // go.sum may lack what only files with assembly need
		if all, err = t.list(ctx, dir, append([]string{"-export", "-mod=mod", "--"}, r.Roots...)...); err != nil {
			return err
		}
	}
	has := func(path string) bool { return lib.Has(path) && strings.Contains(path, ".") }
	r.Modules = versionsOf(dir, all)
	p, err := newPlan(all, r.Roots, has)
	if err != nil {
		return err
	}
	for _, c := range p.packages {
		r.Packages = append(r.Packages, c.ImportPath)
	}
	return t.compile(ctx, dir, key, &tree{own: own, plan: p, has: has}, r)
}

// compile writes the source of the program, and builds it.
func (t *tool) compile(ctx context.Context, dir, key string, src *tree, r *Result) (err error) {
	if src.dir, err = os.MkdirTemp(filepath.Dir(dir), "tree-*"); err != nil {
		return err
	}
	if os.Getenv("GOROCM_COMPILE_KEEP") == "" {
		defer os.RemoveAll(src.dir)
	}
	goMod, err := os.ReadFile(filepath.Join(src.own.folder, "go.mod"))
	if err != nil {
		return err
	}
	if err := src.write(goMod, key); err != nil {
		return err
	}
	if err := src.own.check("has changed during the build"); err != nil {
		return err
	}
	made := filepath.Join(dir, "new-"+program())
	if _, err := t.run(ctx, src.dir, "build", "-trimpath", "-mod=vendor", "-buildvcs=false", "-tags="+t.tags,
		"-p", fmt.Sprint(max(1, runtime.NumCPU()/2)),
		"-ldflags", "-s -w "+linkerFlags(sourceFolder, sourceVersion, sourceSum),
		"-o", made, mainPackage); err != nil {
		return err
	}
	if err := os.Chmod(made, 0o755); err != nil {
		return err
	}
	return r.take(dir, made)
}

// take makes a file the program of an entry.
func (r *Result) take(dir, made string) error {
	file := filepath.Join(dir, program())
	if err := os.Rename(made, file); err != nil {
		return err
	}
	st, err := os.Stat(file)
	if err != nil {
		return err
	}
	r.Size, r.Modified = st.Size(), st.ModTime().UnixNano()
	return nil
}

// Put makes a file the program of an entry that Prepare has made. Build does so; tests have programs of their own.
func Put(dir, key, file string, roots []string) error {
	r := &Result{Roots: roots, Modules: modules.Versions(dir)}
	return errors.Join(r.take(dir, file), writeResult(dir, key, r))
}
