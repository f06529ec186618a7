package assembly

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/build"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
)

// TestVEX assembles every file of assembly for amd64 and looks at the instructions of the functions that use YMM or ZMM
// registers. On Intel's processors an instruction of legacy SSE costs a state transition, or a false dependency, while
// the upper halves of these registers are not zero: up to 13 times the time of a whole product. So such functions have
// VEX or EVEX forms alone (VMOVQ, not MOVQ, into an XMM register), and leave by VZEROUPPER, since the code of Go's
// compiler is legacy SSE.
func TestVEX(t *testing.T) {
	thorough.Slow(t)
	files := sources(t)
	wide := 0
	for _, path := range files {
		for _, f := range functions(listing(t, path)) {
			if !f.wide() {
				continue
			}
			wide++
			for _, problem := range f.problems() {
				t.Errorf("%s: %s: %s", path, f.name, problem)
			}
		}
	}
	if wide < 300 {
		t.Errorf("%d functions with YMM or ZMM registers in %d files: there are more than 300, so the listing was not understood", wide, len(files))
	}
}

// TestVEXFinds has the mistakes that TestVEX must find.
func TestVEXFinds(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"right", "MOVL $1, AX\nVMOVD AX, X1\nVPBROADCASTD X1, Y1\nVZEROUPPER\nRET", ""},
		{"no wide register", "MOVL AX, X1\nADDSS X1, X1\nRET", ""},
		{"integer to XMM", "VPXOR Y0, Y0, Y0\nMOVQ R10, X3\nVZEROUPPER\nRET", "legacy SSE: MOVQ R10, X3"},
		{"XMM to memory", "VPXORD Z0, Z0, Z0\nMOVSS X0, (DI)\nVZEROUPPER\nRET", "legacy SSE: MOVSS X0, (DI)"},
		{"before the first wide register", "MOVSD (DI), X9\nVBROADCASTSD X9, Y9\nVZEROUPPER\nRET",
			"legacy SSE: MOVSD (DI), X9"},
		{"return", "VPXOR Y0, Y0, Y0\nRET", "RET without VZEROUPPER"},
		{"jump to the return", "VPXOR Y0, Y0, Y0\nJZ out\nVZEROUPPER\nout:\nRET", "RET without VZEROUPPER"},
		{"call", "VPXOR Y0, Y0, Y0\nCALL ·g(SB)\nVZEROUPPER\nRET", "CALL without VZEROUPPER"},
		{"tail call", "VPXOR Y0, Y0, Y0\nJMP ·g(SB)", "JMP without VZEROUPPER"},
		{"macro", "#define SET(x) \\\n\tMOVL AX, x\nVPXOR Y0, Y0, Y0\nSET(X4)\nVZEROUPPER\nRET",
			"legacy SSE: MOVL AX, X4"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "f_amd64.s")
			if err := os.WriteFile(path, []byte("#include \"textflag.h\"\nTEXT ·f(SB), NOSPLIT, $0-0\n"+c.body+"\n"),
				0o600); err != nil {
				t.Fatal(err)
			}
			var found []string
			for _, f := range functions(listing(t, path)) {
				if f.wide() {
					found = append(found, f.problems()...)
				}
			}
			if got := strings.Join(found, "; "); !strings.Contains(got, c.want) || c.want == "" && got != "" {
				t.Errorf("found %q, want %q", got, c.want)
			}
		})
	}
}

// sources are the module's files of assembly for amd64.
func sources(t *testing.T) []string {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command")
	}
	cmd := exec.Command("go", "list", "-json=Dir,SFiles", "./...")
	cmd.Dir = "../.."
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(explain(err))
	}
	var files []string
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			Dir    string
			SFiles []string
		}
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return files
		} else if err != nil {
			t.Fatal(err)
		}
		for _, name := range p.SFiles {
			files = append(files, filepath.Join(p.Dir, name))
		}
	}
}

func explain(err error) error {
	if ee := (*exec.ExitError)(nil); errors.As(err, &ee) {
		return fmt.Errorf("%w\n%s", err, ee.Stderr)
	}
	return err
}

// listing is what the assembler makes of a file, with its macros expanded.
func listing(t *testing.T, path string) string {
	t.Helper()
	cmd := exec.Command(filepath.Join(build.ToolDir, "asm"), "-S", "-p", "p", "-D", "GOOS_linux", "-D", "GOARCH_amd64",
		"-I", filepath.Join(build.Default.GOROOT, "pkg", "include"), "-o", filepath.Join(t.TempDir(), "object"), path)
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("assemble %s: %v", path, explain(err))
	}
	return string(out)
}

type instruction struct{ at, op, operands string }

type function struct {
	name string
	code []instruction
}

// A line of the listing: the offset in hexadecimal and decimal digits, the line of the source, the mnemonic, its
// operands.
var listed = regexp.MustCompile(`^\t0x[0-9a-f]+ 0*(\d+) \([^)]*\)\t([A-Z0-9.]+)\t?(.*)$`)

func functions(text string) []function {
	var all []function
	for line := range strings.Lines(text) {
		m := listed.FindStringSubmatch(strings.TrimRight(line, "\n"))
		switch {
		case m == nil || m[2] == "FUNCDATA" || m[2] == "PCDATA":
		case m[2] == "TEXT":
			name, _, _ := strings.Cut(m[3], "(SB)")
			all = append(all, function{name: name})
		default:
			last := &all[len(all)-1]
			last.code = append(last.code, instruction{m[1], m[2], m[3]})
		}
	}
	return all
}

var (
	wideRegister   = regexp.MustCompile(`\b[YZ]\d+\b`)
	vectorRegister = regexp.MustCompile(`\b[XYZ]\d+\b`)
)

func (f function) wide() bool {
	return slices.ContainsFunc(f.code, func(i instruction) bool { return wideRegister.MatchString(i.operands) })
}

// problems are the instructions that a function with wide registers must not have. In Go's assembly a mnemonic begins
// with V if the instruction has a VEX or EVEX prefix and works on vectors.
func (f function) problems() []string {
	var found []string
	for k, i := range f.code {
		if vectorRegister.MatchString(i.operands) && !strings.HasPrefix(i.op, "V") {
			found = append(found, "legacy SSE: "+i.op+" "+i.operands)
		}
		leaves := i.op == "RET" || i.op == "CALL" || i.op == "JMP" && strings.Contains(i.operands, "(SB)")
		if leaves && (k == 0 || f.code[k-1].op != "VZEROUPPER" || f.jumpsTo(i.at)) {
			found = append(found, i.op+" without VZEROUPPER at offset "+i.at)
		}
	}
	return found
}

func (f function) jumpsTo(at string) bool {
	return slices.ContainsFunc(f.code, func(i instruction) bool { return i.op[0] == 'J' && i.operands == at })
}
