package compile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/rocm/internal/childtest"
	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// TestMain lets tests compile in children: this program again.
func TestMain(m *testing.M) {
	if Serve() {
		return
	}
	InChildren.Store(false) // tests that make the stand-in compilers' calls fail do it in this process
	os.Exit(m.Run())
}

func TestCompileChild(t *testing.T) {
	thorough.Slow(t)
	env := childtest.FakeHIP(t, "../../testdata")
	for _, test := range []string{"TestCompileChildResults", "TestCompileChildAborts", "TestCompileChildrenAtOnce", "TestCompileChildOther"} {
		t.Run(test, func(t *testing.T) { childtest.Run(t, test, append(env, "GOROCM_CACHE="+t.TempDir())...) })
	}
}

// TestCompileChildResults: what a child compiles, and what it finds wrong, is what the compiler says in this process.
func TestCompileChildResults(t *testing.T) {
	childtest.Only(t)
	r, options := fakeRTC(t)
	for _, source := range []string{"void k(float *x)", "\n#error", strings.Repeat("// long\n", 1<<17)} {
		InChildren.Store(false)
		want, wantErr := r.Compile("k.hip", source, options)
		InChildren.Store(true)
		got, err := r.Compile("k.hip", source, options)
		if string(got) != string(want) || fmt.Sprint(err) != fmt.Sprint(wantErr) || errors.Is(err, driver.ErrCompile) != errors.Is(wantErr, driver.ErrCompile) {
			t.Errorf("%.20q: %d bytes, %v; in this process %d bytes, %v", source, len(got), err, len(want), wantErr)
		}
	}
}

// TestCompileChildAborts: LLVM's fatal errors are errors.
func TestCompileChildAborts(t *testing.T) {
	childtest.Only(t)
	r, options := fakeRTC(t)
	InChildren.Store(true)
	_, err := r.Compile("k.hip", "#abort", options)
	how := " died with SIGABRT\n"
	if runtime.GOOS == "windows" { // which has no signals
		how = " ended its process\n"
	}
	want := "rocm: compile k.hip: " + childtest.File("libamdhip64.so.6") + how +
		"  LLVM ERROR: Cannot select: intrinsic %llvm.amdgcn.wmma\n" +
		"  that is a fatal error of the compiler itself (" + r.Library.Path + "): change the kernel, or use another version of it"
	if !errors.Is(err, driver.ErrCompile) || err.Error() != want {
		t.Errorf("error\n%v\nwant\n%s", err, want)
	}
	if image, err := r.Compile("k.hip", "void k()", options); err != nil || !strings.HasSuffix(string(image), "void k()") {
		t.Errorf("the next compilation: %q, %v", image, err)
	}
}

// TestCompileChildrenAtOnce: each of two compilations waits until the other has begun.
func TestCompileChildrenAtOnce(t *testing.T) {
	childtest.Only(t)
	r, options := fakeRTC(t)
	InChildren.Store(true)
	a, b := filepath.Join(t.TempDir(), "a"), filepath.Join(t.TempDir(), "b")
	var wg sync.WaitGroup
	for _, source := range []string{"// meet " + a + " " + b, "// meet " + b + " " + a} {
		wg.Go(func() {
			if _, err := r.Compile("k.hip", source, options); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

// TestCompileChildOther: where the compiler's file has gone, the program compiles with what it has loaded.
func TestCompileChildOther(t *testing.T) {
	childtest.Only(t)
	r, options := fakeRTC(t)
	r.Library = &driver.Library{Path: filepath.Join(t.TempDir(), "libhiprtc.so")}
	if image, err := r.compileInChild("k.hip", "void k()", options); !errors.Is(err, errNoChild) {
		t.Errorf("%q, %v", image, err)
	}
	InChildren.Store(true)
	if image, err := r.Compile("k.hip", "void k()", options); err != nil || !strings.HasSuffix(string(image), "void k()") {
		t.Errorf("in this process: %q, %v", image, err)
	}
}

func fakeRTC(t *testing.T) (*RTC, []string) {
	t.Helper()
	r, err := LoadHIPRTC()
	if err != nil {
		t.Fatal(err)
	}
	options, err := r.Options("gfx1100:xnack-")
	if err != nil {
		t.Fatal(err)
	}
	return r, options
}
