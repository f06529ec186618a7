package modules

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"go/version"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/semver"
)

// Result says what Get did.
type Result struct {
	Module  string // the module's path, which may be shorter than what was asked for
	Version string // v1.6.0, empty for a local module and for one that was removed
	Dir     string // of a local module
	// Packages are the import paths that the module offers, sorted: neither programs nor internal packages.
	Packages []string
	// Changes are the go command's words for what it did to the private go.mod: "added github.com/google/uuid v1.6.0".
	// Dependencies that had to move are among them.
	Changes []string
}

// Get adds a module to the private module in dir and downloads it. The query is a module's or a package's path, with an
// optional version after @ (v1.6.0, v1, a branch, a commit, latest by default, none to remove it); or a folder that
// begins with a dot or a slash, which stands for the module that it is in: that module is then used where it lies, with
// its own replace lines. The address of a repository, https://github.com/google/uuid.git, stands for its module. What
// the go command reports while it works goes to progress line by line.
func Get(ctx context.Context, dir, query string, progress func(line string)) (Result, error) {
	query = PathOf(query)
	if err := checkQuery(query); err != nil {
		return Result{}, err
	}
	t, err := prepare(ctx, dir)
	if err != nil {
		return Result{}, err
	}
	file := filepath.Join(dir, "go.mod")
	before, err := os.ReadFile(file)
	if err != nil {
		return Result{}, err
	}
	var r Result
	note := func(line string) {
		line, ok := strings.CutPrefix(line, "go: ")
		if !ok {
			return
		}
		switch words := strings.Fields(line); words[0] {
		case "added", "upgraded", "downgraded", "removed":
			if len(words) < 2 || words[1] == "go" || words[1] == "toolchain" {
				return // lines of go.mod, not modules
			}
			r.Changes = append(r.Changes, line)
		case "downloading", "finding":
		default:
			return
		}
		if progress != nil {
			progress(line)
		}
	}
	if isLocal(query) {
		err = t.local(ctx, query, &r)
	} else {
		err = t.remote(ctx, query, &r, note)
	}
	if err == nil && r.Dir == "" && r.Version != "" {
		dir, err = t.folder(ctx, r.Module, r.Version, note)
	} else if err == nil {
		dir = r.Dir
	}
	if err == nil && dir != "" {
		r.Packages, err = t.packages(dir, r.Module)
	}
	if err != nil {
		// A module that cannot be had must not stand in the way of the next one.
		_ = os.WriteFile(file, before, 0o644)
		return Result{}, err
	}
	return r, nil
}

func prepare(ctx context.Context, dir string) (*tool, error) {
	dir, err := makeDir(dir)
	if err != nil {
		return nil, err
	}
	t, err := newTool(ctx, dir)
	if err != nil {
		return nil, err
	}
	lang := strings.TrimPrefix(version.Lang(t.set.GOVERSION), "go")
	if lang == "" { // a toolchain from between two releases
		lang = strings.TrimPrefix(languageVersion, "go")
	}
	if err := open(dir, lang); err != nil {
		return nil, fmt.Errorf("no folder for the session's modules: %w", err)
	}
	return t, nil
}

// makeDir makes the folder of the private module, which no other user may write to, and returns its absolute path.
func makeDir(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("no folder for the session's modules: %w", err)
	}
	return dir, checkOwners(dir)
}

// remote gets a module from the user's proxy or repository.
func (t *tool) remote(ctx context.Context, query string, r *Result, note func(string)) error {
	p, v, _ := strings.Cut(query, "@")
	if _, err := t.run(ctx, note, "get", p+"@"+cmp.Or(v, "latest")); err != nil {
		return t.explain(ctx, query, err)
	}
	f, err := t.modFile(ctx, t.dir)
	if err != nil {
		return err
	}
	for _, m := range f.Require {
		if (m.Path == p || strings.HasPrefix(p, m.Path+"/")) && len(m.Path) > len(r.Module) {
			r.Module, r.Version = m.Path, m.Version
		}
	}
	if r.Module == "" {
		r.Module = p // removed
	}
	return nil
}

// local makes the module around a folder a part of the private module.
func (t *tool) local(ctx context.Context, query string, r *Result) error {
	folder, err := filepath.Abs(strings.TrimSuffix(query, "..."))
	if err != nil {
		return err
	}
	if st, err := os.Stat(folder); err != nil || !st.IsDir() {
		return failure(folder + " is not a folder")
	}
	root := folder
	for {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			break
		}
		parent := filepath.Dir(root)
		if parent == root {
			return failure(folder+" is not inside a Go module: no go.mod there or above", "go mod init makes one")
		}
		root = parent
	}
	theirs, err := t.modFile(ctx, root)
	if err != nil {
		return err
	}
	args := []string{"mod", "edit", "-require=" + theirs.Module.Path + "@v0.0.0",
		"-replace=" + theirs.Module.Path + "=" + root}
	for _, x := range theirs.Replace {
		args = append(args, x.flag(root))
	}
	ours, err := t.modFile(ctx, t.dir)
	if err != nil {
		return err
	}
	args = append(args, ours.missing(theirs)...)
	workspace, err := t.workspace(ctx, root)
	if err != nil {
		return err
	}
	if _, err := t.run(ctx, nil, append(args, workspace...)...); err != nil {
		return t.explain(ctx, query, err)
	}
	r.Module, r.Dir = theirs.Module.Path, root
	r.Changes = append(r.Changes, "uses "+theirs.Module.Path+" in "+root)
	return nil
}

// replacement is a replace line.
type replacement struct {
	Old, New struct{ Path, Version string }
}

// flag is the flag of go mod edit that adds the line, which is of a file in dir.
func (x *replacement) flag(dir string) string {
	from, to := x.Old.Path, x.New.Path
	if x.Old.Version != "" {
		from += "@" + x.Old.Version
	}
	switch {
	case x.New.Version != "":
		to += "@" + x.New.Version
	case !filepath.IsAbs(to):
		to = filepath.Join(dir, to)
	}
	return "-replace=" + from + "=" + to
}

// workspace gives the flags of go mod edit for the other modules of the work space that the module in root is in: they
// are used where they lie, too, and the replace lines of go.work win. There are none outside of a work space.
func (t *tool) workspace(ctx context.Context, root string) (flags []string, err error) {
	file := os.Getenv("GOWORK")
	for dir := root; file == ""; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.work")); err == nil {
			file = filepath.Join(dir, "go.work")
		} else if dir == filepath.Dir(dir) {
			return nil, nil
		}
	}
	if file == "off" {
		return nil, nil
	}
	out, err := t.run(ctx, nil, "work", "edit", "-json", file)
	if err != nil {
		return nil, t.explain(ctx, file, err)
	}
	var f struct {
		Use     []struct{ DiskPath string }
		Replace []replacement
	}
	if err := json.Unmarshal(out, &f); err != nil {
		return nil, &Error{Message: file + " cannot be read: " + err.Error(), Output: string(out)}
	}
	in, member := filepath.Dir(file), false
	for _, u := range f.Use {
		dir := filepath.FromSlash(u.DiskPath)
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(in, dir)
		}
		if dir == root {
			member = true
			continue
		}
		m, err := t.modFile(ctx, dir)
		if err != nil {
			return nil, err
		}
		flags = append(flags, "-require="+m.Module.Path+"@v0.0.0", "-replace="+m.Module.Path+"="+dir)
	}
	for _, x := range f.Replace {
		flags = append(flags, x.flag(in))
	}
	if !member {
		return nil, nil // the go command would not take root for one of its modules
	}
	return flags, nil
}

// modFile is what go mod edit -json tells of a go.mod.
type modFile struct {
	Module  struct{ Path string }
	Require []struct{ Path, Version string }
	Replace []replacement
}

// missing are the flags of go mod edit for what another go.mod requires in newer versions. With them a module that is
// saved with these lines is complete (ModFile).
func (f *modFile) missing(other *modFile) (flags []string) {
	have := map[string]string{}
	for _, m := range f.Require {
		have[m.Path] = m.Version
	}
	for _, m := range other.Require {
		if semver.Compare(have[m.Path], m.Version) < 0 {
			flags = append(flags, "-require="+m.Path+"@"+m.Version)
		}
	}
	return flags
}

func (t *tool) modFile(ctx context.Context, dir string) (*modFile, error) {
	out, err := t.run(ctx, nil, "mod", "edit", "-json", filepath.Join(dir, "go.mod"))
	if err != nil {
		return nil, t.explain(ctx, dir, err)
	}
	var f modFile
	if err := json.Unmarshal(out, &f); err != nil {
		return nil, &Error{Message: filepath.Join(dir, "go.mod") + " cannot be read: " + err.Error(),
			Output: string(out)}
	}
	return &f, nil
}

// folder downloads a module and returns where it lies.
func (t *tool) folder(ctx context.Context, module, version string, note func(string)) (string, error) {
	out, err := t.run(ctx, note, "mod", "download", "-json", module+"@"+version)
	var m struct{ Dir, Error string }
	if jsonErr := json.Unmarshal(out, &m); jsonErr == nil && m.Error != "" {
		return "", t.sentence(module+"@"+version, m.Error)
	}
	if err != nil {
		return "", t.explain(ctx, module+"@"+version, err)
	}
	return m.Dir, nil
}

// packages lists what can be imported of a module that lies in dir. The go command would resolve all that they import
// for that.
func (t *tool) packages(dir, module string) ([]string, error) {
	build := t.build()
	var r []string
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if p != dir {
			if name := d.Name(); name == "internal" || name == "testdata" || name == "vendor" || name[0] == '_' ||
				name[0] == '.' {
				return filepath.SkipDir
			}
			if _, err := os.Stat(filepath.Join(p, "go.mod")); err == nil {
				return filepath.SkipDir // another module
			}
		}
		if pkg, err := build.ImportDir(p, 0); err == nil && pkg.Name != "main" && len(pkg.GoFiles) > 0 {
			rel, err := filepath.Rel(dir, p)
			if err != nil {
				return err
			}
			r = append(r, path.Join(module, filepath.ToSlash(rel)))
		}
		return nil
	})
	if err != nil {
		return nil, failure(fmt.Sprintf("the packages of %s cannot be listed: %v", module, err))
	}
	slices.Sort(r)
	return r, nil
}
