package kernels

import "strings"

// Math returns the functions of math.h for f32 and f64 (exp, expm1, log, sin, cos, tanh, erf, pow), in the namespace
// gr, as source to put before kernels that are compiled without a device library. It leaves no macro defined.
func Math() string {
	var b strings.Builder
	var macros []string
	for _, name := range []string{"prelude.h", "arith.h", "math32.h", "math64.h", "angle.h", "math.h"} {
		text, err := sources.ReadFile(name)
		if err != nil {
			panic("kernels: " + name + " is not embedded") // the embed directive takes all headers
		}
		for line := range strings.Lines(string(text)) {
			if rest, ok := strings.CutPrefix(line, "#define "); ok {
				macro, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
				macro, _, _ = strings.Cut(macro, "(")
				macros = append(macros, macro)
			}
		}
		b.Write(text)
		b.WriteByte('\n')
	}
	b.WriteString("}  // namespace gr\n")
	for _, m := range macros {
		b.WriteString("#undef " + m + "\n")
	}
	return b.String()
}
