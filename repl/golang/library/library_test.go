package library

import (
	"fmt"
	"go/constant"
	"go/types"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// TestSystem: constants are those of the system that the program runs on.
func TestSystem(t *testing.T) {
	l, err := New(nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Import("os/exec"); err != nil { // which mentions types of os and syscall
		t.Fatal(err)
	}
	for _, c := range []struct {
		pkg, name string
		want      any
	}{
		{"os", "O_CREATE", os.O_CREATE}, {"os", "O_EXCL", os.O_EXCL}, {"os", "O_TRUNC", os.O_TRUNC},
		{"os", "O_APPEND", os.O_APPEND}, {"os", "O_SYNC", os.O_SYNC}, {"os", "PathSeparator", os.PathSeparator},
		{"os", "PathListSeparator", os.PathListSeparator}, {"os", "DevNull", os.DevNull},
		{"path/filepath", "Separator", filepath.Separator},
		{"path/filepath", "ListSeparator", filepath.ListSeparator},
		{"runtime", "GOOS", runtime.GOOS}, {"runtime", "GOARCH", runtime.GOARCH},
	} {
		p, err := l.Import(c.pkg)
		if err != nil {
			t.Fatal(err)
		}
		got := p.Scope().Lookup(c.name).(*types.Const).Val()
		text := got.ExactString()
		if got.Kind() == constant.String {
			text = constant.StringVal(got)
		}
		if text != fmt.Sprint(c.want) {
			t.Errorf("%s.%s is %s, want %v", c.pkg, c.name, text, c.want)
		}
	}
}

// TestSystems: each system has data of the same packages.
func TestSystems(t *testing.T) {
	l, err := New(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, system := range []string{"darwin/amd64", "darwin/arm64", "freebsd/amd64", "linux/arm64", "windows/amd64",
		"windows/arm64"} {
		for _, pkg := range []string{"os", "path/filepath", "runtime", "syscall"} {
			if l.files["systems/"+system+"/"+pkg] == nil {
				t.Errorf("%s has no data of %s", system, pkg)
			}
		}
	}
}
