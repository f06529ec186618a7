package kernels_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/kernels"
)

// TestBackwardOnHost runs what the backward pass of attention is on NVIDIA GPUs, of f16 by warpgroups and by mma.sync and
// of f32 by mma.sync, as a program of the host (testdata/host), with threads for threads. It shows positions, masks and
// the order of barriers, and not what an assembler makes of asynchronous instructions.
func TestBackwardOnHost(t *testing.T) {
	if !thorough.On() {
		t.Skip("takes minutes: set GOROCM_TEST=thorough")
	}
	compiler, err := exec.LookPath("clang++-19")
	if err != nil {
		t.Skip(err)
	}
	for _, c := range []struct {
		dtype              string
		floats, warpgroups int
	}{{"f16", 0, 1}, {"f16", 0, 0}, {"f32", 1, 0}} {
		t.Run(fmt.Sprintf("%s, warpgroups %d", c.dtype, c.warpgroups), func(t *testing.T) {
			t.Parallel()
			source, err := kernels.Source("attention_backward_" + c.dtype)
			if err != nil {
				t.Fatal(err)
			}
			text := hostSource(t, source)
			program := filepath.Join(t.TempDir(), "backward")
			if err := os.WriteFile(program+".cc", []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			out, err := exec.Command(compiler, "-std=c++20", "-O2", "-w", "-pthread", "-ffp-contract=off",
				fmt.Sprintf("-DWARPGROUPS=%d", c.warpgroups), fmt.Sprintf("-DFLOATS=%d", c.floats), "-o", program, program+".cc").CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			out, err = exec.Command(program).CombinedOutput()
			t.Logf("%s", out)
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// hostSource is a program of device.h, the headers and kernels of a family, and backward.cc.
func hostSource(t *testing.T, source string) string {
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join("testdata", "host", name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	marker := regexp.MustCompile(`(?m)^#line 1 "(.*)"\n`)
	parts, names := marker.Split(source, -1)[1:], marker.FindAllStringSubmatch(source, -1)
	b := new(strings.Builder)
	b.WriteString(read("device.h"))
	// what device.h has, and what is not C++
	without := regexp.MustCompile(`(?ms)^DEV void copy_async\(.*?^}\n|^DEV void copies_wait\(\).*?$|` +
		`^DEV void copy_word_async\(.*?^}\n|^ *extern SHARED __align__\(1024\) u8 shared\[\];`)
	attributes := regexp.MustCompile(`extern "C" __global__ void __launch_bounds__\(.*\)$`)
	for i, part := range parts {
		name := names[i][1]
		if slices.Contains([]string{"prelude.h", "product.h", "matrix.h", "warpgroup.h"}, name) {
			continue
		}
		lines := strings.Split(without.ReplaceAllString(part, ""), "\n")
		for j, line := range lines {
			lines[j] = attributes.ReplaceAllString(line, "void")
		}
		fmt.Fprintf(b, "#line 1 %q\n%s\n", name, strings.Join(lines, "\n"))
	}
	return b.String() + read("backward.cc")
}
