//go:build linux || windows

package enter

import (
	"strings"
	"testing"
)

func TestUnsupported(t *testing.T) {
	if why := Unsupported(); why != "" {
		t.Error(why)
	}
	for _, v := range []string{"go1.26", "go1.26.8", "go1.26.1 X:nocoverageredesign", "go1.26-abc"} {
		if why := otherVersion(v); why != "" {
			t.Errorf("%s: %s", v, why)
		}
	}
	for _, v := range []string{"go1.27", "go1.260", "devel go1.27-0123456", "go2"} {
		if otherVersion(v) == "" {
			t.Errorf("%s is taken for Go 1.26", v)
		}
	}
}

// TestOtherRuntime: a runtime with another place for the bound, or another value in it, is noticed and not harmed.
func TestOtherRuntime(t *testing.T) {
	try := func(at int, preempt int64) string {
		why := make(chan string)
		go func() { why <- otherRuntime(at, preempt) }()
		return <-why
	}
	for range 100 {
		if why := try(PreemptAt, Preempt); why != "" {
			t.Fatal(why)
		}
	}
	if why := try(24, Preempt); !strings.Contains(why, "bounds of its stack") {
		t.Errorf("another place of the bound: %q", why)
	}
	if why := try(PreemptAt, -1310); !strings.Contains(why, "does not yield") {
		t.Errorf("another value: %q", why)
	}
}
