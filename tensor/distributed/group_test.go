package distributed

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/gorocm/gorocm/tensor"
)

// TestGroup shares tensors between two emulated GPUs, in a process of its own.
func TestGroup(t *testing.T) {
	cmd := exec.Command(os.Args[0], "-test.run=^TestGroupChild$", "-test.v")
	cmd.Env = append(os.Environ(), "GOROCM_EMULATE=1", "GOROCM_REQUIRE_GPU=", "GOROCM_EMULATED_DEVICES=2",
		"GOROCM_EMULATED_MEMORY=67108864", "GOROCM_TEST_GROUP=1")
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS: TestGroupChild") {
		t.Fatalf("%v\n%s", err, out)
	}
}

func TestGroupChild(t *testing.T) {
	if os.Getenv("GOROCM_TEST_GROUP") == "" {
		t.Skip("run by TestGroup, in a child process")
	}
	if _, err := New(tensor.CPU()); !errors.Is(err, tensor.ErrDevice) {
		t.Errorf("the CPU as a member: %v", err)
	}
	a, err1 := tensor.NewDevice("rocm:0")
	b, err2 := tensor.NewDevice("rocm:1")
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	if _, err := New(a, a); !errors.Is(err, tensor.ErrDevice) {
		t.Errorf("a member twice: %v", err)
	}
	g, err := New(a, b)
	if err != nil {
		t.Fatal(err)
	}
	if info := g.Library(); info.Name != "" || info.Problem == "" {
		t.Errorf("Library() = %+v", info)
	}
	for _, dt := range []tensor.DType{tensor.F32, tensor.F64, tensor.F16, tensor.BF16, tensor.U8, tensor.U32, tensor.I32, tensor.I64} {
		x := a.Arange(dt, 12).Reshape(3, 4)
		y := b.Arange(dt, 5, 17).Reshape(4, 3).T() // not dense
		want := tensor.CPU().Arange(tensor.F64, 12).Reshape(3, 4).Add(tensor.CPU().Arange(tensor.F64, 5, 17).Reshape(4, 3).T())
		for i, sum := range g.AllReduce(x, y) {
			if got := fmt.Sprint(sum.Dims(), sum.DType(), sum.Float64s()); got != fmt.Sprint(want.Dims(), dt,
				want.Float64s()) || sum.Device() != g.devices[i] {
				t.Errorf("sum on member %d: %s on %v, want %v", i, got, sum.Device(), want.Float64s())
			}
		}
		for i, all := range g.AllGather(x, y) {
			want := append(x.Float64s(), y.Float64s()...)
			if got := fmt.Sprint(all.Dims(), all.Float64s()); got != fmt.Sprint([]int{6, 4}, want) {
				t.Errorf("gathered on member %d: %s, want %v", i, got, want)
			}
		}
		for i, copied := range g.Broadcast(y) {
			if got := fmt.Sprint(copied.Dims(), copied.DType(), copied.Float64s()); got != fmt.Sprint(y.Dims(), dt,
				y.Float64s()) || copied.Device() != g.devices[i] {
				t.Errorf("copy on member %d: %s on %v", i, got, copied.Device())
			}
		}
	}
	x, y := a.Ones(tensor.F32, 2), b.Ones(tensor.F32, 2)
	for name, c := range map[string]struct {
		kind error
		run  func()
	}{
		"one tensor":   {tensor.ErrShape, func() { g.AllReduce(x) }},
		"nil":          {tensor.ErrShape, func() { g.AllReduce(x, nil) }},
		"shapes":       {tensor.ErrShape, func() { g.AllReduce(x, y.Reshape(1, 2)) }},
		"scalars":      {tensor.ErrShape, func() { g.AllGather(x.Sum(), y.Sum()) }},
		"dtypes":       {tensor.ErrDType, func() { g.AllReduce(x, y.ToDType(tensor.F64)) }},
		"i16":          {tensor.ErrDType, func() { g.AllReduce(x.ToDType(tensor.I16), y.ToDType(tensor.I16)) }},
		"order":        {tensor.ErrDevice, func() { g.AllReduce(y, x) }},
		"not a member": {tensor.ErrDevice, func() { g.Broadcast(x.ToDevice(tensor.CPU())) }},
		"nil copied":   {tensor.ErrShape, func() { g.Broadcast(nil) }},
		"nil gathered": {tensor.ErrShape, func() { g.AllGather(nil, y) }},
	} {
		if _, err := tensor.Try(func() *tensor.Tensor { c.run(); return nil }); !errors.Is(err, c.kind) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := New(a, nil); !errors.Is(err, tensor.ErrDevice) || !strings.Contains(err.Error(), "device 1 is nil") {
		t.Errorf("a member that is nil: %v", err)
	}
	if err := g.Close(); err != nil {
		t.Error(err)
	}
}

// TestJoin shares tensors between two processes, each with an emulated GPU.
func TestJoin(t *testing.T) {
	path := filepath.Join(t.TempDir(), "job")
	var both sync.WaitGroup
	for rank := range 2 {
		both.Go(func() {
			cmd := exec.Command(os.Args[0], "-test.run=^TestJoinChild$", "-test.v")
			cmd.Env = append(os.Environ(), "GOROCM_EMULATE=1", "GOROCM_REQUIRE_GPU=", "GOROCM_EMULATED_MEMORY=67108864",
				"GOROCM_TEST_GROUP="+path, fmt.Sprint("RANK=", rank))
			if out, err := cmd.CombinedOutput(); err != nil ||
				!strings.Contains(string(out), "--- PASS: TestJoinChild") {
				t.Errorf("rank %d: %v\n%s", rank, err, out)
			}
		})
	}
	both.Wait()
}

func TestJoinChild(t *testing.T) {
	path, rank := os.Getenv("GOROCM_TEST_GROUP"), 0
	if path == "" {
		t.Skip("run by TestJoin, in a child process")
	}
	if _, err := fmt.Sscan(os.Getenv("RANK"), &rank); err != nil {
		t.Fatal(err)
	}
	dev, err := tensor.NewDevice("rocm")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Join(path, rank, 2, tensor.CPU()); !errors.Is(err, tensor.ErrDevice) {
		t.Errorf("the CPU as a member: %v", err)
	}
	if _, err := Join(path, 2, 2, dev); !errors.Is(err, tensor.ErrDevice) ||
		!strings.Contains(err.Error(), "rank 2 of 2") {
		t.Errorf("a rank that does not exist: %v", err)
	}
	g, err := Join(path, rank, 2, dev)
	if err != nil {
		t.Fatal(err)
	}
	if g.Rank() != rank || g.Size() != 2 || len(g.Devices()) != 1 {
		t.Errorf("rank %d of %d, on %v", g.Rank(), g.Size(), g.Devices())
	}
	of := func(rank int) *tensor.Tensor {
		return dev.Arange(tensor.F32, float64(rank), float64(6+rank)).Reshape(3, 2)
	}
	for what, c := range map[string][2]*tensor.Tensor{
		"sum":    {g.AllReduce(of(rank).T())[0], of(0).Add(of(1)).T()},
		"gather": {g.AllGather(of(rank))[0], tensor.Cat([]*tensor.Tensor{of(0), of(1)}, 0)},
		"copy":   {g.Broadcast(of(rank))[0], of(0)},
	} {
		if got, want := fmt.Sprint(c[0].Dims(), c[0].Float64s()),
			fmt.Sprint(c[1].Dims(), c[1].Float64s()); got != want {
			t.Errorf("%s: %s, want %s", what, got, want)
		}
	}
	if err := g.Close(); err != nil {
		t.Error(err)
	}
}
