// Package gputest helps tests of what GPUs compute where there is none.
package gputest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/dl"
	"github.com/gorocm/gorocm/internal/thorough"
)

// libraries are those that StandIns has compiled, by their sources.
var libraries = map[string][]byte{}

// StandIns compiles the stand-ins for AMD's libraries, which are in rocm/testdata below root, and runs a test of the
// calling package with them, in a process of its own.
func StandIns(t *testing.T, root, test string, env ...string) {
	t.Helper()
	if thorough.Short() {
		t.Skip("runs processes of its own, which takes seconds")
	}
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("no C compiler (cc)")
	}
	dir := t.TempDir()
	sources := filepath.Join(root, "rocm", "testdata")
	for _, l := range []struct{ file, source string }{
		{"libamdhip64.so.6", "fakehip.c"}, {"librocblas.so.4", "fakerocblas.c"},
		{"libhipblaslt.so.0", "fakehipblaslt.c"}, {"libMIOpen.so.1", "fakemiopen.c"},
		{"libhipfft.so.0", "fakehipfft.c"}, {"libhipsparse.so.1", "fakehipsparse.c"},
	} {
		path := filepath.Join(dir, dl.FileNames(l.file)[0])
		if library, ok := libraries[l.source]; ok {
			if err := os.WriteFile(path, library, 0o700); err != nil {
				t.Fatal(err)
			}
			continue
		}
		args := []string{"-shared", "-fPIC", "-O0", "-o", path, filepath.Join(sources, l.source)}
		if l.source != "fakehip.c" {
			args = append(args, "-L"+dir, "-l:"+dl.FileNames("libamdhip64.so.6")[0], "-Wl,-rpath,$ORIGIN", "-lm")
		}
		if out, err := exec.Command(cc, args...).CombinedOutput(); err != nil {
			t.Fatalf("cc: %v\n%s", err, out)
		}
		if libraries[l.source], err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
	}
	for name, arch := range map[string]string{"rocblas": "gfx1100", "hipblaslt": "gfx1201"} {
		library := filepath.Join(dir, name, "library")
		if err := os.MkdirAll(library, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(library, "Kernels_"+arch+".hsaco"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(os.Args[0], "-test.run=^"+test+"$", "-test.v")
	cmd.Env = append(os.Environ(), "GOROCM_LIBRARY_PATH="+dir, "GOROCM_CACHE="+dir, "GOROCM_EMULATE=",
		"GOROCM_REQUIRE_GPU=1", "GOROCM_BLAS=", "GOROCM_DNN=", "GOROCM_FFT=", "GOROCM_SPARSE=",
		"GOROCM_TEST_STAND_INS="+test)
	cmd.Env = append(cmd.Env, env...)
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: "+test) {
		t.Fatalf("%v\n%s", err, out)
	}
}
