package golang

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

var goRoot = flag.Bool("goroot", false, "run the programs of the Go distribution's own test folder, which takes minutes")

const goRootFailing = "testdata/goroot_failing.txt"

// outside matches programs about what a session has no part in: the compiler, the linker, the runtime's inside, other
// processes.
var outside = regexp.MustCompile(`"unsafe"|"C"|"os/exec"|"runtime"|"runtime/|"syscall"|"internal/|"plugin"|"go/|go:linkname|go:noescape|"testing"|"\./`)

// TestGoRoot runs the single-file programs of the Go distribution's test folder that are marked "// run", each by
// gorocm run in a process of its own, and compares output and exit status with what the Go project expects. What fails
// is listed, with the reason, in testdata/goroot_failing.txt, which -update rewrites.
func TestGoRoot(t *testing.T) {
	if !*goRoot {
		t.Skip("it takes minutes: go test ./repl/golang -run TestGoRoot -goroot -timeout 30m")
	}
	goTool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("there is no go command")
	}
	root, err := exec.Command(goTool, "env", "GOROOT").Output()
	if err != nil {
		t.Skip("go env GOROOT: ", err)
	}
	dir := filepath.Join(strings.TrimSpace(string(root)), "test")
	if _, err := os.Stat(dir); err != nil {
		t.Skip("this Go distribution has no test folder: ", dir)
	}
	names, err := goRootPrograms(dir)
	if err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(t.TempDir(), "gorocm")
	if out, err := exec.Command(goTool, "build", "-o", bin,
		"github.com/gorocm/gorocm/cmd/gorocm").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	env := append(os.Environ(), "GOMEMLIMIT=1GiB", "GOROCM_CACHE="+t.TempDir())

	results := make([]error, len(names))
	next := make(chan int)
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for i := range next {
				results[i] = runGoRoot(bin, dir, names[i], env)
			}
		})
	}
	for i := range names {
		next <- i
	}
	close(next)
	wg.Wait()

	failing := readFailing(t, goRootFailing)
	passed := 0
	if *update {
		failing.reasons = map[string]string{}
	}
	for i, name := range names {
		err := results[i]
		if err == nil {
			passed++
		}
		if *update {
			if err != nil {
				failing.reasons[name] = strings.ReplaceAll(err.Error(), dir+string(filepath.Separator), "")
			}
			continue
		}
		t.Run(name, func(t *testing.T) {
			if err == errSlow || err == nil && failing.reasons[name] == errSlow.Error() {
				t.Skip(errSlow, " on some machines")
			}
			failing.run(t, name, err)
		})
	}
	if *update {
		failing.head = []string{fmt.Sprintf("# Programs of GOROOT/test that gorocm run does not run as go run does: PATH REASON. %d of %d pass.", passed, len(names))}
		failing.write(t)
	}
	t.Logf("%d of %d", passed, len(names))
}

var errSlow = errors.New("it takes more than 10 s")

// goRootPrograms lists the programs by their paths under dir.
func goRootPrograms(dir string) (names []string, err error) {
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && strings.HasSuffix(path, ".dir") {
			return filepath.SkipDir
		}
		if filepath.Ext(path) != ".go" {
			return nil
		}
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		first, _, _ := bytes.Cut(src, []byte("\n"))
		if string(bytes.TrimSpace(first)) != "// run" || !bytes.Contains(src, []byte("package main")) ||
			outside.Match(src) || len(src) > 60000 {
			return nil
		}
		name, err := filepath.Rel(dir, path)
		names = append(names, filepath.ToSlash(name))
		return err
	})
	return names, err
}

// runGoRoot runs one program and says in one line what went wrong.
func runGoRoot(bin, dir, name string, env []string) error {
	file := filepath.Join(dir, filepath.FromSlash(name))
	want, err := os.ReadFile(strings.TrimSuffix(file, ".go") + ".out")
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, bin, "run", file)
	cmd.Env = env
	cmd.WaitDelay = time.Second
	got, err := cmd.CombinedOutput()
	switch {
	case ctx.Err() != nil:
		return errSlow
	case err != nil:
		return errors.New(reason(got, err))
	case !bytes.Equal(got, want):
		g, w := strings.Split(string(got), "\n"), strings.Split(string(want), "\n")
		for i := range min(len(g), len(w)) {
			if g[i] != w[i] {
				return fmt.Errorf("line %d of the output: got %.80q, want %.80q", i+1, g[i], w[i])
			}
		}
		return fmt.Errorf("%d lines of output, want %d", len(g), len(w))
	}
	return nil
}

// reason is the line of a failed program's output that says why: the session's own message, if there is one.
func reason(got []byte, err error) string {
	first := ""
	for line := range strings.Lines(string(got)) {
		line = strings.TrimSpace(line)
		kind, _, ok := strings.Cut(line, ": ")
		if ok && (strings.HasSuffix(kind, "Error") || kind == "Panic" || kind == "Unsupported" ||
			kind == "WorkerCrash") {
			return line
		}
		if first == "" {
			first = line
		}
	}
	if first == "" {
		return err.Error()
	}
	return first
}
