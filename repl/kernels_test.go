package repl

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/rocm"
)

// needsCompiler skips a test where nothing compiles kernels for the device.
func needsCompiler(t *testing.T) {
	t.Helper()
	if _, err := rocm.Compile("probe", "__global__ void probe(int *x) {}"); errors.Is(err, rocm.ErrNoLibrary) ||
		errors.Is(err, rocm.ErrNoDevice) {
		t.Skip(err)
	}
}

func TestISA(t *testing.T) {
	needsCompiler(t)
	s, err := New(Options{Version: "v1"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var out strings.Builder
	run := func(code string) {
		t.Helper()
		out.Reset()
		r := s.Eval(context.Background(), Request{Code: code}, func(e Event) { out.WriteString(e.Text) })
		if r.Err != nil {
			t.Fatal(r.Err.Text(false))
		}
	}
	run("%%hip\n__global__ void one(float *x) {\n  __shared__ float y[64];\n  y[threadIdx.x] = x[0];\n  __syncthreads();\n  x[threadIdx.x] = y[63 - threadIdx.x];\n}")
	run("%isa one")
	d, err := rocm.Open("rocm")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"one(float *x)\n", "registers a thread", "shared memory 256 B a block", "s_barrier",
		"s_endpgm"} {
		if d.Emulated() && !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	run("%isa -r one")
	if strings.Contains(out.String(), "s_endpgm") {
		t.Errorf("instructions with -r:\n%s", out.String())
	}
}

func TestKernelDefinitions(t *testing.T) {
	for _, c := range []struct {
		names    []string
		source   string
		constant bool
		want     string
	}{
		{[]string{"k"}, "a\nb\n\n", false, "k := rocm.Compile(\"k\", `\na\nb\n`)"},
		{[]string{"k"}, "a `b`\n", false, "k := rocm.Compile(\"k\", \"a `b`\\n\")"},
		{[]string{"k", "l"}, "a", false,
			"const kSource = `\na\n`\nk := rocm.Compile(\"k\", kSource)\nl := rocm.Compile(\"l\", kSource)\n;"},
		{[]string{"k"}, "a", true, "const kSource = `\na\n`\nk := rocm.Compile(\"k\", kSource)\n;"},
	} {
		if got := kernelDefinitions(c.names, c.source, c.constant); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}
