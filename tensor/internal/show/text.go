package show

import (
	"math"
	"strconv"
	"strings"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/host"
)

// texts formats elements: integers as they are, floats all in the same way, and so the parts of complex numbers.
func texts(dt kernels.DType, raw []byte, precision int) []string {
	if dt.IsComplex() {
		return complexTexts(dt.Real(), raw, precision)
	}
	out := make([]string, len(raw)/dt.Size())
	switch dt {
	case kernels.Bool:
		for i, v := range raw {
			out[i] = strconv.FormatBool(v != 0)
		}
		return out
	case kernels.I64:
		for i, v := range host.View[int64](raw) {
			out[i] = strconv.FormatInt(v, 10)
		}
		return out
	case kernels.U64:
		for i, v := range host.View[uint64](raw) {
			out[i] = strconv.FormatUint(v, 10)
		}
		return out
	}
	values := host.ToFloat64(dt, raw)
	if dt.IsInt() {
		for i, v := range values {
			out[i] = strconv.FormatInt(int64(v), 10)
		}
		return out
	}
	format := floatFormat(values, precision)
	for i, v := range values {
		out[i] = format(v)
	}
	return out
}

// complexTexts formats pairs of floats as 1.5000-2.0000i.
func complexTexts(dt kernels.DType, raw []byte, precision int) []string {
	values := host.ToFloat64(dt, raw)
	re, im := make([]float64, len(values)/2), make([]float64, len(values)/2)
	for i := range re {
		re[i], im[i] = values[2*i], values[2*i+1]
	}
	formatRe, formatIm := floatFormat(re, precision), floatFormat(im, precision)
	out := make([]string, len(re))
	for i, v := range im {
		text := formatIm(v)
		if text[0] != '-' {
			text = "+" + text
		}
		out[i] = formatRe(re[i]) + text + "i"
	}
	return out
}

// floatFormat chooses how floats are written, by the rule of Candle and PyTorch: whole numbers as 42., numbers of
// very different or extreme size with an exponent, others with that many decimals.
func floatFormat(values []float64, precision int) func(float64) string {
	whole, low, high := true, math.Inf(1), 0.0
	for _, v := range values {
		a := math.Abs(v)
		if a == 0 || math.IsInf(a, 0) || a != a {
			continue
		}
		whole = whole && a == math.Ceil(a)
		low, high = min(low, a), max(high, a)
	}
	exponent := high > 0 && (high/low > 1000 || high > 1e8 || low < 1e-4)
	return func(v float64) string {
		switch {
		case v != v:
			return "NaN"
		case math.IsInf(v, 1):
			return "inf"
		case math.IsInf(v, -1):
			return "-inf"
		case exponent:
			return shortExponent(strconv.FormatFloat(v, 'e', precision, 64))
		case whole:
			return strconv.FormatFloat(v, 'f', 0, 64) + "."
		}
		return strconv.FormatFloat(v, 'f', precision, 64)
	}
}

// shortExponent turns 1.5e+05 into 1.5e5.
func shortExponent(s string) string {
	mantissa, exp, _ := strings.Cut(s, "e")
	n, _ := strconv.Atoi(exp)
	return mantissa + "e" + strconv.Itoa(n)
}
