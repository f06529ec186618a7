package compile

import (
	"bytes"
	"debug/elf"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
	"unsafe"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/rocm/internal/driver"
)

func TestHIPRTCRefusesArchitectures(t *testing.T) {
	old := &RTC{Platform: driver.HIP, Library: &driver.Library{Path: "lib"}, Major: 5, Minor: 2}
	if _, err := old.Options("gfx1100"); !errors.Is(err, driver.ErrCompile) || !strings.Contains(err.Error(), "hiprtc 5.2 (lib) has no device library for it: use ROCm 5.7 or newer") {
		t.Errorf("gfx1100 with 5.2: %v", err)
	}
	options, err := old.Options("gfx90a:sramecc+:xnack-")
	if err != nil || options[0] != "--offload-arch=gfx90a:sramecc+:xnack-" {
		t.Errorf("gfx90a with 5.2: %q, %v", options, err)
	}
	if _, err := (&RTC{Platform: driver.HIP, Major: 6, Minor: 0}).Options("gfx1201"); err != nil {
		t.Errorf("gfx1201 with 6.0: %v", err)
	}
}

func TestNVRTCArchitectures(t *testing.T) {
	known := []int32{70, 80, 90}
	r := &RTC{Platform: driver.CUDA, code: func(uintptr, *byte) driver.Code { return 0 },
		archCount: func(n *int32) driver.Code { *n = int32(len(known)); return 0 },
		archs: func(list *int32) driver.Code {
			copy(unsafe.Slice(list, len(known)), known)
			return 0
		}}
	for arch, want := range map[string]string{"sm_90": "sm_90", "sm_70": "sm_70", "sm_120": "compute_90"} {
		if got := r.nvidiaArch(arch); got != want {
			t.Errorf("%s is compiled for %s, want %s", arch, got, want)
		}
	}
	r.Major = 12 // the first that knows what the GPUs of 9.0 alone have
	if got := r.nvidiaArch("sm_90"); got != "sm_90a" {
		t.Errorf("sm_90 is compiled for %s by NVRTC 12, want sm_90a", got)
	}
	r.code = nil // an NVRTC that makes PTX only
	if got := r.nvidiaArch("sm_80"); got != "compute_80" {
		t.Errorf("PTX only: %s", got)
	}
}

func TestClangCompiles(t *testing.T) {
	thorough.Slow(t)
	c, err := FindClang()
	if err != nil {
		t.Skip("no clang 17 or newer")
	}
	options, err := c.Options("gfx1100")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("../../testdata/kernels.hip")
	if err != nil {
		t.Fatal(err)
	}
	image, err := c.Compile("kernels.hip", "#include <hip/hip_runtime.h>\n"+string(source), options)
	if err != nil {
		t.Fatal(err)
	}
	f, err := elf.NewFile(bytes.NewReader(image))
	if err != nil || f.Machine != 224 {
		t.Fatalf("no AMD GPU object: %v", err)
	}
	_, err = c.Compile("bad.hip", "\n  int x = nope;", options)
	if !errors.Is(err, driver.ErrCompile) || !strings.Contains(err.Error(), "bad.hip:2:11: error: use of undeclared identifier 'nope'") {
		t.Errorf("a source with a mistake: %v", err)
	}
}

// TestObjectIsOfSource rebuilds testdata/kernels.gfx1100.co. Other compilers than that of build.sh make other code.
func TestObjectIsOfSource(t *testing.T) {
	thorough.Slow(t)
	path, err := exec.LookPath("clang-19")
	if err != nil {
		t.Skip("no clang-19")
	}
	c := &Clang{Path: path}
	options, _ := c.Options("gfx1100")
	source, err := os.ReadFile("../../testdata/kernels.hip")
	if err != nil {
		t.Fatal(err)
	}
	image, err := c.Compile("kernels.hip", string(source), options)
	if err != nil {
		t.Fatal(err)
	}
	want, err := elf.Open("../../testdata/kernels.gfx1100.co")
	if err != nil {
		t.Fatal(err)
	}
	defer want.Close()
	got, err := elf.NewFile(bytes.NewReader(image))
	if err != nil {
		t.Fatal(err)
	}
	for _, section := range []string{".text", ".rodata"} {
		a, err := got.Section(section).Data()
		if err != nil {
			t.Fatal(err)
		}
		b, err := want.Section(section).Data()
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(a, b) {
			t.Errorf("%s differs: run testdata/build.sh", section)
		}
	}
}

func TestWithoutEncodings(t *testing.T) {
	text := "\tcode for sm_90\n\t\tFunction : f\n        /*0120*/                   STG.E desc[UR4][R4.64], R7 ;            /* 0x0000000704007986 */\n" +
		"                                                                           /* 0x000fe2000c101904 */\n" +
		"        /*0130*/                   EXIT ;                                  /* 0x000000000000794d */\n        /*0150*/                   NOP;                                    /* 0x0000000000007918 */\n\t\t..........\n"
	want := "        /*0120*/                   STG.E desc[UR4][R4.64], R7 ;\n        /*0130*/                   EXIT ;\n"
	if got := withoutEncodings(text); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
