package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
)

// TestMain is the program itself when a test, or a front end that a test has started, runs this binary again.
func TestMain(m *testing.M) {
	if os.Getenv("GOROCM_TEST_MAIN") == "" {
		os.Exit(m.Run())
	}
	main()
}

// result is how a run of the program ended.
type result struct {
	stdout, stderr string
	status         int
}

// gorocm runs the program with a home folder of its own.
func gorocm(t *testing.T, home, stdin string, args ...string) result {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, args...)
	cmd.Env = append(os.Environ(), "GOROCM_TEST_MAIN=1", "HOME="+home, "XDG_STATE_HOME=", "XDG_DATA_HOME=",
		"XDG_CACHE_HOME=", "GOROCM_CACHE=",
		"JUPYTER_DATA_DIR=", "JUPYTER_PATH=", "GOROCM_REQUIRE_GPU=")
	cmd.Stdin = strings.NewReader(stdin)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return result{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}
}

func TestUsage(t *testing.T) {
	thorough.Slow(t)
	for _, c := range []struct {
		args   string
		status int
		stdout string // a part of it
		stderr string
	}{
		{"version", 0, "gorocm " + version + " (" + runtime.Version(), ""},
		{"--version", 0, "gorocm " + version, ""},
		{"--help", 0, "Usage:\n  gorocm [-e CELL]", ""},
		{"run --help", 0, "// %%", ""},
		{"demo.go", 2, "", "no file has that name"},
		{"--nope", 2, "", "unknown flag: --nope"},
		{"run", 2, "", "which file?"},
		{"run missing.go", 1, "", "missing.go: no such file"},
		{"launch --help", 0, "gorocm launch --nproc N FILE", ""},
		{"launch x.go", 2, "", "how many processes"},
		{"launch --nproc 0 x.go", 2, "", "At least 1"},
		{"launch --nproc 2", 2, "", "which file?"},
		{"launch --nproc 2 -", 2, "", "which file?"},
		{"launch --nproc 2 --nnodes 2 x.go", 2, "", "need --master-addr and --master-port"},
		{"launch --nproc 2 --node-rank 1 x.go", 2, "", "numbered from 0"},
		{"launch --nproc 2 --master-port 65536 x.go", 2, "", "a port is from 1 to 65535"},
		{"repl x", 2, "", `unknown command "x"`},
		{"-- x", 2, "", "arguments after --"},
		{"kernel", 2, "", "flags in the group [connection-file response-address]"},
		{"kernel -f missing.json", 1, "", "missing.json: no such file"},
		{"install --user --sys-prefix", 2, "", "sys-prefix user"},
	} {
		t.Run(c.args, func(t *testing.T) {
			r := gorocm(t, t.TempDir(), "", strings.Fields(c.args)...)
			if r.status != c.status || !strings.Contains(r.stdout, c.stdout) || !strings.Contains(r.stderr, c.stderr) {
				t.Errorf("%+v; want status %d, output with %q, errors with %q", r, c.status, c.stdout, c.stderr)
			}
			if c.status == 0 && r.stderr != "" {
				t.Errorf("errors %q", r.stderr)
			}
		})
	}
}

func TestCells(t *testing.T) {
	thorough.Slow(t)
	for _, c := range []struct {
		name   string
		stdin  string
		args   []string
		want   result // stderr: how it begins
		prefix string
	}{
		{"values", "", []string{"-e", "x := 20", "-e", "x + 1"}, result{"21\n", "", 0}, ""},
		{"output", "", []string{"-e", `fmt.Print("a")`, "-e", `"b"`}, result{"a\n\"b\"\n", "", 0}, ""},
		{"echo", "", []string{"--echo", "-e", "x := 1\nx"}, result{"[1]: x := 1\n...: x\nOut[1]: 1\n", "", 0}, ""},
		{"mistake", "", []string{"-e", "y", "-e", "1"}, result{"", "", 1}, "TypeError: undefined: y\n"},
		{"exit", "", []string{"-e", "os.Exit(7)", "-e", "1"}, result{"", "", 7}, ""},
		{"exit 0 stops as well", "", []string{"-e", "os.Exit(0)", "-e", "1"}, result{"", "", 0}, ""},
		{"arguments", "", []string{"-e", "os.Args[1:]", "--", "a b", `"c"`, "-d"},
			result{"[\"a b\" \"\\\"c\\\"\" \"-d\"]\n", "", 0}, ""},
		{"script from standard input", "// %%\n1\n// %%\n2\n", []string{"run", "-"}, result{"1\n2\n", "", 0}, ""},
		{"arguments of a script", "os.Args[1:]", []string{"run", "-", "a b", "--", "-d"},
			result{"[\"a b\" \"-d\"]\n", "", 0}, ""},
		{"Go program", "package main\n\nimport \"fmt\"\n\nfunc main() {\n\tfmt.Println(\"hello\")\n}\n",
			[]string{"run", "-"}, result{"hello\n", "", 0}, ""},
		{"session from a pipe", "x := 2\nfor i := 0; i < 2; i++ {\n\tx *= 3\n}\nx\n", nil, result{"18\n", "", 0}, ""},
		{"Go program on a pipe", "// Command x.\n/*\n\tA licence.\n*/\n\npackage main\n\nimport \"fmt\"\n\n" +
			"func main() {\n\tdefer fmt.Println(\"b\")\n\thello()\n}\n\nfunc hello() { fmt.Println(\"a\") }\n", nil,
			result{"a\nb\n", "", 0}, ""},
		{"cells of a package on a pipe", "package main\n\nx := 1\nx\n", nil, result{"1\n", "", 0}, ""},
		{"comments on a pipe", "// x\n\n/* y\nz */ 5\n// end", nil, result{"5\n", "", 0}, ""},
		{"program among cells", "// %%\npackage main\n\nimport \"fmt\"\n\nvar g = 3\n\nfunc main() { fmt.Println(\"main\", g) }\n" +
			"// %%\ng = 4\nfmt.Println(g)\n", []string{"run", "-"}, result{"main 3\n4\n", "", 0}, ""},
		{"failure on a pipe", "1\nundefined\n2\n", nil, result{"1\n", "", 1}, "TypeError: undefined: undefined"},
		{"keep going", "nope\n// %%\n2", []string{"run", "-k", "-"}, result{"2\n", "", 1},
			"TypeError: undefined: nope\n  standard input, line 1\n"},
		{"panic in a goroutine", "", []string{"-e", `go func() { panic("boom") }(); time.Sleep(time.Minute)`},
			result{"", "", 1}, "Panic: boom\n"},
		{"deadlock", "", []string{"-e", "c := make(chan int)\nc <- 1", "-e", "2"}, result{"", "", 2},
			"fatal error: all goroutines are asleep - deadlock!\n"},
		{"lost worker", "", []string{"-e", "x := 1", "-e", `import "syscall"
			syscall.Kill(os.Getpid(), syscall.SIGKILL)`, "-e", "2"}, result{"", "", 1}, "the session was restarted"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := gorocm(t, t.TempDir(), c.stdin, c.args...)
			if r.stdout != c.want.stdout || r.status != c.want.status || !strings.HasPrefix(r.stderr, c.prefix) ||
				r.status == 0 && r.stderr != "" {
				t.Errorf("%+v; want %+v, errors that begin with %q", r, c.want, c.prefix)
			}
		})
	}
}

// TestCompilerDies: a fatal error of the compiler is an error in the cell, and the session goes on with its variables.
func TestCompilerDies(t *testing.T) {
	thorough.Slow(t)
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("no C compiler (cc)")
	}
	dir := t.TempDir()
	if out, err := exec.Command(cc, "-shared", "-fPIC", "-o", filepath.Join(dir, "libamdhip64.so.6"),
		"../../rocm/testdata/fakehip.c").CombinedOutput(); err != nil {
		t.Fatalf("cc: %v\n%s", err, out)
	}
	t.Setenv("GOROCM_LIBRARY_PATH", dir)
	t.Setenv("GOROCM_EMULATE", "")
	r := gorocm(t, dir, "x := 41\n// %%\n%%hip\n__global__ void k(float *p) {} // #abort\n// %%\nx + 1\n", "run", "-k",
		"-")
	if r.status != 1 || r.stdout != "42\n" || !strings.Contains(r.stderr, "libamdhip64.so.6 died with SIGABRT") ||
		!strings.Contains(r.stderr, "LLVM ERROR: Cannot select") {
		t.Errorf("%+v", r)
	}
}

// TestFindable: cells find the program that runs them where none is on the path.
func TestFindable(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	program := filepath.Join(folder, "gorocm")
	if err := os.Link(self, program); err != nil {
		t.Skip("no second name for the program: ", err)
	}
	cmd := exec.CommandContext(t.Context(), program, "-e", `exec.LookPath("gorocm")`)
	cmd.Env = append(os.Environ(), "GOROCM_TEST_MAIN=1", "PATH="+t.TempDir(), "HOME="+t.TempDir(), "XDG_STATE_HOME=")
	if out, err := cmd.Output(); err != nil || !strings.Contains(string(out), program) {
		t.Errorf("gorocm is found as %s (%v), not as %s", out, err, program)
	}
}

func TestRunNotebook(t *testing.T) {
	thorough.Slow(t)
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	source := "#!/usr/bin/env -S gorocm run\n// %% [markdown]\n// # Sums\n// %%\nx := 1\nfmt.Println(\"hi\")\nx\n\n// %% wrong\nx +\n\t\"a\"\n// %%\nx + 1\n"
	if err := os.WriteFile(path("a.go"), []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	r := gorocm(t, dir, "", "run", path("a.go"), "--keep-going", "--output", path("a.ipynb"))
	if r.status != 1 || r.stdout != "hi\n1\n2\n" || !strings.Contains(r.stderr, "a.go, line 1") {
		t.Fatalf("%+v", r)
	}
	data, err := os.ReadFile(path("a.ipynb"))
	if err != nil {
		t.Fatal(err)
	}
	var nb struct {
		Cells []struct {
			Kind    string `json:"cell_type"`
			Outputs []struct {
				Kind string `json:"output_type"`
			}
		}
	}
	if err := json.Unmarshal(data, &nb); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range nb.Cells {
		got = append(got, c.Kind)
		for _, o := range c.Outputs {
			got = append(got, o.Kind)
		}
	}
	if want := "markdown code stream execute_result code error code execute_result"; strings.Join(got, " ") != want {
		t.Errorf("cells and outputs: %v, want %s", got, want)
	}
	// The notebook runs as the script did.
	if again := gorocm(t, dir, "", "run", path("a.ipynb"), "-k"); again.stdout != r.stdout || again.status != 1 {
		t.Errorf("the notebook gives %+v", again)
	}
	if r = gorocm(t, dir, "", "run", path("a.go"), "--output", path("missing/a.ipynb")); r.status != 1 ||
		!strings.Contains(r.stderr, "--output") {
		t.Errorf("a folder that does not exist: %+v", r)
	}
}

func TestInstall(t *testing.T) {
	home := t.TempDir()
	prefix := filepath.Join(home, "a prefix")
	if r := gorocm(t, home, "", "uninstall", "--prefix", prefix); r.status != 1 ||
		!strings.Contains(r.stderr, "no kernel is installed") {
		t.Errorf("uninstall before install: %+v", r)
	}
	for range 2 { // it may be repeated
		if r := gorocm(t, home, "", "install", "--prefix", prefix); r.status != 0 ||
			!strings.Contains(r.stdout, prefix) {
			t.Fatalf("%+v", r)
		}
	}
	data, err := os.ReadFile(filepath.Join(prefix, "share", "jupyter", "kernels", "gorocm", "kernel.json"))
	if err != nil {
		t.Fatal(err)
	}
	var spec struct{ Argv []string }
	if err := json.Unmarshal(data, &spec); err != nil {
		t.Fatal(err)
	}
	if n := len(spec.Argv); n != 4 || !filepath.IsAbs(spec.Argv[0]) ||
		strings.Join(spec.Argv[1:], " ") != "kernel --connection-file {connection_file}" {
		t.Errorf("argv %q", spec.Argv)
	}
	if r := gorocm(t, home, "", "uninstall", "--prefix", prefix); r.status != 0 {
		t.Errorf("%+v", r)
	}
}

func TestDoctor(t *testing.T) {
	thorough.Slow(t)
	home := t.TempDir()
	r := gorocm(t, home, "", "doctor")
	if r.status != 0 || r.stderr != "" {
		t.Fatalf("%+v", r)
	}
	for _, part := range []string{"Devices\n", "rocm:0", "Libraries\n", "HIP runtime", "NVRTC", "works: 6*7 is 42",
		filepath.Join(home, ".cache", "gorocm"), "gorocm install"} {
		if !strings.Contains(r.stdout, part) {
			t.Errorf("doctor does not say %q:\n%s", part, r.stdout)
		}
	}
}
