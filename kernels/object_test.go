package kernels_test

import (
	"bytes"
	"errors"
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

func manifest(t *testing.T) build.Manifest {
	text, err := os.ReadFile("objects/" + build.Arch + "/manifest.txt")
	if err != nil {
		t.Fatal(err)
	}
	m, err := build.ParseManifest(string(text))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestObjectsAreCurrent needs no compiler: the manifest says of what each object was made.
func TestObjectsAreCurrent(t *testing.T) {
	m := manifest(t)
	families := []string{}
	for _, e := range m.Entries {
		families = append(families, e.Family)
		source, err := build.SourceHash(e.Family, m.Compiler)
		if err != nil {
			t.Error(err)
			continue
		}
		if source != e.Source {
			t.Errorf("%s: the object was made of another source: run go generate ./kernels", e.Family)
		}
		object, ok := kernels.Object(e.Family, build.Arch)
		if !ok || build.ObjectHash(object) != e.Object {
			t.Errorf("%s: the object is not the one in the manifest: run go generate ./kernels", e.Family)
		}
	}
	if !slices.Equal(families, kernels.Families()) {
		t.Errorf("objects of %v, families %v: run go generate ./kernels", families, kernels.Families())
	}
	files, err := os.ReadDir("objects/" + build.Arch)
	if err != nil {
		t.Fatal(err)
	}
	if want := len(families) + 1; len(files) != want {
		t.Errorf("objects/%s has %d files, want %d: one is stray", build.Arch, len(files), want)
	}
}

func TestObjectsHaveTheirKernels(t *testing.T) {
	d := newDevice(t)
	for _, family := range kernels.Families() {
		m, err := module(d.gpu(), family)
		if err != nil {
			t.Fatal(err)
		}
		have, want := slices.Sorted(slices.Values(m.Kernels())), slices.Sorted(slices.Values(kernels.Symbols(family)))
		if !slices.Equal(have, want) {
			t.Errorf("%s: the object has %v, the table %v", family, have, want)
		}
		for _, s := range want {
			if f, ok := kernels.FamilyOf(s); !ok || f != family {
				t.Errorf("FamilyOf(%q) = %q, %v, want %q", s, f, ok, family)
			}
		}
	}
}

// TestObjectsRebuild: the same compiler makes the same bytes.
func TestObjectsRebuild(t *testing.T) {
	thorough.Slow(t)
	m := manifest(t)
	compiler := needClang(t)
	if compiler != m.Compiler {
		t.Skipf("clang-19 is %q here; the objects were made with %q", compiler, m.Compiler)
	}
	families := []string{"unary_exp"}
	if os.Getenv("GOROCM_TEST_OBJECTS") != "" { // all of them take minutes
		families = families[:0]
		for i, family := range kernels.Families() {
			if thorough.Turn(i, turns) {
				families = append(families, family)
			}
		}
	}
	for _, family := range families {
		t.Run(family, func(t *testing.T) {
			t.Parallel()
			object, err := build.Object(family, build.Arch)
			if err != nil {
				t.Fatal(err)
			}
			if want, _ := kernels.Object(family, build.Arch); !bytes.Equal(object, want) {
				t.Error("another object than the embedded one: run go generate ./kernels")
			}
		})
	}
}

// turns is the number of runs of .ci/run in which TestObjectsRebuild, TestArchitectures and TestHIPRTCFamilies compile
// each family once for each architecture.
const turns = 18

// TestArchitectures compiles everything for other GPUs than gfx1100, and for NVIDIA's. (The objects for gfx1100 are in
// the tree, and TestObjectsAreCurrent says that they are those of the sources; TestHIPRTCFamilies is this test with
// AMD's compiler.) What is written for an architecture, its matrix cores, is compiled in every turn. What kernels take of
// a GPU must be what testdata/resources.txt says.
func TestArchitectures(t *testing.T) {
	archs := os.Getenv("GOROCM_TEST_CLANG")
	if archs == "" {
		t.Skip("takes minutes: set GOROCM_TEST_CLANG to architectures, as in gfx942,gfx1201,nvidia")
	}
	needClang(t)
	special := []string{"attention_f16", "attention_f32", "attention_backward_f16", "attention_backward_f32",
		"matmul_f16", "matmul_bf16"}
	for i, family := range kernels.Families() {
		for j, arch := range strings.Split(archs, ",") {
			if !thorough.Turn(i+2*(j+1), turns) && !slices.Contains(special, family) {
				continue
			}
			t.Run(family+"/"+arch, func(t *testing.T) {
				t.Parallel()
				if arch == "nvidia" {
					for _, arch := range []string{"sm_80", "sm_90a"} {
						if _, err := build.PTX(family, arch); err != nil {
							t.Error(err)
						}
					}
					return
				}
				object, err := build.Object(family, arch)
				if err != nil {
					t.Fatal(err)
				}
				compareResources(t, family, arch, object)
			})
		}
	}
}

// TestMatrixCores: which architectures' matrix cores products use. matrix.h knows the layouts of those that it names,
// and no others: to take one instruction for another ends the compiler, and with it the process that hiprtc is in.
func TestMatrixCores(t *testing.T) {
	thorough.Slow(t)
	needClang(t)
	for _, c := range []struct {
		arch string
		more []string
		want string
	}{
		{"gfx906", nil, "0"}, {"gfx1030", nil, "0"}, {"gfx908", nil, "1"},
		{"gfx90a", nil, "1"}, {"gfx942", nil, "1"}, {"gfx1100", nil, "1"}, {"gfx1151", nil, "1"}, {"gfx1200", nil, "1"},
		{"gfx1201", nil, "1"}, {"gfx12-generic", nil, "1"},
		// clang-19 does not know these; the v_wmma of gfx1250 is another
		{"gfx942", []string{"-U__gfx942__", "-D__gfx950__=1"}, "1"},
		{"gfx1201", []string{"-U__gfx1201__", "-D__gfx1250__=1"}, "0"},
	} {
		args := append([]string{"-x", "hip", "-nogpuinc", "-nogpulib", "--cuda-device-only", "--offload-arch=" + c.arch,
			"-E", "-dM", "-include", "prelude.h", "-include", "matrix.h", "-include", "quant_cores.h"}, c.more...)
		out, err := exec.Command("clang-19", append(args, os.DevNull)...).Output()
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(out, []byte("#define MATRIX_CORES "+c.want+"\n")) {
			t.Errorf("%s %v: MATRIX_CORES is not %s", c.arch, c.more, c.want)
		}
		if tile := kernels.BlockTile(c.arch); c.more == nil && bytes.Contains(out, []byte("CODE_CORES")) != (tile == 32) {
			t.Errorf("BlockTile(%q) is %d, which is not what matmul_F computes", c.arch, tile)
		}
	}
}

// TestFilesHaveAllKernels: the kernels of a file are those of its families.
func TestFilesHaveAllKernels(t *testing.T) {
	files, err := filepath.Glob("*.hip")
	if err != nil || len(files) == 0 {
		t.Fatalf("no .hip files: %v", err)
	}
	var all []string
	for _, path := range files {
		file := strings.TrimSuffix(path, ".hip")
		var symbols []string
		for _, family := range kernels.FamiliesOf(file) {
			all = append(all, family)
			symbols = append(symbols, kernels.Symbols(family)...)
		}
		if want := kernels.Symbols(file); !slices.Equal(symbols, want) || len(want) == 0 {
			t.Errorf("%s: families have %d kernels, the file %d", file, len(symbols), len(want))
		}
	}
	slices.Sort(all)
	if want := slices.Sorted(slices.Values(kernels.Families())); !slices.Equal(all, want) {
		t.Errorf("files have %d families, the table %d", len(all), len(want))
	}
	if families := kernels.FamiliesOf("nothing"); families != nil {
		t.Errorf("families of an unknown file: %v", families)
	}
}

func needClang(t *testing.T) string {
	compiler, err := build.Compiler()
	if errors.Is(err, build.ErrNoClang) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return compiler
}

func TestOpsPageIsCurrent(t *testing.T) {
	page, err := os.ReadFile("../docs/ops.md")
	if err != nil {
		t.Fatal(err)
	}
	if string(page) != build.OpsPage() {
		t.Error("docs/ops.md is not what the op table says: run go generate ./kernels")
	}
}

func TestRows(t *testing.T) {
	seen := map[string]bool{}
	check := func(name, method, doc string, ex kernels.Example) {
		t.Helper()
		if seen[name] || seen[method] {
			t.Errorf("%s, %s: twice", name, method)
		}
		seen[name], seen[method] = true, true
		if !strings.HasPrefix(doc, method+" ") || !strings.HasSuffix(doc, ".") {
			t.Errorf("%s: the doc is not a sentence that begins with %s: %q", name, method, doc)
		}
		if !strings.Contains(ex.Expr, "."+method+"(") || ex.Want == "" {
			t.Errorf("%s: the example does not show it: %v", name, ex)
		}
	}
	for _, op := range kernels.Unary {
		check(op.Name, op.Method, op.Doc, op.Ex)
		if (op.Int != nil) != slices.Contains(op.On, kernels.I32) {
			t.Errorf("%s: integer types and integer reference do not go together", op.Name)
		}
	}
	for _, op := range kernels.Params {
		check(op.Name, op.Method, op.Doc, op.Ex)
	}
	for _, op := range kernels.Binary {
		check(op.Name, op.Method, op.Doc, op.Ex)
	}
	for _, op := range kernels.Compare {
		check(op.Name, op.Method, op.Doc, op.Ex)
	}
	for _, op := range kernels.Reduce {
		check(op.Name, op.Method, op.Doc, op.Ex)
	}
	for _, op := range kernels.Structured {
		check("method "+op.Method, op.Method, op.Doc, op.Ex) // one kernel may serve several methods
	}
}

func TestUnknownNames(t *testing.T) {
	if _, err := kernels.Source("nothing"); err == nil || !strings.Contains(err.Error(), "unary") {
		t.Errorf("Source of an unknown family: %v, want an error that lists the families", err)
	}
	if _, ok := kernels.Object("unary", "gfx90a"); ok {
		t.Error("there is an object for gfx90a")
	}
	if s := kernels.Symbols("nothing"); s != nil {
		t.Errorf("Symbols of an unknown family: %v", s)
	}
	if f, ok := kernels.FamilyOf("nothing_f32"); ok {
		t.Errorf("nothing_f32 is in %s", f)
	}
	for name, want := range map[string]kernels.DType{"bfloat16": kernels.BF16, "float16": kernels.F16,
		"float32": kernels.F32, "int64": kernels.I64, "uint8": kernels.U8, "float8_e4m3fn": kernels.F8E4M3} {
		if d, err := kernels.ParseDType(name); d != want || err != nil {
			t.Errorf("%s: %v, %v", name, d, err)
		}
	}
	if d, err := kernels.ParseDType("f8"); err == nil {
		t.Errorf("f8 is %v", d)
	}
}

// TestKernelSource: the source of a kernel has it, and what its family has before the kernels.
func TestKernelSource(t *testing.T) {
	for _, family := range []string{"unary_exp", "cast_f32", "scatter_set", "matmul_f16"} {
		whole, err := kernels.Source(family)
		if err != nil {
			t.Fatal(err)
		}
		before, lines, _ := strings.Cut(whole, "#line 1 \""+family+"\"\n")
		for i, symbol := range kernels.Symbols(family) {
			one, err := kernels.KernelSource(symbol)
			if err != nil {
				t.Fatal(err)
			}
			want := before + "#line 1 \"" + symbol + "\"\n" + strings.Split(lines, "\n")[i] + "\n}  // namespace gr\n"
			if one != want {
				t.Errorf("%s: the source is not that of its family with one kernel", symbol)
			}
		}
	}
	if _, err := kernels.KernelSource("nothing_f32"); err == nil {
		t.Error("there is a source for nothing_f32")
	}
	if !kernels.HasObjects("gfx1100") || kernels.HasObjects("gfx90a") {
		t.Error("there are objects for gfx1100 alone")
	}
}
