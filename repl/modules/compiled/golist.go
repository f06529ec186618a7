package compiled

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"

	"github.com/gorocm/gorocm/internal/processes"
	"github.com/gorocm/gorocm/repl/modules"
)

// listed is what go list tells of a package.
type listed struct {
	ImportPath, Name, Dir, Export         string
	Standard                              bool
	GoFiles, SFiles, HFiles, SysoFiles    []string
	EmbedFiles, Imports, CgoFiles, CFiles []string
	ImportMap                             map[string]string
	Module                                *module
	Error                                 *struct{ Pos, Err string }
}

type module struct {
	Path, Version, GoVersion string
	Main                     bool
	Replace                  *module
}

const listFields = "ImportPath,Name,Dir,Export,Standard,GoFiles,SFiles,HFiles,SysoFiles,EmbedFiles,Imports,CgoFiles," +
	"CFiles,ImportMap,Module,Error"

// version is that of the module which provides the package, empty for a folder that is used in place.
func (p *listed) version() string {
	switch {
	case p.Module == nil:
		return ""
	case p.Module.Replace != nil:
		return p.Module.Replace.Version
	}
	return p.Module.Version
}

// goVersion is the language version of the package's module.
func (p *listed) goVersion() string {
	m := p.Module
	if m.Replace != nil && m.Replace.GoVersion != "" {
		m = m.Replace
	}
	if m.GoVersion == "" {
		return "1.16" // what the go command takes for a module that does not say
	}
	return m.GoVersion
}

// files are the names of the files that the package is built from.
func (p *listed) files() (names []string) {
	for _, list := range [][]string{p.GoFiles, p.SFiles, p.HFiles, p.SysoFiles, p.EmbedFiles} {
		names = append(names, list...)
	}
	return names
}

// tool is the go command with the settings that programs are built with.
type tool struct {
	path string
	env  []string
	tags string
	log  io.Writer
}

// newTool finds the go command in the version that gorocm was built with: the session has the standard library of that
// one. A go command of another version gets it if the user has nothing against that.
func newTool(ctx context.Context, dir string, log io.Writer) (*tool, error) {
	path, err := modules.GoCommand()
	if err != nil {
		return nil, err
	}
	t := &tool{path: path, log: log, env: append(os.Environ(), "GO111MODULE=on", "GOWORK=off", "CGO_ENABLED=0",
		"GOOS="+runtime.GOOS, "GOARCH="+runtime.GOARCH)}
	set, err := t.settings(ctx, dir)
	if err != nil {
		return nil, err
	}
	mayGet := set.GOTOOLCHAIN == "auto" || strings.HasSuffix(set.GOTOOLCHAIN, "+auto")
	if set.GOVERSION != runtime.Version() && mayGet && strings.HasPrefix(runtime.Version(), "go1.") {
		t.env = append(t.env, "GOTOOLCHAIN="+runtime.Version())
		if set, err = t.settings(ctx, dir); err != nil {
			return nil, fmt.Errorf("gorocm was built with %s, which the go command cannot get: %w", runtime.Version(), err)
		}
	}
	if set.GOVERSION != runtime.Version() {
		return nil, fmt.Errorf("gorocm was built with %s, and the go command is %s", runtime.Version(), set.GOVERSION)
	}
	for _, f := range strings.Fields(set.GOFLAGS) {
		if name, value, _ := strings.Cut(strings.TrimLeft(f, "-"), "="); name == "tags" {
			t.tags = value
		}
	}
	t.env = append(t.env, "GOFLAGS=")
	return t, nil
}

// settings are those of the user.
type settings struct{ GOVERSION, GOFLAGS, GOTOOLCHAIN string }

func (t *tool) settings(ctx context.Context, dir string) (set settings, err error) {
	out, err := t.run(ctx, dir, "env", "-json", "GOVERSION", "GOFLAGS", "GOTOOLCHAIN")
	if err == nil {
		if err = json.Unmarshal(out, &set); err != nil {
			err = fmt.Errorf("go env gave something else than settings: %w", err)
		}
	}
	return set, err
}

// run runs the go command in a folder and returns its output.
func (t *tool) run(ctx context.Context, dir string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, t.path, args...)
	cmd.Dir, cmd.Env = dir, append(t.env[:len(t.env):len(t.env)], "PWD="+dir)
	processes.Own(cmd)
	all := processes.NewGroup(cmd)
	cmd.Cancel = all.Kill
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, io.MultiWriter(&stderr, t.log)
	err := all.Start()
	if err == nil {
		err = cmd.Wait()
	}
	all.Close()
	if err != nil {
		return stdout.Bytes(), fmt.Errorf("go %s: %w\n%s", args[0], err, strings.TrimSpace(stderr.String()))
	}
	return stdout.Bytes(), nil
}

// list describes packages, dependencies first.
func (t *tool) list(ctx context.Context, dir string, args ...string) (list []*listed, err error) {
	args = append([]string{"list", "-deps", "-trimpath", "-tags=" + t.tags, "-json=" + listFields}, args...)
	out, err := t.run(ctx, dir, args...)
	if err != nil {
		return nil, err
	}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		p := &listed{}
		if err := d.Decode(p); errors.Is(err, io.EOF) {
			return list, nil
		} else if err != nil {
			return nil, fmt.Errorf("go list gave something else than packages: %w", err)
		}
		if p.Error != nil {
			return nil, errors.New(p.Error.Err)
		}
		list = append(list, p)
	}
}
