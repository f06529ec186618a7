package rocm

import (
	"errors"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/rocm/internal/childtest"
	"github.com/gorocm/gorocm/rocm/internal/compile"
)

func TestCompileAhead(t *testing.T) {
	thorough.Slow(t)
	childtest.Run(t, "TestCompileAheadChild", append(childtest.FakeHIP(t, "testdata"), "GOROCM_CACHE="+t.TempDir())...)
}

// TestCompileAheadChild: what is compiled ahead of time is in the cache when it is asked for.
func TestCompileAheadChild(t *testing.T) {
	childtest.Only(t)
	d, err := Open("rocm")
	if err != nil {
		t.Fatal(err)
	}
	compile.InChildren.Store(true)
	program := func(name, source string) Program {
		return Program{Name: name, Source: func() (string, error) { return source, nil }}
	}
	list := []Program{program("a.hip", "void a()"), program("bad.hip", "\n#error"), program("b.hip", "void b()")}
	if n, err := CompileAhead(d, list).Wait(); n != 2 || !errors.Is(err, ErrCompile) {
		t.Errorf("%d compiled (%v)", n, err)
	}
	for _, p := range list {
		if _, cached := d.LoadCached(p); cached != (p.Name != "bad.hip") {
			t.Errorf("%s is cached: %v", p.Name, cached)
		}
	}
	if _, err := d.Load(list[1]); !errors.Is(err, ErrCompile) {
		t.Errorf("what failed, when it is needed: %v", err)
	}
	more := CompileAhead(d, nil)
	more.Prefer([]Program{program("c.hip", "void c()")})
	if n, err := more.Wait(); n != 1 || err != nil {
		t.Errorf("%d of one compiled (%v)", n, err)
	}
	more.Prefer([]Program{program("d.hip", "void d()"), list[0]})
	if n, err := more.Wait(); n != 2 || err != nil {
		t.Errorf("%d of two compiled (%v)", n, err)
	}
	order := &Ahead{device: d, target: targetOf(d), waiting: list}
	order.Prefer([]Program{program("e.hip", "void e()")})
	if first := order.waiting[0].Name; first != "e.hip" || len(order.waiting) != len(list)+1 {
		t.Errorf("%s is the first of %d", first, len(order.waiting))
	}
	a := CompileAhead(d, list)
	a.Stop()
	if n, _ := a.Wait(); n != 0 {
		t.Errorf("%d compiled once more", n)
	}
	emulated, _ := emulatedDevice(t)
	if n, err := CompileAhead(emulated, list).Wait(); n != 0 || err != nil {
		t.Errorf("%d compiled for the emulated device (%v)", n, err)
	}
}
