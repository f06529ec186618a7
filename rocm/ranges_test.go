package rocm

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/rocm/internal/childtest"
)

func TestRange(t *testing.T) {
	env := childtest.FakeHIP(t, "testdata")
	Range("nothing to tell it to")()
	dir := strings.TrimPrefix(env[0], "GOROCM_LIBRARY_PATH=")
	if out, err := exec.Command("cc", "-shared", "-fPIC", "-o", filepath.Join(dir, childtest.File("libroctx64.so.4")), "testdata/fakeroctx.c").CombinedOutput(); err != nil {
		t.Fatalf("cc: %v\n%s", err, out)
	}
	childtest.Run(t, "TestRangeChild", env...)
}

func TestRangeChild(t *testing.T) {
	childtest.Only(t)
	Range("before a GPU was opened")()
	if _, err := Open("rocm"); err != nil {
		t.Fatal(err)
	}
	var open func() int32
	var last func() string
	standIn(t, "libroctx64.so.4", "fakeroctx_open", &open)
	standIn(t, "libroctx64.so.4", "fakeroctx_last", &last)
	end := Range("cell 7")
	inner := Range("cell 8")
	if open() != 2 || last() != "cell 8" {
		t.Errorf("%d ranges, the last %q", open(), last())
	}
	inner()
	end()
	if open() != 0 {
		t.Errorf("%d ranges have not ended", open())
	}
}
