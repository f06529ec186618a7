package kernels_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/gen/kernels/build"
	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/kernels"
)

// resources22File is the table of what kernels take of GPUs as clang 22 compiles them.
const resources22File = "testdata/resources22.txt"

const resources22Head = `# What kernels take of a GPU, as clang 22.1.8 compiles them, which knows gfx950, gfx1250 and gfx9-4-generic. Columns and limits are those of
# resources.txt. GOROCM_TEST_CLANG22=zig go test ./kernels -run TestClang22 compares it, with a clang 22 or the zig of PyPI's ziglang 0.17.1, which
# carries one; -update renews it.
`

// archs22 are the architectures for which the table has the families that tuned reports.
var archs22 = []string{"gfx908", "gfx90a", "gfx942", "gfx9-4-generic", "gfx950", "gfx1100", "gfx1201", "gfx1250"}

// only22 are those that clang-19 does not know. All families are compiled for them, each in one of so many turns.
var only22 = []string{"gfx9-4-generic", "gfx950", "gfx1250"}

// clang22 runs the compiler that GOROCM_TEST_CLANG22 names: a clang 22, or a zig that has one.
func clang22(t *testing.T, args ...string) []byte {
	t.Helper()
	program := os.Getenv("GOROCM_TEST_CLANG22")
	if strings.HasPrefix(filepath.Base(program), "zig") {
		args = append([]string{"clang"}, args...)
	}
	out, err := exec.Command(program, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", program, err, out)
	}
	return out
}

// needClang22 skips a test where there is no clang 22.
func needClang22(t *testing.T) {
	t.Helper()
	if os.Getenv("GOROCM_TEST_CLANG22") == "" {
		t.Skip("set GOROCM_TEST_CLANG22 to a clang 22, or to the zig of PyPI's ziglang 0.17.1")
	}
	line, _, _ := strings.Cut(string(clang22(t, "--version")), "\n")
	if !strings.Contains(line, "version 22.1.8") {
		t.Skipf("the table is of clang 22.1.8, and GOROCM_TEST_CLANG22 is %q", line)
	}
}

// assembly22 compiles a family for an architecture with clang 22.
func assembly22(t *testing.T, family, arch string) string {
	t.Helper()
	source, err := kernels.Source(family)
	if err != nil {
		t.Fatal(err)
	}
	in, out := filepath.Join(t.TempDir(), family+".hip"), filepath.Join(t.TempDir(), "out.s")
	if err := os.WriteFile(in, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	flags := build.Flags[:slices.Index(build.Flags, "-Xoffload-linker")]
	clang22(t, append(slices.Clone(flags), "--offload-arch="+arch, "-S", in, "-o", out)...)
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestResources22 holds the table of clang 22 to the limits of resources.txt.
func TestResources22(t *testing.T) {
	table := readResources(t, resources22File)
	for _, family := range kernels.Families() {
		if tuned(family) {
			checkComplete(t, resources22File, table, family, archs22)
		}
	}
	checkLimits(t, table, func(kernel string) int {
		if kernel == "attention_general_keys_128_f16" { // masks of two matrices at a time, on gfx950
			return 64
		}
		return 26 // one group of sixteen arguments that is spilled, and some
	})
}

// TestClang22 compares what clang 22 makes of the kernels with the table.
func TestClang22(t *testing.T) {
	needClang22(t)
	table := readResources(t, resources22File)
	t.Run("compile", func(t *testing.T) {
		for i, family := range kernels.Families() {
			for j, arch := range archs22 {
				if !tuned(family) && (*updateResources || !slices.Contains(only22, arch) || !thorough.Turn(i+2*j, turns)) {
					continue
				}
				t.Run(family+"/"+arch, func(t *testing.T) {
					t.Parallel()
					text := assembly22(t, family, arch)
					if !tuned(family) {
						return
					}
					got, err := measureAssembly(text, arch)
					if err != nil {
						t.Fatal(err)
					}
					resourcesMu.Lock()
					defer resourcesMu.Unlock()
					if *updateResources {
						table.put(family, arch, got)
					} else {
						compareRows(t, resources22File, family, arch, got, table[family][arch])
					}
				})
			}
		}
	})
	if *updateResources && !t.Failed() {
		if err := os.WriteFile(resources22File, []byte(table.text(resources22Head)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestAssembled: branches in a listing find their labels, and a kernel its metadata.
func TestAssembled(t *testing.T) {
	const listing = `	.text
k:                                      ; @k
; %bb.0:
	s_load_b64 s[0:1], s[2:3], 0x0
.LBB0_1:                                ; %loop
	v_wmma_f32_16x16x32_f16 v[0:7], v[8:15], v[16:23], v[0:7]
	v_readlane_b32 s0, v1, 2
	s_cbranch_scc1 .LBB0_1
	s_endpgm
	.amdgpu_metadata
---
amdhsa.kernels:
  - .args:
      - .offset:         0
        .value_kind:     by_value
      - .name:           x
    .group_segment_fixed_size: 512
    .max_flat_workgroup_size: 256
    .name:           k
    .private_segment_fixed_size: 4
    .sgpr_spill_count: 3
    .vgpr_count:     24
    .wavefront_size: 32
amdhsa.target:   amdgcn-amd-amdhsa--gfx1250
...
	.end_amdgpu_metadata
`
	got, err := measureAssembly(listing, "gfx1250")
	want := resources{matrix: 1, vgprs: 24, spilled: 3, reloads: 1, private: 4, lds: 512, waves: 16}
	if err != nil || len(got) != 1 || got["k"] != want {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
	if c := assembled(listing)["k"]; len(c) != 5 || c[3].target != 2 {
		t.Errorf("%+v", c)
	}
}
