package rocm

import (
	_ "embed"
	"regexp"
	"strings"

	"github.com/gorocm/gorocm/kernels"
)

// hipMath declares, for plain clang, the functions that hiprtc has from its device library.
//
//go:embed hipmath.h
var hipMath string

// needsMath finds a call of one of them, in an overload that hipnames.h lacks.
var needsMath = regexp.MustCompile(`\b(sinf?|cosf?|tanf?|sincosf?|powf?|erff?|expm1f?|exp|log|tanh)\s*\(`)

// hipPrint declares printf and assert for plain clang.
//
//go:embed hipprint.h
var hipPrint string

var needsPrint = regexp.MustCompile(`\b(printf|assert|abort)\s*\(`)

// declarationsFor is what stands before a source that plain clang compiles.
func declarationsFor(source string) string {
	text := hipDeclarations
	if strings.Contains(source, "\nnamespace gr {\n") { // our own kernels bring what they need
		return text
	}
	if needsMath.MatchString(source) {
		text += kernels.Math() + hipMath
	}
	if needsPrint.MatchString(source) {
		text += hipPrint
	}
	return text
}
