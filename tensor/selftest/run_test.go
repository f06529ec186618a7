package selftest

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor/devicetest"
)

var update = flag.Bool("update", false, "rewrite the golden report")

// slowest are checks that take most of the time on the CPU. The kit's own tests have samples of them.
var slowest = []string{"operations: composed functions", "operations: reduce", "operations: long sums",
	"operations: sort", "operations: top k", "operations: attention"}

// patience is how long all checks may take on a busy machine.
const patience = 10 * time.Minute

// TestMain is a working process when a test starts this binary as one.
func TestMain(m *testing.M) {
	switch device := os.Getenv("SELFTEST_DEVICE"); device {
	case "":
		os.Exit(m.Run())
	case "cpu":
		skip := strings.Split(os.Getenv("SELFTEST_SKIP"), ",")
		if !thorough.On() {
			skip = append(skip, slowest...)
		}
		if err := Work(os.Stdout, device, skip, patience); err != nil {
			panic(err)
		}
	case "absent":
		_ = Work(os.Stdout, "cuda:99", nil, time.Minute)
	default:
		misbehave(device)
	}
}

// misbehave is a process of a device with the checks first, second and third.
func misbehave(device string) {
	out := json.NewEncoder(os.Stdout)
	skip := strings.Split(os.Getenv("SELFTEST_SKIP"), ",")
	if device == "speechless" {
		fmt.Fprintln(os.Stderr, "cannot begin")
		os.Exit(4)
	}
	for _, name := range []string{"first", "second", "third"} {
		if slices.Contains(skip, name) {
			continue
		}
		_ = out.Encode(event{Begin: name})
		if name == "second" {
			switch device {
			case "dies":
				fmt.Println("a library's words on standard output")
				fmt.Fprintln(os.Stderr, "Memory access fault by GPU node-1")
				os.Exit(134)
			case "hangs":
				time.Sleep(time.Hour)
			}
		}
		if device == "always dies" {
			os.Exit(1)
		}
		_ = out.Encode(event{Check: &Check{Name: name, State: Passed, Cases: 2}})
	}
	_ = out.Encode(event{Speed: &Speed{"add", 12, "GB/s"}})
	_ = out.Encode(event{End: true})
}

// check runs devices that TestMain plays.
func check(t *testing.T, o Options) *Report {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	o.Command = func(ctx context.Context, device string, skip []string, within time.Duration) *exec.Cmd {
		cmd := exec.CommandContext(ctx, self)
		cmd.Env = append(os.Environ(), "SELFTEST_DEVICE="+device, "SELFTEST_SKIP="+strings.Join(skip, ","))
		return cmd
	}
	return Run(t.Context(), o)
}

// states are the checks of a device in a line.
func states(d *Device) string {
	var list []string
	for _, c := range d.Checks {
		list = append(list, c.Name+" "+c.State)
	}
	return strings.Join(list, ", ")
}

func TestProcesses(t *testing.T) {
	r := check(t, Options{Devices: []string{"fine", "dies", "always dies", "speechless"}, Within: time.Minute})
	fine, dies, always, speechless := r.Devices[0], r.Devices[1], r.Devices[2], r.Devices[3]
	if got := states(fine); got != "first passed, second passed, third passed" || len(fine.Speeds) != 1 ||
		fine.Problem != "" {
		t.Errorf("%+v", fine)
	}
	if got := states(dies); got != "first passed, second died, third passed" {
		t.Errorf("a process that dies: %s", got)
	}
	if words := strings.Join(dies.Checks[1].Findings, "\n"); !strings.Contains(words, "exit status 134") ||
		!strings.Contains(words, "Memory access fault by GPU node-1") ||
		!strings.Contains(words, "a library's words on standard output") {
		t.Errorf("its last words are %q", words)
	}
	if got := states(always); got != "first died, second died, third died" {
		t.Errorf("each process dies: %s", got)
	}
	if !strings.Contains(speechless.Problem, "cannot begin") || len(speechless.Checks) != 0 {
		t.Errorf("%+v", speechless)
	}
	if r.OK() {
		t.Error("the report says that all is well")
	}
}

func TestHang(t *testing.T) {
	r := check(t, Options{Devices: []string{"hangs"}, Within: time.Millisecond, grace: 3 * time.Second})
	if got := states(r.Devices[0]); !strings.HasPrefix(got, "first passed, second died") {
		t.Errorf("%s: %+v", got, r.Devices[0])
	}
}

func TestAbsentDevice(t *testing.T) {
	r := check(t, Options{Devices: []string{"absent"}, Within: time.Minute})
	if d := r.Devices[0]; d.Problem == "" || len(d.Checks) != 0 || r.OK() {
		t.Errorf("%+v", d)
	}
}

// TestCPU runs all checks of the CPU but the longer ones, and reads the report back.
func TestCPU(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	var begun []string
	r := check(t, Options{Devices: []string{"cpu"}, Within: patience,
		Progress: func(_, check string) { begun = append(begun, check) }})
	d := r.Devices[0]
	if !r.OK() || len(d.Speeds) < 8 || len(d.Checks) < 25 || d.BLAS == "" ||
		!slices.Contains(begun, "operations: matmul") {
		t.Errorf("%+v", d)
	}
	for _, c := range d.Checks {
		if c.Name != measuring && c.State == Passed && c.Cases == 0 {
			t.Errorf("%s passed without a case", c.Name)
		}
	}
	for _, s := range d.Speeds {
		if !(s.Value > 0) || s.Unit == "" {
			t.Errorf("%+v", s)
		}
	}
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var back Report
	if err := json.Unmarshal(data, &back); err != nil || !reflect.DeepEqual(back, *r) {
		t.Errorf("read back (%v): %+v", err, back)
	}
}

func TestNoTime(t *testing.T) {
	var out bytes.Buffer
	if err := Work(&out, "cpu", nil, -1); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), `"state":"not run"`); n < 25 || strings.Contains(out.String(), `"begin"`) {
		t.Errorf("%d checks were not run:\n%s", n, out.String())
	}
}

func TestRecorder(t *testing.T) {
	c := runCheck("all", func(t devicetest.T) {
		r := t.(devicetest.Runner)
		r.Run("good", func(t devicetest.T) { t.Helper() })
		r.Run("bad", func(t devicetest.T) {
			t.Errorf("one %d", 1)
			t.Fatal("two")
			t.Error("never")
		})
		r.Run("panics", func(devicetest.T) { panic("words") })
		r.Run("skipped", func(t devicetest.T) { t.Skip("no reason") })
		ok := r.Run("outer", func(t devicetest.T) {
			t.(devicetest.Runner).Run("inner", func(t devicetest.T) { t.Fatalf("deep %s", "inside") })
		})
		if !ok {
			t.Error("a part of a part counts for itself")
		}
	})
	want := Check{Name: "all", State: Failed, Cases: 4, Failures: 3, Seconds: c.Seconds,
		Findings: []string{"bad: one 1", "bad: two", "panics: panic: words", "skipped: no reason",
			"outer/inner: deep inside"}}
	if !reflect.DeepEqual(c, want) {
		t.Errorf("got  %+v\nwant %+v", c, want)
	}
	if c := runCheck("none", func(t devicetest.T) { t.Skip("not here") }); c.State != Skipped || c.Cases != 0 {
		t.Errorf("%+v", c)
	}
	if c := runCheck("plain", func(devicetest.T) {}); c.State != Passed || c.Cases != 1 {
		t.Errorf("%+v", c)
	}
}

// TestText compares the text of a report with everything in it.
func TestText(t *testing.T) {
	r := Report{
		Version: "1.2.3", Time: time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC), Seconds: 61,
		Machine: Machine{System: "Debian, linux/amd64", CPU: "Ryzen", Cores: 16, Memory: 64 << 30, ROCm: "6.4.1",
			AMDGPU: "6.12", Go: "go1.26"},
		Environment: map[string]string{"HSA_OVERRIDE_GFX_VERSION": "11.0.0", "GOROCM_BLAS": "go"},
		Libraries: []Library{{Name: "HIP runtime", Path: "/opt/rocm/lib/libamdhip64.so.6", Version: "HIP 6.4"},
			{Name: "rocBLAS", Problem: "rocm: load librocblas.so: not found"}},
		Devices: []*Device{
			{
				Name: "rocm:0", BLAS: "gorocm's kernels (load librocblas.so: not found)",
				DNN: "MIOpen 3.2.0, /opt/rocm/lib/libMIOpen.so.1; not for bf16 averages of windows", Seconds: 60.4,
				Info: rocm.Info{Name: "AMD Radeon RX 7900 XTX", Arch: "gfx1100", Platform: rocm.HIP, Wave: 32,
					ComputeUnits: 96, TotalMemory: 24 << 30, Runtime: "HIP 6.4.0"},
				Checks: []Check{{Name: "driver: memory", State: Passed, Cases: 1},
					{Name: "driver: BLAS", State: Skipped, Findings: []string{"no library"}},
					{Name: "operations: cast", State: Failed, Cases: 90, Failures: 2,
						Findings: []string{"f32/dense: element 3: got 1, want 2", "f16/dense: two\nlines"}},
					{Name: "operations: sort", State: Died, Cases: 1, Failures: 1,
						Findings: []string{"the process ended: exit status 134\nMemory access fault"}},
					{Name: "operations: norm", State: NotRun}},
				Speeds: []Speed{{"copy f32", 812.4, "GB/s"}, {"matmul f32", 23456.7, "GFLOP/s"},
					{"add of 16 elements, one after the other", 4.321, "µs"}},
			},
			{Name: "rocm:1", Problem: "rocm: hipSetDevice: hipErrorInvalidDevice (101)"},
		},
	}
	var b bytes.Buffer
	if err := r.Text(&b); err != nil {
		t.Fatal(err)
	}
	const path = "testdata/report.txt"
	if *update {
		if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(path); err != nil || string(want) != b.String() {
		t.Errorf("%v; got\n%s\nwant\n%s", err, b.String(), want)
	}
}

func TestHomeIsHidden(t *testing.T) {
	t.Setenv("HOME", "/home/somebody")
	t.Setenv("LD_LIBRARY_PATH", "/home/somebody/rocm/lib:/opt/rocm/lib")
	if got := environment()["LD_LIBRARY_PATH"]; got != "~/rocm/lib:/opt/rocm/lib" {
		t.Errorf("LD_LIBRARY_PATH is %q", got)
	}
}
