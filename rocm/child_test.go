package rocm

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"
)

// child runs one test of this package in a process of its own, with more environment: drivers are loaded once per process.
// It returns what the process printed, and fails the test if that process fails or has no such test.
func child(t *testing.T, test string, env ...string) string {
	t.Helper()
	out, err := childFails(t, test, env...)
	if err != nil {
		t.Fatalf("%s in a child process: %v\n%s", test, err, out)
	}
	if !strings.Contains(out, "--- PASS: "+test) {
		t.Fatalf("%s did not run:\n%s", test, out)
	}
	return out
}

func childFails(t *testing.T, test string, env ...string) (string, error) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^"+regexp.QuoteMeta(test)+"$", "-test.v")
	cmd.WaitDelay = time.Second
	cmd.Env = append(os.Environ(), env...)
	cmd.Env = append(cmd.Env, "GOROCM_TEST_CHILD="+test)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// inChild skips a test that child runs, unless child runs it.
func inChild(t *testing.T) {
	t.Helper()
	if os.Getenv("GOROCM_TEST_CHILD") != t.Name() {
		t.Skip("run by another test, in a child process")
	}
}
