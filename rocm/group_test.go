package rocm

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/rocm/internal/childtest"
	"github.com/gorocm/gorocm/rocm/internal/group"
)

// elements are those of whole numbers in any type that groups take.
func elements(elem string, values []float64) []byte {
	var b []byte
	for _, v := range values {
		switch elem {
		case "u8":
			b = append(b, byte(int(v)))
		case "i32", "u32":
			b = binary.LittleEndian.AppendUint32(b, uint32(int32(v)))
		case "i64":
			b = binary.LittleEndian.AppendUint64(b, uint64(int64(v)))
		default:
			b = append(b, encode(elem, []float64{v})...)
		}
	}
	return b
}

// together runs every operation of a group, in every type, and compares.
func together(t *testing.T, g *Group) {
	t.Helper()
	const n = 37
	devices := g.Devices()
	for _, elem := range []string{"f32", "f64", "f16", "bf16", "u8", "i32", "u32", "i64"} {
		size := group.ElemSizes[elem]
		var values [][]float64
		var from, to []Place
		for i, d := range devices {
			list := make([]float64, n)
			for k := range list {
				list[k] = float64((k*(i+3))%7 + i)
			}
			values = append(values, list)
			b, r := alloc(t, d, (n+i)*size), alloc(t, d, (len(devices)*n+2*i)*size)
			if err := b.Upload(i*size, elements(elem, list)); err != nil {
				t.Fatal(err)
			}
			from, to = append(from, Place{b, i * size}), append(to, Place{r, 2 * i * size})
		}
		same := func(what string, places []Place, want []float64) {
			t.Helper()
			for i, p := range places {
				got := make([]byte, len(want)*size)
				if err := p.Buffer.Download(got, p.Offset); err != nil {
					t.Fatal(err)
				}
				if string(got) != string(elements(elem, want)) {
					t.Errorf("%s of %s: wrong on member %d", what, elem, i)
				}
			}
		}
		for how, join := range map[Reduction]func(a, b float64) float64{
			Sum: func(a, b float64) float64 { return a + b }, Product: func(a, b float64) float64 { return a * b },
			Max: func(a, b float64) float64 { return max(a, b) }, Min: func(a, b float64) float64 { return min(a, b) },
		} {
			want := append([]float64(nil), values[0]...)
			for _, list := range values[1:] {
				for k, v := range list {
					want[k] = join(want[k], v)
				}
			}
			if err := g.AllReduce(how, elem, n, from, to); err != nil {
				t.Fatal(err)
			}
			same(string(how), to, want)
		}
		var all []float64
		for _, list := range values {
			all = append(all, list...)
		}
		if err := g.AllGather(elem, n, from, to); err != nil {
			t.Fatal(err)
		}
		same("gather", to, all)
		last := len(devices) - 1
		if err := g.Broadcast(elem, n, last, from); err != nil {
			t.Fatal(err)
		}
		same("broadcast", from, values[last])
	}
	groupMistakes(t, g)
}

func groupMistakes(t *testing.T, g *Group) {
	var at []Place
	for _, d := range g.Devices() {
		at = append(at, Place{alloc(t, d, 64), 0})
	}
	backwards := []Place{at[1], at[0]}
	for name, run := range map[string]func() error{
		"type":      func() error { return g.AllReduce(Sum, "f8e4m3", 4, at, at) },
		"count":     func() error { return g.AllReduce(Sum, "f32", -1, at, at) },
		"reduction": func() error { return g.AllReduce("mean", "f32", 4, at, at) },
		"beyond":    func() error { return g.AllGather("f32", 16, at, at) },
		"members":   func() error { return g.AllGather("f32", 4, at[:1], at) },
		"order":     func() error { return g.AllReduce(Sum, "f32", 4, backwards, at) },
		"root":      func() error { return g.Broadcast("f32", 4, 2, at) },
	} {
		if err := run(); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := g.AllReduce(Sum, "f32", 0, at, at); err != nil {
		t.Errorf("nothing: %v", err)
	}
}

func openTwo(t *testing.T) []*Device {
	t.Helper()
	a, err := Open("rocm:0")
	if err != nil {
		t.Fatal(err)
	}
	b, err := Open("rocm:1")
	if err != nil {
		t.Fatal(err)
	}
	return []*Device{a, b}
}

func TestGroup(t *testing.T) {
	env := append(childtest.FakeHIP(t, "testdata"), "GOROCM_COMM=")
	childtest.Run(t, "TestGroupByHandChild", append(env, "WANT_PROBLEM=load "+childtest.File("librccl.so")+": not found")...)
	buildStandIn(t, strings.TrimPrefix(env[0], "GOROCM_LIBRARY_PATH="), "librccl.so.1", "testdata/fakerccl.c")
	childtest.Run(t, "TestGroupChild", append(env, "FAKEHIP_STREAMS=1")...)
	childtest.Run(t, "TestGroupByHandChild", append(env, "GOROCM_COMM=go", "WANT_PROBLEM=GOROCM_COMM=go is set")...)
}

func TestGroupEmulated(t *testing.T) {
	childtest.Run(t, "TestGroupByHandChild", "GOROCM_EMULATE=1", "GOROCM_REQUIRE_GPU=", "GOROCM_EMULATED_DEVICES=2", "GOROCM_EMULATED_MEMORY=16777216", "WANT_PROBLEM=no way to each other but the host")
}

// TestCUDAGroup runs the real NCCL, where it and two GPUs are there, and then does the same by hand.
func TestCUDAGroup(t *testing.T) {
	a := cudaDevice(t)
	b, err := Open("cuda:1")
	if err != nil {
		t.Skipf("no second NVIDIA GPU: %v", err)
	}
	for _, comm := range []string{"", "go"} {
		t.Setenv("GOROCM_COMM", comm)
		g, err := NewGroup(a, b)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%+v", g.Library())
		together(t, g)
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	}
}

// onStreams runs a group on other streams of its devices, with the same operands.
func onStreams(t *testing.T, g *Group) {
	t.Helper()
	var streams []*Device
	for _, d := range g.Devices() {
		s, err := d.NewStream()
		if err != nil {
			t.Fatal(err)
		}
		streams = append(streams, s)
	}
	beside, err := g.On(streams...)
	if err != nil {
		t.Fatal(err)
	}
	together(t, beside)
	if _, err := g.On(streams[1], streams[0]); !errors.Is(err, ErrInvalid) {
		t.Errorf("streams of other devices: %v", err)
	}
	if _, err := g.On(streams[0]); !errors.Is(err, ErrInvalid) {
		t.Errorf("too few streams: %v", err)
	}
}

func TestGroupByHandChild(t *testing.T) {
	childtest.Only(t)
	g, err := NewGroup(openTwo(t)...)
	if err != nil {
		t.Fatal(err)
	}
	onStreams(t, g)
	if info := g.Library(); info.Name != "" || !strings.Contains(info.Problem, os.Getenv("WANT_PROBLEM")) {
		t.Errorf("Library() = %+v", info)
	}
	together(t, g)
	if g.devices[0].Info().Platform == HIP {
		var inject func(name string, code, times int32)
		standIn(t, "libamdhip64.so.6", "fakehip_inject", &inject)
		at := []Place{{alloc(t, g.devices[0], 4), 0}, {alloc(t, g.devices[1], 4), 0}}
		inject("hipMemcpyPeerAsync", 1, 1)
		if err := g.Broadcast("f32", 1, 0, at); err == nil || !strings.HasPrefix(err.Error(), "rocm: hipMemcpyPeerAsync: hipErrorInvalidValue (1)") {
			t.Errorf("a copy between devices that fails: %v", err)
		}
		if err := g.Broadcast("f32", 1, 0, at); err != nil {
			t.Errorf("after it: %v", err)
		}
	}
	if err := g.Close(); err != nil {
		t.Error(err)
	}
	if err := g.Broadcast("f32", 1, 0, []Place{{alloc(t, g.devices[0], 4), 0}, {alloc(t, g.devices[1], 4), 0}}); !errors.Is(err, ErrInvalid) {
		t.Errorf("a closed group: %v", err)
	}
}

func TestGroupChild(t *testing.T) {
	childtest.Only(t)
	devices := openTwo(t)
	if _, err := NewGroup(); !errors.Is(err, ErrInvalid) {
		t.Errorf("no devices: %v", err)
	}
	if _, err := NewGroup(devices[0], devices[0]); !errors.Is(err, ErrInvalid) {
		t.Errorf("one device twice: %v", err)
	}
	var inject func(name string, code, times int32)
	var comms, collectives func() int32
	var beside func() int32
	standIn(t, "librccl.so.1", "fakerccl_inject", &inject)
	standIn(t, "librccl.so.1", "fakerccl_comms", &comms)
	standIn(t, "librccl.so.1", "fakerccl_collectives", &collectives)
	standIn(t, "librccl.so.1", "fakerccl_beside", &beside)
	g, err := NewGroup(devices...)
	if err != nil {
		t.Fatal(err)
	}
	if info := g.Library(); info.Name != "RCCL" || info.Version != "2.21.3" || comms() != 2 || g.String() != "group of [rocm:0 rocm:1]" {
		t.Errorf("%v, Library() = %+v, %d communicators", g, info, comms())
	}
	together(t, g)
	if collectives() != 8*6 {
		t.Errorf("the library ran %d collectives, want %d", collectives(), 8*6)
	}
	if beside() != 0 {
		t.Errorf("%d calls were not on the devices' streams", beside())
	}
	onStreams(t, g)
	if got, want := int(beside()), 8*6*len(devices); got != want {
		t.Errorf("%d calls on other streams, want %d", got, want)
	}
	// Each call fails in turn: the error says which, and the next collective succeeds.
	at := []Place{{alloc(t, devices[0], 64), 0}, {alloc(t, devices[1], 64), 0}}
	all := func() error {
		return errors.Join(g.AllReduce(Sum, "f32", 8, at, at), g.AllGather("f32", 8, at, at), g.Broadcast("f32", 8, 1, at))
	}
	names := map[int32]string{1: "ncclUnhandledCudaError", 2: "ncclSystemError", 3: "ncclInternalError", 4: "ncclInvalidArgument", 5: "ncclInvalidUsage"}
	for call, status := range map[string]int32{"ncclGroupStart": 5, "ncclAllReduce": 4, "ncclAllGather": 1, "ncclBroadcast": 3, "ncclGroupEnd": 2} {
		inject(call, status, 1)
		want := fmt.Sprintf("rocm: %s: %s (%d)\n  RCCL 2.21.3, /", call, names[status], status)
		if err := all(); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", call, err, want)
		}
		if err := all(); err != nil {
			t.Errorf("after %s: %v", call, err)
		}
	}
	inject("ncclCommDestroy", 3, 1)
	if err := g.Close(); err == nil || !strings.Contains(err.Error(), "ncclCommDestroy: ncclInternalError (3)") || comms() != 0 {
		t.Errorf("Close() = %v, %d communicators", err, comms())
	}
	if err := g.Close(); err != nil {
		t.Errorf("the second Close() = %v", err)
	}
	for _, call := range []string{"ncclGetUniqueId", "ncclCommInitRank"} {
		inject(call, 3, 1)
		path := filepath.Join(t.TempDir(), "group")
		if _, err := JoinGroup(path, 0, 1, devices[0]); err == nil || !strings.HasPrefix(err.Error(), "rocm: "+call+": ncclInternalError (3)") {
			t.Errorf("%s fails: %v", call, err)
		}
		if g, err := JoinGroup(path, 0, 1, devices[0]); err != nil {
			t.Errorf("after %s: %v", call, err)
		} else if err := g.Close(); err != nil {
			t.Errorf("after %s: %v", call, err)
		}
	}
	inject("ncclCommInitAll", 2, 1)
	g, err = NewGroup(devices...)
	if err != nil || !strings.Contains(g.Library().Problem, "ncclCommInitAll: ncclSystemError (2)") || comms() != 0 {
		t.Errorf("without communicators: %v, %+v", err, g.Library())
	}
	together(t, g)
}
