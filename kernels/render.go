package kernels

import (
	"embed"
	"fmt"
	"strings"
)

//go:generate go run ../internal/gen/kernels

//go:embed *.h *.hip
var sources embed.FS

// A kernel is one instantiation line of a family.
type kernel struct {
	symbol string
	line   string // the macro call that defines it
}

// A family is one .hip file and the kernels that the op table asks of it.
type family struct {
	name    string
	headers []string // after prelude.h
	kernels func() []kernel
}

var families = []family{
	{"unary", []string{"arith.h", "math32.h", "math64.h", "angle.h", "math.h", "elementwise.h"}, unaryKernels},
	{"param", []string{"arith.h", "math32.h", "math64.h", "angle.h", "math.h", "elementwise.h"}, paramKernels},
	{"affine", []string{"arith.h", "elementwise.h"}, affineKernels},
	{"binary", []string{"arith.h", "math32.h", "math64.h", "angle.h", "math.h", "elementwise.h"}, binaryKernels},
	{"compare", []string{"elementwise.h"}, compareKernels},
	{"where", []string{"elementwise.h"}, whereKernels},
	{"cast", []string{"elementwise.h"}, castKernels},
	{"copy", nil, func() []kernel { return bitsKernels("copy", "COPY") }},
	{"fill", nil, func() []kernel { return bitsKernels("fill", "FILL") }},
	{"arange", nil, arangeKernels},
	{"random", []string{"arith.h", "math32.h", "math64.h", "angle.h", "math.h"}, randomKernels},
	{"reduce", []string{"arith.h"}, reduceKernels},
	{"softmax", []string{"arith.h", "math32.h", "math64.h", "angle.h", "math.h"}, softmaxKernels},
	{"matmul", nil, matmulKernels},
	{"index", nil, indexKernels},
}

var (
	widths     = []string{"b8", "b16", "b32", "b64"}
	indexTypes = []DType{U8, U32, I64}
)

// Families returns the names of the kernel families, each of them one translation unit.
func Families() []string {
	names := make([]string, len(families))
	for i, f := range families {
		names[i] = f.name
	}
	return names
}

// FamilyOf returns the family that has the kernel of that name, and false if none has.
func FamilyOf(symbol string) (string, bool) {
	name, ok := familyOf()[symbol]
	return name, ok
}

// Symbols returns the names of all kernels of a family, or nil if there is no such family.
func Symbols(name string) []string {
	f, err := lookup(name)
	if err != nil {
		return nil
	}
	kernels := f.kernels()
	symbols := make([]string, len(kernels))
	for i, k := range kernels {
		symbols[i] = k.symbol
	}
	return symbols
}

// Source returns the translation unit of a family, for hiprtc, NVRTC or clang. It includes nothing.
func Source(name string) (string, error) {
	f, err := lookup(name)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, file := range append(append([]string{"prelude.h"}, f.headers...), f.name+".hip") {
		text, err := sources.ReadFile(file)
		if err != nil {
			return "", fmt.Errorf("kernels: %s needs %s: %w", name, file, err)
		}
		fmt.Fprintf(&b, "#line 1 \"%s\"\n%s\n", file, text)
	}
	fmt.Fprintf(&b, "#line 1 \"%s\"\n", f.name)
	for _, k := range f.kernels() {
		b.WriteString(k.line)
		b.WriteByte('\n')
	}
	b.WriteString("}  // namespace gr\n")
	return b.String(), nil
}

func lookup(name string) (family, error) {
	for _, f := range families {
		if f.name == name {
			return f, nil
		}
	}
	return family{}, fmt.Errorf("kernels: no family %q; there are %s", name, strings.Join(Families(), ", "))
}
