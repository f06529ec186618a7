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
	"syscall"
	"testing"
	"time"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor/devicetest"
)

var update = flag.Bool("update", false, "rewrite the golden report")

// slowest are checks that take most of the time on the CPU. The kit's own tests have samples of them.
var slowest = []string{"operations: composed functions", "operations: reduce", "operations: long sums",
	"operations: sort", "operations: top k", "operations: attention", "operations: gradients of attention",
	"operations: cumulative extremes", "operations: gather and scatter", "operations: binary"}

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
		if err := Work(os.Stdout, Job{Device: device, Skip: skip, Within: patience}); err != nil {
			panic(err)
		}
	case "absent":
		_ = Work(os.Stdout, Job{Device: "cuda:99", Within: time.Minute})
	default:
		misbehave(device)
	}
}

// misbehave is a process of a device with the checks first, second and third.
func misbehave(device string) {
	out := json.NewEncoder(os.Stdout)
	skip := strings.Split(os.Getenv("SELFTEST_SKIP"), ",")
	if device == "gpu" {
		playGPU(out)
		return
	}
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
	_ = out.Encode(event{Speed: &Speed{Name: "add", Value: 12, Unit: "GB/s"}})
	_ = out.Encode(event{End: true})
}

// playGPU is a process of a GPU whose driver ends it at a fault, with libraries.
func playGPU(out *json.Encoder) {
	begin := func(name string) { _ = out.Encode(event{Begin: name}) }
	passed := func(name string) { _ = out.Encode(event{Check: &Check{Name: name, State: Passed, Cases: 1}}) }
	product := Speed{Name: "matmul f16", Value: 60e3, Unit: "GFLOP/s", Of: ofHalf}
	switch os.Getenv("SELFTEST_PART") {
	case "":
		_ = out.Encode(event{Info: &rocm.Info{Name: "AMD Radeon RX 7900 XTX", Arch: "gfx1100", Platform: rocm.HIP,
			ComputeUnits: 96}})
		begin("first")
		_ = out.Encode(event{Fact: &Fact{"architecture", "RDNA 3"}})
		_ = out.Encode(event{Speed: &product, Library: true})
		_ = out.Encode(event{Speed: &Speed{Name: "copy f32", Value: 480, Unit: "GB/s", Of: ofMemory}})
		passed("first")
	case PartOwn:
		product.Value = 45e3
		if os.Getenv("GOROCM_BLAS") != "go" || os.Getenv("GOROCM_DNN") != "go" {
			product.Value = 1
		}
		_ = out.Encode(event{Speed: &product})
		passed("speeds of gorocm's kernels")
	case PartFault:
		begin(faulting)
		fmt.Fprintln(os.Stderr, "Memory access fault by GPU node-1 (Agent handle: 0x1) on address 0x10000")
		_ = syscall.Kill(os.Getpid(), syscall.SIGABRT) // as abort in C
		time.Sleep(time.Minute)
	case PartAfter:
		passed(working)
	}
	_ = out.Encode(event{End: true})
}

// TestParts: a driver that ends the process at a fault reports it so; gorocm's kernels stand beside the library, and
// speeds beside the data sheet.
func TestParts(t *testing.T) {
	r := check(t, Options{Devices: []string{"gpu"}, Within: time.Minute})
	d := r.Devices[0]
	if got := states(d); got != "first passed, speeds of gorocm's kernels passed, "+faulting+" passed, "+
		working+" passed" || !r.OK() {
		t.Errorf("%s", got)
	}
	const want = "the process ended: exit status 2\n" +
		"Memory access fault by GPU node-1 (Agent handle: 0x1) on address 0x10000\nSIGABRT: abort"
	if len(d.Facts) != 2 || d.Facts[1].Text != want {
		t.Errorf("facts: %+v", d.Facts)
	}
	if d.Card == nil || d.Speeds[0].Own != 45e3 || d.Speeds[0].Peak != 122.8e3 || d.Speeds[1].Own != 0 {
		t.Fatalf("%+v of %+v", d.Speeds, d.Card)
	}
	if _, words := d.Speeds[0].Share(); words != "as expected" {
		t.Error(words)
	}
	if share, words := d.Speeds[1].Share(); share != 0.5 || words != "LESS than expected" {
		t.Error(share, words)
	}
}

// check runs devices that TestMain plays.
func check(t *testing.T, o Options) *Report {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	o.Command = func(ctx context.Context, job Job) *exec.Cmd {
		cmd := exec.CommandContext(ctx, self)
		cmd.Env = append(os.Environ(), "SELFTEST_DEVICE="+job.Device, "SELFTEST_PART="+job.Part,
			"SELFTEST_SKIP="+strings.Join(job.Skip, ","))
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
	thorough.Slow(t)
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
	if !thorough.On() {
		t.Skip("takes some seconds, most of them for the conformance kit")
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
	if err := Work(&out, Job{Device: "cpu", Within: -1}); err != nil {
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
				Facts: []Fact{{"architecture", "RDNA 3, gfx1100"}, {"a fault", "the process ended\nat once"}},
				Speeds: []Speed{{Name: "copy f32", Value: 812.4, Unit: "GB/s", Of: ofMemory},
					{Name: "matmul f32", Value: 13456.7, Unit: "GFLOP/s", Of: ofSingle, Own: 20000},
					{Name: "add of 16 elements, one after the other", Value: 4.321, Unit: "µs"}},
			},
			{Name: "rocm:1", Problem: "rocm: hipSetDevice: hipErrorInvalidDevice (101)"},
		},
	}
	var b bytes.Buffer
	r.Devices[0].shareOf()
	if err := r.Text(&b); err != nil {
		t.Fatal(err)
	}
	b.WriteString("\n" + strings.Join(r.Lines(), "\n") + "\n")
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
