package emulator

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/kernels"
)

// TestDisassembleAgreesWithLLVM compares every instruction of the test kernels, and of kernels of first pages for gfx942,
// with llvm-objdump.
func TestDisassembleAgreesWithLLVM(t *testing.T) {
	thorough.Slow(t)
	tool := ""
	for _, name := range []string{"llvm-objdump-19", "llvm-objdump", "/opt/rocm/llvm/bin/llvm-objdump"} {
		if path, err := exec.LookPath(name); err == nil {
			tool = path
			break
		}
	}
	if tool == "" {
		t.Skip("no llvm-objdump")
	}
	files := []string{"testdata/kernels.hsaco", "testdata/races64.hsaco"}
	dir := t.TempDir()
	families := []string{"cast_f32", "conv_f32", "fill", "matmul_f32", "norm", "random", "reduce_sum_floats", "scatter_add", "sort", "unary_sin",
		"unary_gelu"}
	for _, family := range thorough.Sample(families, 4, 1) {
		if object, ok := kernels.Object(family, "gfx1100"); ok {
			file := filepath.Join(dir, family)
			if err := os.WriteFile(file, object, 0o600); err != nil {
				t.Fatal(err)
			}
			files = append(files, file)
		}
	}
	for _, kernel := range thorough.Sample(kernels.FirstPages, 8, 2) {
		if object, ok := kernels.FirstObject(kernel, GFX942); ok {
			file := filepath.Join(dir, GFX942+kernel)
			if err := os.WriteFile(file, object, 0o600); err != nil {
				t.Fatal(err)
			}
			files = append(files, file)
		}
	}
	for _, kernel := range thorough.Sample(kernels.FirstPages, 8, 2) {
		if object, ok := kernels.FirstObject(kernel, "gfx12-generic"); ok {
			file := filepath.Join(dir, "gfx12"+kernel)
			if err := os.WriteFile(file, object, 0o600); err != nil {
				t.Fatal(err)
			}
			files = append(files, file)
		}
	}
	if folder := os.Getenv("GOROCM_TEST_DISASSEMBLE"); folder != "" {
		all, err := filepath.Glob(filepath.Join(folder, "*"))
		if err != nil {
			t.Fatal(err)
		}
		files = all
	}
	total, equal := 0, 0
	for _, file := range files {
		object, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		args := []string{"-d", "--no-show-raw-insn", "--no-leading-addr", file}
		if file == "testdata/races64.hsaco" { // the folder of the others may have any number in its name
			args = append(args, "--mattr=+wavefrontsize64")
		}
		out, err := exec.Command(tool, args...).Output()
		if err != nil {
			t.Skipf("%s: %v", tool, err)
		}
		for name, want := range llvmListing(string(out)) {
			text, err := Disassemble(object, name)
			if err != nil {
				if !strings.Contains(err.Error(), "has no kernel") { // a function that kernels call
					t.Errorf("%s: %v", file, err)
				}
				continue
			}
			var got []string
			for line := range strings.Lines(text) {
				if !strings.HasPrefix(line, "L") {
					got = append(got, normal(line))
				}
			}
			for len(want) > len(got) && (mnemonic(want[len(want)-1]) == "s_code_end" || mnemonic(want[len(want)-1]) == "s_nop") { // what fills up to the next function
				want = want[:len(want)-1]
			}
			if len(got) != len(want) {
				t.Errorf("%s: %s has %d instructions, LLVM finds %d", file, name, len(got), len(want))
				continue
			}
			for i, w := range want {
				total++
				if got[i] == w {
					equal++
				} else if mnemonic(got[i]) != mnemonic(w) {
					t.Errorf("%s: %s, instruction %d: %s, LLVM has %s", file, name, i, got[i], w)
				} else {
					t.Logf("%s: %s, instruction %d: %s, LLVM has %s", file, name, i, got[i], w)
				}
			}
		}
	}
	const known = 4 // in testdata
	if other := total - equal; other > known && other*10000 > total {
		t.Errorf("%d of %d instructions are written as LLVM does", equal, total)
	}
	t.Logf("%d of %d instructions are written as LLVM does", equal, total)
}

var (
	function_ = regexp.MustCompile(`^(?:[0-9a-f]+ )?<(\S+)>:$`)
	spaces    = regexp.MustCompile(`\s+`)
	suffix    = regexp.MustCompile(`^(\w+?)_(?:e32|e64|e64_dpp|dpp)\b`)
	label     = regexp.MustCompile(`(branch\w*) \S+$`)
)

func llvmListing(text string) map[string][]string {
	functions := map[string][]string{}
	name := ""
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if m := function_.FindStringSubmatch(line); m != nil {
			name = m[1]
		} else if strings.HasPrefix(line, "\t") && name != "" {
			line, _, _ = strings.Cut(line, "//")
			functions[name] = append(functions[name], normal(line))
		}
	}
	return functions
}

// normal drops what differs in form only: which encoding an instruction has, and how a target is written.
func normal(line string) string {
	line = spaces.ReplaceAllString(strings.TrimSpace(line), " ")
	parts := strings.Split(line, " :: ")
	for i, p := range parts {
		parts[i] = suffix.ReplaceAllString(p, "$1")
	}
	return label.ReplaceAllString(strings.Join(parts, " :: "), "$1")
}

func mnemonic(line string) string {
	word, _, _ := strings.Cut(line, " ")
	return word
}
