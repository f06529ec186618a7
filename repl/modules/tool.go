package modules

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"go/build"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/gorocm/gorocm/internal/processes"
)

// tags choose Go files in place of assembly and of unsafe tricks. The tag appengine takes exported names away from some
// packages: it serves only where these are not enough (examine).
var tags = []string{"purego", "noasm", "safe"}

// killDelay is how long the go command's children may keep its pipes open after it was killed.
const killDelay = 2 * time.Second

// tool is the go command in one folder, with the user's settings.
type tool struct {
	path string
	dir  string
	env  []string
	set  settings
}

// settings are those of the user that decide how packages are found and what errors mean.
type settings struct {
	GOFLAGS, GOPROXY, GOVERSION, GOMODCACHE string

	tags []string // ours, and those of GOFLAGS
}

// newTool finds the go command and asks it for the user's settings.
func newTool(ctx context.Context, dir string) (*tool, error) {
	path, err := find(places())
	if err != nil {
		return nil, err
	}
	t := &tool{path: path, dir: dir, env: append(os.Environ(), "GO111MODULE=on", "GOWORK=off", "CGO_ENABLED=0",
		"GOOS="+runtime.GOOS, "GOARCH="+runtime.GOARCH)}
	out, err := t.run(ctx, nil, "env", "-json", "GOFLAGS", "GOPROXY", "GOVERSION", "GOMODCACHE")
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(out, &t.set); err != nil {
		return nil, &Error{Message: "go env gave something else than settings: " + err.Error(), Output: string(out)}
	}
	flags, userTags := split(t.set.GOFLAGS)
	t.set.tags = append(userTags, tags...)
	// An empty GOFLAGS in the environment would not hide one that was set with go env -w.
	t.env = append(t.env, "GOFLAGS="+strings.Join(append(flags, "-mod=mod"), " "))
	return t, nil
}

// build chooses files as go list does with our tags.
func (t *tool) build() build.Context {
	c := build.Default
	c.GOOS, c.GOARCH, c.CgoEnabled, c.BuildTags = runtime.GOOS, runtime.GOARCH, false, t.set.tags
	return c
}

// split takes the build tags and the flags that hold for the private module too from the user's GOFLAGS.
func split(goflags string) (flags, userTags []string) {
	for _, f := range strings.Fields(goflags) {
		name, value, _ := strings.Cut(strings.TrimLeft(f, "-"), "=")
		switch name {
		case "tags":
			userTags = append(userTags, strings.FieldsFunc(value, func(r rune) bool { return r == ',' })...)
		case "mod", "modfile", "overlay", "C", "json", "x", "v", "n", "race", "msan", "asan", "cover":
		default:
			flags = append(flags, f)
		}
	}
	return flags, userTags
}

// find looks for the go command in folders.
func find(folders []string) (string, error) {
	name := "go"
	if runtime.GOOS == "windows" {
		name = "go.exe"
	}
	for _, d := range folders {
		p := filepath.Join(d, name)
		if st, err := os.Stat(p); filepath.IsAbs(p) && err == nil && !st.IsDir() &&
			(runtime.GOOS == "windows" || st.Mode()&0o111 != 0) {
			return p, nil
		}
	}
	return "", &Error{Message: "third-party packages need a Go toolchain, and this machine has no go command",
		Notes: []string{"install Go from https://go.dev/dl, or start gorocm with Go's bin folder in PATH"},
		cause: ErrNoGo}
}

// GoCommand is the path of the go command.
func GoCommand() (string, error) { return find(places()) }

// places are where a go command may be: on PATH, and where Go is installed to when PATH is not set up for it.
func places() []string {
	dirs := filepath.SplitList(os.Getenv("PATH"))
	if root := os.Getenv("GOROOT"); root != "" {
		dirs = append(dirs, filepath.Join(root, "bin"))
	}
	if home, err := os.UserHomeDir(); err == nil {
		dirs = append(dirs, filepath.Join(home, "go", "bin"), filepath.Join(home, ".local", "go", "bin"))
		sdks, _ := filepath.Glob(filepath.Join(home, "sdk", "go*", "bin")) // a fixed pattern is never malformed
		slices.Reverse(sdks)                                               // newer ones tend to come last
		dirs = append(dirs, sdks...)
	}
	return append(dirs, "/usr/local/go/bin", "/usr/lib/go/bin", "/opt/homebrew/bin", "/snap/bin",
		`C:\Program Files\Go\bin`)
}

// failed is a run of the go command that ended with an error.
type failed struct {
	args   []string
	stderr string
	err    error
}

func (f *failed) Error() string {
	return "go " + strings.Join(f.args, " ") + ": " + f.err.Error() + "\n" + f.stderr
}
func (f *failed) Unwrap() error { return f.err }

// run runs the go command to its end and returns its output. Each line that it writes beside that goes to progress as
// it comes. When ctx ends, the command and all that it started (git, ssh, a newer toolchain) are killed.
func (t *tool) run(ctx context.Context, progress func(line string), args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, t.path, args...)
	cmd.Dir, cmd.Env = t.dir, append(t.env[:len(t.env):len(t.env)], "PWD="+t.dir)
	processes.Own(cmd)
	cmd.WaitDelay = killDelay
	all := processes.NewGroup(cmd)
	cmd.Cancel = all.Kill
	var stdout, stderr bytes.Buffer
	cmd.Stdout = &stdout
	lines, w := io.Pipe()
	cmd.Stderr = io.MultiWriter(&stderr, w)
	read := make(chan struct{})
	go func() {
		defer close(read)
		for s := bufio.NewScanner(lines); s.Scan(); {
			if progress != nil {
				progress(s.Text())
			}
		}
		_, _ = io.Copy(io.Discard, lines) // a line too long for the scanner must not block the command
	}()
	err := all.Start()
	if err == nil {
		err = cmd.Wait()
	}
	all.Close()
	w.Close()
	<-read
	if ctx.Err() != nil {
		return nil, &Error{Message: "the go command was stopped: " + context.Cause(ctx).Error(),
			Output: stderr.String(), cause: ctx.Err()}
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return stdout.Bytes(), &failed{args, stderr.String(), err}
	}
	if err != nil {
		var pe *fs.PathError
		if errors.As(err, &pe) {
			err = pe
		}
		return nil, &Error{Message: t.path + " cannot be run: " + err.Error(), cause: err}
	}
	return stdout.Bytes(), nil
}
