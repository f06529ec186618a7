package self

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestFile runs this test program from a copy, which is there, moved, replaced and removed.
func TestFile(t *testing.T) {
	if os.Getenv("TEST_SELF") != "" {
		child()
	}
	if runtime.GOOS != "linux" {
		t.Skip("only Linux has the file of a program that was replaced")
	}
	path := filepath.Join(t.TempDir(), "program")
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b, 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, "-test.run", "TestFile")
	cmd.Env = append(os.Environ(), "TEST_SELF=1")
	out, err := cmd.Output()
	if want := path + " true\n" + path + ".old true\n" + path + " true\n/proc/self/exe true\n/proc/self/exe true\n"; err != nil || string(out) != want {
		t.Errorf("%q, want %q (%v)", out, want, err)
	}
}

// child prints what the functions say.
func child() {
	path, err := os.Executable()
	for _, change := range []func() error{
		func() error { return err },
		func() error { return os.Rename(path, path+".old") },
		func() error { return os.Rename(path+".old", path) },
		func() error { return errors.Join(os.Remove(path), os.WriteFile(path, []byte("#!/bin/sh\n"), 0o700)) },
		func() error { return os.Remove(path) },
	} {
		failed := change()
		file, err := File()
		if failed != nil || err != nil {
			os.Exit(1)
		}
		is := map[bool]string{true: " true\n", false: " false\n"}[Is(path)]
		_, _ = io.Copy(os.Stdout, strings.NewReader(file+is))
	}
	os.Exit(0)
}
