package kernels

import (
	"embed"
	"fmt"
	"slices"
	"strings"
	"sync"
)

//go:generate go run ../internal/gen/kernels

//go:embed *.h *.hip
var sources embed.FS

// A kernel is one instantiation line.
type kernel struct {
	part   string // the family is the file and this, or the file alone if this is empty
	symbol string
	line   string // the macro call that defines it
}

// A file is one .hip file and the kernels that the op table instantiates from it.
type file struct {
	name    string
	headers []string // after prelude.h
	kernels func() []kernel
}

// rowHeaders have the functions of Unary and Binary.
var rowHeaders = []string{"arith.h", "integers.h", "math32.h", "math64.h", "angle.h", "math.h", "functions.h",
	"special.h", "elementwise.h"}

var files = []file{
	{"unary", rowHeaders, unaryKernels},
	{"gate", []string{"arith.h", "math32.h", "math64.h", "angle.h", "math.h", "elementwise.h"}, gateKernels},
	{"param", []string{"arith.h", "math32.h", "math64.h", "angle.h", "math.h", "elementwise.h"}, paramKernels},
	{"affine", []string{"arith.h", "elementwise.h"}, affineKernels},
	{"binary", rowHeaders, binaryKernels},
	{"compare", []string{"arith.h", "elementwise.h"}, compareKernels},
	{"complex", []string{"arith.h", "integers.h", "math32.h", "math64.h", "angle.h", "math.h", "functions.h", "complex.h",
		"complex_inverse.h", "elementwise.h"}, complexKernels},
	{"where", []string{"arith.h", "elementwise.h"}, whereKernels},
	{"cast", []string{"arith.h", "elementwise.h", "cast.h"}, castKernels},
	{"copy", nil, func() []kernel { return bitsKernels("copy", "COPY") }},
	{"fill", nil, func() []kernel { return bitsKernels("fill", "FILL") }},
	{"arange", nil, arangeKernels},
	{"random", []string{"arith.h", "math32.h", "math64.h", "angle.h", "math.h", "philox.h"}, randomKernels},
	{"sample", []string{"arith.h", "math32.h", "math64.h", "angle.h", "math.h", "philox.h"}, sampleKernels},
	{"special", []string{"arith.h", "integers.h", "math32.h", "math64.h", "angle.h", "math.h", "functions.h", "special.h",
		"scalar.h"}, specialKernels},
	{"choose", []string{"arith.h", "math32.h", "math64.h", "angle.h", "math.h"}, chooseKernels},
	{"sparse", []string{"arith.h", "integers.h", "math32.h", "math64.h", "angle.h", "math.h", "functions.h",
		"complex.h"}, sparseKernels},
	{"reduce", []string{"arith.h", "sum.h", "rows.h", "finish.h", "reduce.h"}, reduceKernels},
	{"softmax", []string{"arith.h", "math32.h", "math64.h", "angle.h", "math.h", "rows.h"}, softmaxKernels},
	{"matmul", []string{"product.h", "panel.h", "matrix.h"}, matmulKernels},
	{"matvec", nil, matvecKernels},
	{"attention", []string{"product.h", "panel.h", "matrix.h", "warpgroup.h", "attention.h", "attention_tiles.h",
		"attention_sides.h", "attention_stage.h", "attention_cores.h", "attention_groups.h", "finish.h",
		"attention_parts.h"}, attentionKernels},
	{"attention_backward", []string{"product.h", "panel.h", "matrix.h", "warpgroup.h", "attention.h",
		"attention_tiles.h", "attention_sides.h", "attention_stage.h", "attention_backward.h",
		"attention_backward_cores.h", "attention_backward_groups.h"}, attentionBackwardKernels},
	{"paged", []string{"product.h", "panel.h", "attention.h", "finish.h", "attention_parts.h"}, pagedKernels},
	{"index", []string{"fault.h"}, indexKernels},
	{"scatter", []string{"arith.h", "fault.h"}, scatterKernels},
	{"mask", []string{"before.h"}, maskKernels},
	{"sort", []string{"keys.h", "before.h"}, sortKernels},
	{"topk", []string{"keys.h", "before.h"}, topKernels},
	{"scan", []string{"arith.h", "sum.h", "math32.h", "math64.h", "angle.h", "math.h", "rows.h", "keys.h", "lookback.h"},
		scanKernels},
	{"search", []string{"keys.h"}, searchKernels},
	{"conv", []string{"product.h", "places.h"}, convKernels},
	{"pool", []string{"arith.h", "sum.h", "places.h"}, poolKernels},
	{"norm", []string{"arith.h", "rows.h"}, normKernels},
	{"rope_put", []string{"arith.h"}, ropePutKernels},
	{"loss", []string{"arith.h", "math32.h", "math64.h", "angle.h", "math.h", "rows.h", "fault.h"}, lossKernels},
	{"slopes", []string{"arith.h", "math32.h", "math64.h", "angle.h", "math.h", "rows.h"}, slopeKernels},
	{"channels", []string{"arith.h", "rows.h"}, channelKernels},
	{"factor", []string{"factor.h"}, factorKernels},
	{"jacobi", []string{"factor.h"}, jacobiKernels},
	{"quant", []string{"product.h", "panel.h", "matrix.h", "quant.h", "parts.h", "quant_product.h", "quant_cores.h"}, quantKernels},
	{"codes", []string{"product.h", "panel.h", "matrix.h", "quant.h", "matrix_bytes.h", "quant_product.h"}, codesKernels},
	{"linear", []string{"arith.h", "math32.h", "math64.h", "angle.h", "math.h", "quant.h", "parts.h", "linear.h"}, linearKernels},
	{"token", []string{"arith.h", "math32.h", "math64.h", "angle.h", "math.h", "quant.h", "parts.h", "product.h", "panel.h",
		"matrix.h", "warpgroup.h", "token.h"}, tokenKernels},
	{"fft", nil, fftKernels},
	{"optim", nil, optimKernels},
}

var (
	widths     = []string{"b8", "b16", "b32", "b64"}
	indexTypes = []DType{U8, U32, I64}
)

// A family is one translation unit: a file, or one op of it.
type family struct {
	name    string
	file    file
	kernels []kernel
}

// families lists the families in the order of the files and rows. familyOf returns the family of a kernel. byName
// returns a family or a whole file.
var (
	families = sync.OnceValue(func() (all []family) {
		for _, f := range files {
			for _, k := range f.kernels() {
				name := f.name
				if k.part != "" {
					name += "_" + k.part
				}
				if n := len(all); n == 0 || all[n-1].name != name {
					all = append(all, family{name: name, file: f})
				}
				last := &all[len(all)-1]
				last.kernels = append(last.kernels, k)
			}
		}
		return all
	})
	familyOf = sync.OnceValue(func() map[string]string {
		m := map[string]string{}
		for _, f := range families() {
			for _, k := range f.kernels {
				m[k.symbol] = f.name
			}
		}
		return m
	})
	byName = sync.OnceValue(func() map[string]family {
		m := map[string]family{}
		for _, f := range files {
			m[f.name] = family{f.name, f, f.kernels()}
		}
		for _, f := range families() {
			m[f.name] = f
		}
		return m
	})
)

// Families returns the names of the kernel families, each of them one translation unit. A .hip file with many kernels
// makes a family of each op (unary_floor) or type (softmax_f32), and cast.hip one of each source type (cast_f32), so
// that one compiles within a second.
func Families() []string {
	names := make([]string, len(families()))
	for i, f := range families() {
		names[i] = f.name
	}
	return names
}

// FamiliesOf returns the names of the families of a .hip file, which is named without its extension, or nil if there
// is no such file.
func FamiliesOf(file string) []string {
	var names []string
	for _, f := range families() {
		if f.file.name == file {
			names = append(names, f.name)
		}
	}
	return names
}

// FamilyOf returns the family of a kernel, and false if no family contains it.
func FamilyOf(symbol string) (string, bool) {
	name, ok := familyOf()[symbol]
	return name, ok
}

// Symbols returns the names of all kernels of a family or of a whole .hip file, or nil if the name is unknown.
func Symbols(name string) []string {
	var symbols []string
	for _, k := range byName()[name].kernels {
		symbols = append(symbols, k.symbol)
	}
	return symbols
}

// KernelSource returns a translation unit with a single kernel, which compiles faster than its family.
func KernelSource(symbol string) (string, error) {
	f, ok := byName()[familyOf()[symbol]]
	if !ok {
		return "", fmt.Errorf("kernels: no kernel %q", symbol)
	}
	i := slices.IndexFunc(f.kernels, func(k kernel) bool { return k.symbol == symbol })
	return family{symbol, f.file, f.kernels[i : i+1]}.source()
}

// Source returns the translation unit of a family, or of a whole .hip file, for hiprtc, NVRTC or clang. It includes
// nothing.
func Source(name string) (string, error) {
	f, ok := byName()[name]
	if !ok {
		return "", fmt.Errorf("kernels: no family %q; there are %s", name, strings.Join(Families(), ", "))
	}
	return f.source()
}

func (f family) source() (string, error) {
	lines := make([]string, len(f.kernels))
	for i, k := range f.kernels {
		lines[i] = k.line
	}
	return translationUnit(f.name, append(slices.Clone(f.file.headers), f.file.name+".hip"), lines)
}

// translationUnit is prelude.h, other files, and lines.
func translationUnit(name string, files, lines []string) (string, error) {
	var b strings.Builder
	for _, part := range append([]string{"prelude.h"}, files...) {
		text, err := sources.ReadFile(part)
		if err != nil {
			return "", fmt.Errorf("kernels: %s needs %s: %w", name, part, err)
		}
		fmt.Fprintf(&b, "#line 1 \"%s\"\n%s\n", part, text)
	}
	fmt.Fprintf(&b, "#line 1 \"%s\"\n", name)
	for _, line := range lines {
		b.WriteString(line)
		b.WriteByte('\n')
	}
	b.WriteString("}  // namespace gr\n")
	return b.String(), nil
}
