// Package childtest has what tests of rocm and of the packages below it share: tests that run in a process of their
// own, since drivers and compilers are loaded once per process, and a stand-in for the HIP runtime that those processes
// load.
package childtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/gorocm/gorocm/internal/dl"
	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// Run runs one test of the caller's package in a process of its own, with more environment: drivers are loaded once per
// process. It returns what the process printed, and fails the test if that process fails or has no such test.
func Run(t *testing.T, test string, env ...string) string {
	t.Helper()
	out, err := RunFailing(t, test, env...)
	if err != nil {
		t.Fatalf("%s in a child process: %v\n%s", test, err, out)
	}
	if !strings.Contains(out, "--- PASS: "+test) {
		t.Fatalf("%s did not run:\n%s", test, out)
	}
	return out
}

// RunFailing is Run of a test that may fail: it returns the error of its process.
func RunFailing(t *testing.T, test string, env ...string) (string, error) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^"+regexp.QuoteMeta(test)+"$", "-test.v")
	cmd.WaitDelay = time.Second
	cmd.Env = append(os.Environ(), env...)
	cmd.Env = append(cmd.Env, "GOROCM_TEST_CHILD="+test)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// Each runs tests of the caller's package, each in a process of its own and as a subtest that fails or is skipped as it
// does. Their names end in Child.
func Each(t *testing.T, tests ...string) {
	for _, test := range tests {
		t.Run(strings.TrimSuffix(test, "Child"), func(t *testing.T) {
			out, err := RunFailing(t, test)
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			if strings.Contains(out, "--- SKIP") {
				t.Skip(out)
			}
			t.Log(out)
		})
	}
}

// Only skips a test that Run runs, unless Run runs it.
func Only(t *testing.T) {
	t.Helper()
	if os.Getenv("GOROCM_TEST_CHILD") != t.Name() {
		t.Skip("run by another test, in a child process")
	}
}

// File is the name on this system of a library that Linux names so.
func File(name string) string { return dl.FileNames(name)[0] }

// fakeHIP are compiled files of FakeHIP by their source.
var fakeHIP = map[string][]byte{}

// FakeHIP compiles fakehip.c of the folder testdata, once in a process, and returns the environment in which it is the
// HIP runtime. Tests that call it do not run in parallel.
func FakeHIP(t *testing.T, testdata string) []string {
	t.Helper()
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("no C compiler (cc)")
	}
	dir := t.TempDir()
	source, library := filepath.Join(testdata, "fakehip.c"), filepath.Join(dir, File("libamdhip64.so.6"))
	if fakeHIP[source] == nil {
		out, err := exec.Command(cc, "-shared", "-fPIC", "-O0", "-Wall", "-o", library, source).CombinedOutput()
		if err != nil {
			t.Fatalf("cc: %v\n%s", err, out)
		}
		if fakeHIP[source], err = os.ReadFile(library); err != nil {
			t.Fatal(err)
		}
	} else if err := os.WriteFile(library, fakeHIP[source], 0o700); err != nil {
		t.Fatal(err)
	}
	return []string{"GOROCM_LIBRARY_PATH=" + dir, "GOROCM_CACHE=" + filepath.Join(dir, "cache"), "GOROCM_EMULATE=",
		"GOROCM_REQUIRE_GPU="}
}

// NoGPU skips a test on a machine with a GPU, where other tests run.
func NoGPU(t *testing.T) *driver.Table {
	t.Helper()
	drv, err := driver.LoadHIP()
	if err != nil {
		t.Skip(err)
	}
	if n, err := drv.CountDevices(); err != nil || n > 0 {
		t.Skipf("%d GPUs, %v", n, err)
	}
	t.Logf("%s, %s", drv.Runtime, drv.Library.Path)
	return drv
}
