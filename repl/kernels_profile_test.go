package repl

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gorocm/gorocm/internal/timeline"
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/rocm/emulator"
)

func TestProfileText(t *testing.T) {
	p := rocm.Profile{Kernel: "sums", Wave: 32, Launches: 2, Blocks: 8, Waves: 16, Lanes: 16 * 32 * 3, Barriers: 8,
		BytesRead: 1 << 20, BytesWritten: 300,
		LDSRead: 64 << 10, LDSWritten: 64, Lines: 12, Conflicts: 5, Time: 3 * time.Millisecond}
	p.Instructions[emulator.VALU], p.Instructions[emulator.LDS] = 48, 16
	q := rocm.Profile{Kernel: "a_longer_name", Launches: 1000, Blocks: 1000, Waves: 1000, Time: 2 * time.Second}
	want := `kernel  launches  blocks  waves  instructions  time
sums           2       8     16            64  3 ms
  VALU 48, LDS 16; 75.0% of lanes on
  global memory: 1.0 MiB read, 300 B written, 12 accesses to lines of 128 B
  shared memory: 64.0 KiB read, 64 B written, 5 bank conflicts, 8 barriers
`
	if got := profileText([]rocm.Profile{p}, true); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	want = `kernel         launches  blocks  waves  time
sums                  2       8     16  3 ms
a_longer_name      1000    1000   1000   2 s
`
	if got := profileText([]rocm.Profile{p, q}, false); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := profileText(nil, true); got != "no kernel ran\n" {
		t.Errorf("got %q", got)
	}
}

// TestTimeline: a file has the launches of a device and the operations of the host.
func TestTimeline(t *testing.T) {
	s := newSession(t)
	mustRun(t, s, "x := tensor.CPU().Ones(tensor.F32, 100, 100)\ny := Device(\"rocm\").Ones(tensor.F32, 8)")
	file := filepath.Join(t.TempDir(), "step.json")
	mustRun(t, s, "%%profile -o "+file+"\nfor range 2 { y = y.Exp() }\ny.ToVec1();\nx.MatMul(x).ToVec2();\n"+
		"big := tensor.CPU().Ones(tensor.F32, 1<<20).Add(1).Exp().Mul(2)\nbig.Sum();")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var trace struct {
		TraceEvents []struct {
			Name, Ph string
			Ts, Dur  float64
			Pid      int
			Args     map[string]any
		}
	}
	if err := json.Unmarshal(data, &trace); err != nil {
		t.Fatal(err)
	}
	tracks, seen := map[int]any{}, map[string]bool{}
	for _, e := range trace.TraceEvents {
		if e.Ph == "M" {
			tracks[e.Pid] = e.Args["name"]
			continue
		}
		seen[fmt.Sprint(tracks[e.Pid], " ", e.Name)] = true
		if e.Ph != "X" || e.Ts < 0 || e.Dur < 0 || e.Ts > 60e6 {
			t.Errorf("%+v", e)
		}
	}
	for _, want := range []string{"host matmul_f32", "host fused chain"} {
		if !seen[want] {
			t.Errorf("no %s in %v", want, seen)
		}
	}
	names := slices.Collect(maps.Keys(seen))
	if !slices.ContainsFunc(names, func(s string) bool { return strings.HasPrefix(s, "rocm:0 ") }) {
		t.Errorf("no launch of the device in %v", seen)
	}
	if timeline.Active() {
		t.Error("the recording goes on")
	}
}

func TestHostText(t *testing.T) {
	span := func(name string, ms, bytes, flops int) timeline.Span {
		return timeline.Span{Name: name, Time: time.Duration(ms) * time.Millisecond,
			Work: timeline.Work{Bytes: bytes, Flops: flops}}
	}
	spans := []timeline.Span{span("add_f32", 1, 6<<20, 0), span("matmul_f32", 5, 3<<20, 100_000_000),
		span("add_f32", 3, 3<<20, 0), span("masked_u8", 1, 0, 0), span("conv2d_f32", 1, 1<<20, 1000),
		span("conv2d_f32", 1, 1<<20, 0)}
	want := `operation of the host  calls  time   memory        rate
matmul_f32                 1  5 ms  3.0 MiB  20 GFLOP/s
add_f32                    2  4 ms  9.0 MiB   2.36 GB/s
conv2d_f32                 2  2 ms  2.0 MiB   1.05 GB/s
masked_u8                  1  1 ms
`
	if got := hostText(spans); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := timelineText([][]rocm.Profile{{{Launches: 3, Spans: make([]emulator.Span, 1)}}}, spans, 2); got !=
		"1 kernel launch, 6 operations of the host; 4 more were too many" {
		t.Error(got)
	}
}
