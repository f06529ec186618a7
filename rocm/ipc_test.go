package rocm

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/rocm/internal/childtest"
)

func TestShareHIP(t *testing.T) {
	childtest.Run(t, "TestShareHIPChild", childtest.FakeHIP(t, "testdata")...)
}

func TestShareHIPChild(t *testing.T) {
	childtest.Only(t)
	d, err := Open("rocm")
	if err != nil {
		t.Fatal(err)
	}
	var mappings func() int32
	var inject func(name string, code, times int32)
	standIn(t, "libamdhip64.so.6", "fakehip_mappings", &mappings)
	standIn(t, "libamdhip64.so.6", "fakehip_inject", &inject)
	var list []*Buffer // of one size, so that later ones are in the middle of an allocation
	for range 9 {
		list = append(list, alloc(t, d, 1000))
	}
	b := list[8]
	if b.Ptr() == b.block.slab.ptr {
		b = list[7]
	}
	if err := b.Fill(0, 1000, 5); err != nil {
		t.Fatal(err)
	}
	s, err := b.Share()
	if err != nil || s.offset == 0 || s.Bytes() != 1000 {
		t.Fatalf("%+v, %v", s, err)
	}
	text, err := json.Marshal(s)
	var sent SharedMemory
	if err := errors.Join(err, json.Unmarshal(text, &sent)); err != nil || sent != s {
		t.Fatalf("%s: %+v, %v", text, sent, err)
	}
	other, err := OpenShared(sent)
	if err != nil || mappings() != 1 {
		t.Fatal(mappings(), err)
	}
	got := make([]byte, 1000)
	if err := other.Download(got, 0); err != nil || got[0] != 5 || got[999] != 5 || other.Ptr() != b.Ptr() {
		t.Errorf("%d, %v", got[0], err)
	}
	if _, err := other.Share(); !errors.Is(err, ErrInvalid) {
		t.Errorf("memory of another process is shared: %v", err)
	}
	if err := errors.Join(other.Close(), other.Close()); err != nil || mappings() != 0 {
		t.Errorf("%d mappings are left: %v", mappings(), err)
	}
	if err := other.Download(got, 0); !errors.Is(err, ErrInvalid) {
		t.Errorf("after Close: %v", err)
	}
	inject("hipIpcOpenMemHandle", 201, 1)
	if _, err := OpenShared(sent); err == nil || !strings.Contains(err.Error(), "hipIpcOpenMemHandle") {
		t.Errorf("refused: %v", err)
	}
	sent.platform = CUDA
	if _, err := OpenShared(sent); !errors.Is(err, ErrInvalid) {
		t.Errorf("of another platform: %v", err)
	}
	b.Free()
	if _, err := b.Share(); !errors.Is(err, ErrInvalid) {
		t.Errorf("freed: %v", err)
	}
}

func TestShareEmulated(t *testing.T) {
	b := alloc(t, ownEmulator(t), 10)
	if _, err := b.Share(); !errors.Is(err, ErrUnsupported) || !strings.Contains(err.Error(), "belongs to its process") {
		t.Errorf("shared: %v", err)
	}
}

// TestShareCUDA has another process read and write memory of this one.
func TestShareCUDA(t *testing.T) {
	d := cudaDevice(t)
	b := alloc(t, d, 1000)
	if err := errors.Join(b.Fill(0, 1000, 5), d.Synchronize()); err != nil {
		t.Fatal(err)
	}
	s, err := b.Share()
	if err != nil {
		t.Fatal(err)
	}
	text, _ := s.MarshalText()
	cmd := exec.Command(os.Args[0], "-test.run=^TestShareCUDAChild$", "-test.v")
	cmd.Env = append(os.Environ(), "GOROCM_TEST_CHILD=TestShareCUDAChild")
	cmd.Stdin = strings.NewReader(string(text) + "\n")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	got := make([]byte, 1000)
	if err := b.Download(got, 0); err != nil || got[0] != 6 || got[999] != 6 {
		t.Errorf("what the other process wrote: %d, %v", got[0], err)
	}
}

func TestShareCUDAChild(t *testing.T) {
	childtest.Only(t)
	line, _ := bufio.NewReader(os.Stdin).ReadString('\n')
	var s SharedMemory
	if err := s.UnmarshalText([]byte(strings.TrimSpace(line))); err != nil {
		t.Fatal(err)
	}
	b, err := OpenShared(s, cudaDevice(t))
	if err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 1000)
	if err := b.Download(got, 0); err != nil || got[0] != 5 || got[999] != 5 {
		t.Errorf("%d, %v", got[0], err)
	}
	if err := errors.Join(b.Fill(0, 1000, 6), b.Close()); err != nil {
		t.Error(err)
	}
}

// FuzzSharedMemory: foreign text is refused, or read as it was written.
func FuzzSharedMemory(f *testing.F) {
	text, _ := SharedMemory{offset: 4096, bytes: 77, platform: HIP}.MarshalText()
	f.Add(text)
	f.Add([]byte("HIP:1:2:"))
	f.Fuzz(func(t *testing.T, text []byte) {
		var s, again SharedMemory
		if s.UnmarshalText(text) != nil {
			return
		}
		written, err := s.MarshalText()
		if err != nil || again.UnmarshalText(written) != nil || fmt.Sprint(again) != fmt.Sprint(s) {
			t.Errorf("%q: %v, then %v", text, s, again)
		}
	})
}
