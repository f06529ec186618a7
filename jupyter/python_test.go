package jupyter

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/jupyter/internal/python"
	"github.com/gorocm/gorocm/jupyter/kernelspec"
)

// installFake makes this test binary the kernel that Jupyter knows as gorocm.
func installFake(t *testing.T) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("JUPYTER_DATA_DIR", t.TempDir())
	t.Setenv("JUPYTER_RUNTIME_DIR", t.TempDir())
	if _, err := kernelspec.Install(kernelspec.Options{User: true, Command: []string{exe, "-kernel"}}); err != nil {
		t.Fatal(err)
	}
}

// TestNotebook runs testdata/notebook.py: what nbconvert --execute does.
func TestNotebook(t *testing.T) {
	py := python.With(t, "nbclient", "nbformat")
	installFake(t)
	if out, err := exec.Command(py, "testdata/notebook.py").CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestJupyterClient runs testdata/client.py: Jupyter's own client against a kernel process with a fake session.
func TestJupyterClient(t *testing.T) {
	py := python.With(t, "jupyter_client")
	installFake(t)
	cmd := exec.Command(py, "testdata/client.py")
	var log syncBuffer
	cmd.Stderr = &log
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
	const all = 16 // checks in client.py
	if checks != all {
		t.Errorf("%d checks have run, want %d", checks, all)
	}
}
