package kernels_test

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/gorocm/gorocm/internal/gen/kernels/build"
	"github.com/gorocm/gorocm/internal/occupancy"
	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm/emulator"
)

// resourcesFile is the table of what kernels take of a GPU, as clang-19 compiles them: a line for each architecture and each group of kernels of a
// family that take the same.
const resourcesFile = "testdata/resources.txt"

const resourcesHead = `# What kernels take of a GPU, as clang-19 compiles them: those whose speed depends on matrix cores and registers. TestResources and TestArchitectures
# compare it; GOROCM_TEST_CLANG=gfx942,gfx1201 go test ./kernels -run TestResources -update renews it, for gfx1100 and those.
#
# matrix   matrix instructions (v_wmma, v_mfma)
# vgprs    vector registers of a thread; agprs: accumulation registers, which vgprs include but on gfx908
# spilled  scalar registers that are kept in lanes of vector registers
# reloads  instructions that read them again in the innermost loop with matrix instructions, without what only masks and the like need; without
#          matrix instructions, in any innermost loop
# private  bytes of private memory of a thread; lds: of shared memory of a block
# waves    that a SIMD holds in blocks of 256 threads
`

var updateResources = flag.Bool("update", false, "rewrite "+resourcesFile+", for gfx1100 and the architectures in GOROCM_TEST_CLANG")

// resources are what a kernel takes.
type resources struct {
	matrix, vgprs, agprs, spilled, reloads, private, lds, waves int
}

const resourcesFormat = "matrix %d  vgprs %d  agprs %d  spilled %d  reloads %d  private %d  lds %d  waves %d"

func (r resources) String() string {
	return fmt.Sprintf(resourcesFormat, r.matrix, r.vgprs, r.agprs, r.spilled, r.reloads, r.private, r.lds, r.waves)
}

// taken is the table: by family, architecture and kernel.
type taken map[string]map[string]map[string]resources

func (t taken) put(family, arch string, rows map[string]resources) {
	if t[family] == nil {
		t[family] = map[string]map[string]resources{}
	}
	t[family][arch] = rows
}

// text writes the table after its head. Kernels that take the same share a line.
func (t taken) text(head string) string {
	var b strings.Builder
	b.WriteString(head)
	for _, family := range kernels.Families() {
		if len(t[family]) == 0 {
			continue
		}
		b.WriteString("\n" + family + "\n")
		width := 7
		for arch := range t[family] {
			width = max(width, len(arch))
		}
		for _, arch := range slices.SortedFunc(maps.Keys(t[family]), byNumber) {
			same := map[resources][]string{}
			for _, kernel := range slices.Sorted(maps.Keys(t[family][arch])) {
				r := t[family][arch][kernel]
				same[r] = append(same[r], kernel)
			}
			lines := slices.SortedFunc(maps.Keys(same), func(a, b resources) int { return cmp.Compare(same[a][0], same[b][0]) })
			for _, r := range lines {
				fmt.Fprintf(&b, "  %-*s  %s  %s\n", width, arch, r, strings.Join(same[r], " "))
			}
		}
	}
	return b.String()
}

// byNumber compares architectures: gfx90a comes before gfx1030.
func byNumber(a, b string) int {
	if len(a) != len(b) {
		return len(a) - len(b)
	}
	return strings.Compare(a, b)
}

func readResources(t *testing.T, file string) taken {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil && !*updateResources {
		t.Fatal(err)
	}
	table, family := taken{}, ""
	for i, line := range strings.Split(string(text), "\n") {
		switch {
		case line == "" || line[0] == '#':
		case line[0] != ' ':
			family = line
		default:
			var arch string
			var r resources
			rest := strings.TrimSpace(line)
			if _, err := fmt.Sscanf(rest, "%s "+resourcesFormat, &arch, &r.matrix, &r.vgprs, &r.agprs, &r.spilled, &r.reloads,
				&r.private, &r.lds, &r.waves); err != nil {
				t.Fatalf("%s: line %d: %v", file, i+1, err)
			}
			if table[family][arch] == nil {
				table.put(family, arch, map[string]resources{})
			}
			for _, kernel := range strings.Fields(rest)[1+2*8:] {
				table[family][arch][kernel] = r
			}
		}
	}
	return table
}

// measure reads what the kernels of a code object take.
func measure(object []byte) (map[string]resources, error) {
	infos, arch, err := emulator.Inspect(object)
	if err != nil {
		return nil, err
	}
	listing, err := disassembled(object)
	if err != nil {
		return nil, err
	}
	rows := map[string]resources{}
	for _, k := range infos {
		waves, _, _ := occupancy.Of(arch, k.Wave, k.VGPRs, k.LDS, min(k.MaxThreads, 256))
		r := resources{vgprs: k.VGPRs, agprs: k.AGPRs, spilled: k.SpilledSGPRs, private: k.Scratch, lds: k.LDS, waves: waves}
		r.matrix, r.reloads = listing[k.Name].count()
		rows[k.Name] = r
	}
	return rows, nil
}

// code is the instructions of a kernel.
type code []instruction

type instruction struct {
	at, target uint64 // target: of a branch, 0 for others
	name       string
}

var (
	symbolLine = regexp.MustCompile(`^([0-9a-f]+) <(.+)>:$`)
	codeLine   = regexp.MustCompile(`^\t(\w+).*// ([0-9A-F]+):(?:.*<[^<>]*?(?:\+0x([0-9a-f]+))?>)?`)
)

// disassembled has LLVM disassemble the kernels of an object.
func disassembled(object []byte) (map[string]code, error) {
	dir, err := os.MkdirTemp("", "gorocm-resources-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "object")
	if err := os.WriteFile(file, object, 0o600); err != nil {
		return nil, err
	}
	out, err := exec.Command("llvm-objdump-19", "-d", file).Output()
	if err != nil {
		return nil, err
	}
	listing, name, begin := map[string]code{}, "", uint64(0)
	for line := range strings.Lines(string(out)) {
		line = strings.TrimRight(line, "\n")
		if m := symbolLine.FindStringSubmatch(line); m != nil {
			name = m[2]
			begin, _ = strconv.ParseUint(m[1], 16, 64)
			continue
		}
		m := codeLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		in := instruction{name: m[1]}
		in.at, _ = strconv.ParseUint(m[2], 16, 64)
		if strings.Contains(in.name, "branch") {
			offset, _ := strconv.ParseUint("0"+m[3], 16, 64)
			in.target = begin + offset
		}
		listing[name] = append(listing[name], in)
	}
	return listing, nil
}

func (i instruction) matrix() bool {
	return strings.HasPrefix(i.name, "v_wmma") || strings.HasPrefix(i.name, "v_mfma")
}

// loop is a range of instructions that ends with a branch back to its beginning.
type loop struct{ first, last int }

// loops returns the innermost loop with matrix instructions, or without any all innermost loops.
func (c code) loops() (list []loop) {
	smallest := loop{0, len(c) - 1}
	for last := range c {
		first, ok := c.index(c[last].target)
		if !ok || first > last {
			continue
		}
		if slices.ContainsFunc(c[first:last], instruction.matrix) && last-first < smallest.last-smallest.first {
			smallest = loop{first, last}
		}
		if !slices.ContainsFunc(list, func(l loop) bool { return l.first >= first && l.last <= last }) {
			list = append(list, loop{first, last})
		}
	}
	if slices.ContainsFunc(c, instruction.matrix) {
		return []loop{smallest}
	}
	return list
}

func (c code) index(at uint64) (int, bool) {
	return slices.BinarySearchFunc(c, at, func(i instruction, at uint64) int { return cmp.Compare(i.at, at) })
}

// count returns the matrix instructions, and how many spilled registers the loops read again. What a branch in a loop jumps over without missing a
// matrix instruction is not counted.
func (c code) count() (matrix, reloads int) {
	for _, in := range c {
		if in.matrix() {
			matrix++
		}
	}
	for _, l := range c.loops() {
		n, until := 0, 0
		for k := l.first; k <= l.last; k++ {
			in := c[k]
			if k >= until && in.name == "v_readlane_b32" {
				n++
			}
			if to, ok := c.index(in.target); matrix > 0 && ok && to > k && to <= l.last && !slices.ContainsFunc(c[k:to], instruction.matrix) {
				until = max(until, to)
			}
		}
		reloads = max(reloads, n)
	}
	return matrix, reloads
}

// others are the architectures beside gfx1100 that the table has, for the families that tuned reports.
var others = []string{"gfx906", "gfx908", "gfx90a", "gfx942", "gfx1030", "gfx1151", "gfx1200", "gfx1201"}

// tuned reports whether what a family takes decides its speed: those with matrix cores, and quantized products.
func tuned(family string) bool {
	return slices.Contains([]string{"attention_f16", "attention_bf16", "attention_f32", "attention_parts_f16", "attention_backward_f16",
		"matmul_f16", "matmul_bf16", "matmul_f32", "matmul_i8", "quant_q4k", "codes_matmul"}, family)
}

// resourcesMu guards the table while compiling tests run beside one another.
var resourcesMu sync.Mutex

// compareResources compares what the kernels of an object take with the table, if that has them.
func compareResources(t *testing.T, family, arch string, object []byte) {
	t.Helper()
	resourcesMu.Lock()
	want := readResources(t, resourcesFile)[family][arch]
	resourcesMu.Unlock()
	if want == nil {
		return
	}
	if _, err := exec.LookPath("llvm-objdump-19"); err != nil {
		t.Log(err)
		return
	}
	if made := manifest(t).Compiler; arch != build.Arch && needClang(t) != made {
		t.Logf("the table is of %q", made)
		return
	}
	got, err := measure(object)
	if err != nil {
		t.Fatal(err)
	}
	compareRows(t, resourcesFile, family, arch, got, want)
}

// compareRows compares what kernels take with the rows of a table.
func compareRows(t *testing.T, file, family, arch string, got, want map[string]resources) {
	t.Helper()
	for _, kernel := range slices.Sorted(maps.Keys(got)) {
		if got[kernel] != want[kernel] {
			t.Errorf("%s for %s takes\n%s, and by %s\n%s: see what has changed, and renew the file as its head says",
				kernel, arch, got[kernel], file, want[kernel])
		}
	}
	if len(got) != len(want) {
		t.Errorf("%s for %s has %d kernels, and %d in %s", family, arch, len(got), len(want), file)
	}
}

// TestResources compares embedded kernels with the table, a sample of them, and holds the table to its limits. TestArchitectures compares other
// architectures.
func TestResources(t *testing.T) {
	table := readResources(t, resourcesFile)
	if *updateResources {
		renewResources(t, table)
	}
	for i, family := range kernels.Families() {
		object, ok := kernels.Object(family, build.Arch)
		if !ok {
			t.Fatalf("no object of %s", family)
		}
		infos, _, err := emulator.Inspect(object)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range infos { // of all families; the table has some
			if k.Scratch > private[k.Name] {
				t.Errorf("%s for %s has %d bytes of private memory, and may have %d", k.Name, build.Arch, k.Scratch, private[k.Name])
			}
		}
		if !tuned(family) {
			continue
		}
		if thorough.On() || i%3 == 0 && !thorough.Short() {
			compareResources(t, family, build.Arch, object)
		}
		checkComplete(t, resourcesFile, table, family, append([]string{build.Arch}, others...))
	}
	checkLimits(t, table, func(string) int { return 16 }) // a wave has 100 scalar registers, and masks of all kinds need more
}

// checkComplete reports kernels of a family that a table lacks or has for nothing.
func checkComplete(t *testing.T, file string, table taken, family string, archs []string) {
	t.Helper()
	symbols := slices.Sorted(slices.Values(kernels.Symbols(family)))
	for _, arch := range archs {
		if have := slices.Sorted(maps.Keys(table[family][arch])); !slices.Equal(have, symbols) {
			t.Errorf("%s: %s for %s: %v, want %v", file, family, arch, have, symbols)
		}
	}
}

// checkLimits holds a table to its limits. reloads is that of a kernel with matrix instructions.
func checkLimits(t *testing.T, table taken, reloads func(kernel string) int) {
	t.Helper()
	for _, archs := range table {
		for arch, rows := range archs {
			for kernel, r := range rows {
				for _, broken := range limits(arch, kernel, r, reloads(kernel)) {
					t.Errorf("%s for %s %s: %s", kernel, arch, broken, r)
				}
			}
		}
	}
}

// renewResources measures the embedded objects, and compiles tuned families for the architectures in GOROCM_TEST_CLANG.
func renewResources(t *testing.T, table taken) {
	needClang(t)
	archs := strings.FieldsFunc(os.Getenv("GOROCM_TEST_CLANG"), func(r rune) bool { return r == ',' })
	t.Run("renew", func(t *testing.T) {
		for _, family := range slices.DeleteFunc(kernels.Families(), func(f string) bool { return !tuned(f) }) {
			for _, arch := range append([]string{build.Arch}, archs...) {
				t.Run(family+"/"+arch, func(t *testing.T) {
					t.Parallel()
					object, ok := kernels.Object(family, arch)
					if !ok {
						var err error
						if object, err = build.Object(family, arch); err != nil {
							t.Fatal(err)
						}
					}
					rows, err := measure(object)
					if err != nil {
						t.Fatal(err)
					}
					resourcesMu.Lock()
					defer resourcesMu.Unlock()
					table.put(family, arch, rows)
				})
			}
		}
	})
	if err := os.WriteFile(resourcesFile, []byte(table.text(resourcesHead)), 0o644); err != nil {
		t.Fatal(err)
	}
}

// withoutMatrixCores are the architectures that have none.
var withoutMatrixCores = []string{"gfx906", "gfx1030"}

// private are the kernels that may have private memory, in bytes for gfx1100, until they need fewer registers. No kernel may be added that
// devices of AMD launch by themselves.
var private = map[string]int{
	"attention_keys_128_f32": 96, "attention_keys_256_f32": 376, "attention_queries_256_f32": 108,
	"attention_general_keys_64_f16": 128, "attention_general_keys_64_bf16": 128,
	"attention_keys_256_f16": 24, "attention_keys_256_bf16": 24,
	"attention_general_keys_256_f16": 88, "attention_general_keys_256_bf16": 88,
	"layer_norm_gradient_32_4_f32": 76, "lu_groups_c128": 24,
	// Devices of AMD read tokens by these only where a test asks for it.
	"token_f16": 92, "token_bf16": 112, "token_q4_0_f16": 344, "token_q4_0_bf16": 352, "token_q8_0_f16": 344,
	"token_q8_0_bf16": 352, "token_q4k_f16": 380, "token_q4k_bf16": 392, "token_q5k_f16": 540, "token_q5k_bf16": 540,
	"token_q6k_f16": 308, "token_q6k_bf16": 316,
}

// tiles are the kernels that may have some on GPUs without matrix cores.
var tiles = regexp.MustCompile(`^attention_(general_)?(keys|queries)_(128|256)_b?f16$`)

// product are the kernels that multiply matrices of f16 and bf16, in tiles.
var product = regexp.MustCompile(`^(matmul|attention(_keys|_queries|_general_keys|_general_queries)?_(64|128|256))_b?f16$`)

// limits returns what a row of the table breaks.
func limits(arch, kernel string, r resources, reloads int) (broken []string) {
	cores := !slices.Contains(withoutMatrixCores, arch)
	if r.private != 0 && private[kernel] == 0 && (cores || !tiles.MatchString(kernel)) {
		broken = append(broken, "has private memory")
	}
	if r.reloads > reloads && r.matrix > 0 {
		broken = append(broken, fmt.Sprintf("reads more than %d spilled registers in its inner loop", reloads))
	}
	if product.MatchString(kernel) && r.matrix == 0 && cores {
		broken = append(broken, "uses no matrix cores")
	}
	return broken
}
