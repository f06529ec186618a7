package jupyter

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/jupyter/internal/python"
	"github.com/gorocm/gorocm/jupyter/kernelspec"
)

// install makes a command the kernel that Jupyter knows as gorocm.
func install(t *testing.T, command ...string) {
	t.Helper()
	t.Setenv("JUPYTER_DATA_DIR", t.TempDir())
	t.Setenv("JUPYTER_RUNTIME_DIR", t.TempDir())
	if _, err := kernelspec.Install(kernelspec.Options{User: true, Command: command}); err != nil {
		t.Fatal(err)
	}
}

// installFake makes this test binary that kernel, with the fake session.
func installFake(t *testing.T) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	install(t, exe, "-kernel")
}

// runChecks runs a script that prints "PASS name" or "FAIL name: why" for each of its checks.
func runChecks(t *testing.T, py, script string, all int) {
	t.Helper()
	cmd := exec.Command(py, "-B", script) // -B: no __pycache__ in the source tree
	var log syncBuffer
	cmd.Stderr = &log
	cmd.WaitDelay = 10 * time.Second // a kernel that a failed check left behind may keep the pipe
	out, err := cmd.Output()
	if err != nil {
		t.Errorf("%v\n%s", err, log.String())
	}
	checks := 0
	for line := range strings.Lines(string(out)) {
		result, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		name, why, _ := strings.Cut(rest, ":")
		checks++
		t.Run(name, func(t *testing.T) {
			if result != "PASS" {
				t.Errorf("%s%s\n%s", result, why, log.String())
			}
		})
	}
	if checks != all {
		t.Errorf("%d checks have run, want %d", checks, all)
	}
}

// TestNotebook runs testdata/notebook.py: what nbconvert --execute does.
func TestNotebook(t *testing.T) {
	if !thorough.On() {
		t.Skip("starts Jupyter, which takes seconds: set GOROCM_TEST=thorough")
	}
	py := python.With(t, "nbclient", "nbformat")
	installFake(t)
	if out, err := exec.Command(py, "testdata/notebook.py").CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestJupyterClient runs testdata/client.py: Jupyter's own client against a kernel process with a fake session.
func TestJupyterClient(t *testing.T) {
	if !thorough.On() {
		t.Skip("starts Jupyter, which takes seconds: set GOROCM_TEST=thorough")
	}
	py := python.With(t, "jupyter_client")
	installFake(t)
	runChecks(t, py, "testdata/client.py", 17)
}

// TestGorocm runs testdata/gorocm.py: Jupyter's own client against the program itself, with real cells.
func TestGorocm(t *testing.T) {
	py := python.With(t, "jupyter_client")
	if !thorough.On() {
		t.Skip("building gorocm and its cells take seconds: set GOROCM_TEST=thorough")
	}
	exe := filepath.Join(t.TempDir(), "gorocm")
	if out, err := exec.Command("go", "build", "-ldflags=-s -w", "-o", exe, "../cmd/gorocm").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	install(t, exe, "kernel", "--connection-file")
	runChecks(t, py, "testdata/gorocm.py", 15)
}
