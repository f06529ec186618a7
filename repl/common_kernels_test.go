package repl

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
)

// kernelsFile names the environment variable of a process of TestFirstPages: the file for its kernels.
const kernelsFile = "GOROCM_TEST_KERNELS_FILE"

// TestFirstPages compares kernels.FirstPages with what the pages launch, in a process of its own: here other tests
// leave chains on the device, which run when a page waits. Without fusion, since which chains are compiled in time
// differs from run to run.
func TestFirstPages(t *testing.T) {
	if !thorough.On() {
		t.Skip("runs two pages again: set GOROCM_TEST=thorough")
	}
	if d, err := rocm.Open("rocm"); err != nil || !d.Emulated() {
		t.Skip("needs the emulated GPU: others choose other kernels")
	}
	used := pageKernels(t)
	if !slices.Equal(used, kernels.FirstPages) {
		var b strings.Builder
		for _, k := range used {
			fmt.Fprintf(&b, "\t%q,\n", k)
		}
		t.Errorf("FirstPages in kernels/common.go are not those of docs/arrays.md and docs/training.md:\n%s", &b)
	}
}

// TestFirstPagesOnOthers runs the pages on an emulated MI300X and on a gfx1200, without a compiler: what their code
// objects compute is what the pages show.
func TestFirstPagesOnOthers(t *testing.T) {
	if !thorough.On() {
		t.Skip("runs two pages again: set GOROCM_TEST=thorough")
	}
	if d, err := rocm.Open("rocm"); err != nil || !d.Emulated() {
		t.Skip("needs the emulated GPU: others choose other kernels")
	}
	for _, arch := range []string{"gfx942", "gfx1200"} {
		used := pageKernels(t, "GOROCM_EMULATED_ARCH="+arch, "GOROCM_EMULATED_WAVE=", "GOROCM_EMULATED_CORES=", "PATH=", "ROCM_PATH=")
		if !slices.Equal(used, kernels.FirstPages) {
			t.Errorf("%s executed %d kernels, not those of FirstPages: %q", arch, len(used), used)
		}
	}
}

// pageKernels runs two pages in a process of its own, and returns the kernels that they launch.
func pageKernels(t *testing.T, environment ...string) (used []string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "kernels.json")
	cmd := exec.Command(os.Args[0], "-test.run=^TestScript$/^(docs_arrays|docs_training)$")
	cmd.Env = append(append(os.Environ(), "GOROCM_FUSE=0", kernelsFile+"="+file), environment...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &used); err != nil {
		t.Fatal(err)
	}
	return used
}

// recordKernels writes the kernels that are launched until the test ends, in a process of TestFirstPages.
func recordKernels(t *testing.T) {
	file := os.Getenv(kernelsFile)
	if file == "" {
		return
	}
	d, err := rocm.Open("rocm")
	if err != nil {
		t.Fatal(err)
	}
	if err := d.StartProfile(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		list, err := d.StopProfile()
		if err != nil {
			t.Fatal(err)
		}
		names := []string{}
		for _, p := range list {
			names = append(names, p.Kernel)
		}
		slices.Sort(names)
		text, err := json.Marshal(slices.Compact(names))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, text, 0o666); err != nil {
			t.Fatal(err)
		}
	})
}
