package special_test

import (
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/special"
)

// extreme are the functions of extremes.txt.
var extreme = map[string]any{
	"Gamma": special.Gamma, "GammaInc": special.GammaInc, "GammaIncC": special.GammaIncC,
	"GammaIncInv": special.GammaIncInv, "GammaIncCInv": special.GammaIncCInv, "Zeta": special.Zeta,
	"Ndtr": special.Ndtr, "LogNdtr": special.LogNdtr, "Ndtri": special.Ndtri, "XLogY": special.XLogY,
	"XLog1PY": special.XLog1PY, "Entr": special.Entr, "RelEntr": special.RelEntr, "Beta": special.Beta,
	"BetaLn": special.BetaLn, "BetaInc": special.BetaInc, "BetaIncC": special.BetaIncC,
	"BetaIncInv": special.BetaIncInv, "BetaIncCInv": special.BetaIncCInv, "J0": special.J0, "J1": special.J1,
	"I0e": special.I0e, "I1e": special.I1e, "K0": special.K0, "K1": special.K1, "K0e": special.K0e,
	"K1e": special.K1e, "ExpI": special.ExpI, "Exp1": special.Exp1,
	"LogGammaInc": special.LogGammaInc, "LogGammaIncC": special.LogGammaIncC,
	"MultiGammaLn": func(x any) *tensor.Tensor { return special.MultiGammaLn(x, 3) },
	"Digamma":      method((*tensor.Tensor).Digamma), "Lgamma": method((*tensor.Tensor).Lgamma),
	"Trigamma": method((*tensor.Tensor).Trigamma), "Erf": method((*tensor.Tensor).Erf),
	"Erfc": method((*tensor.Tensor).Erfc), "Erfinv": method((*tensor.Tensor).Erfinv),
	"I0": method((*tensor.Tensor).I0), "I1": method((*tensor.Tensor).I1), "Sinc": method((*tensor.Tensor).Sinc),
	"Polygamma1": func(x any) *tensor.Tensor { return special.Polygamma(1, x) },
	"Polygamma2": func(x any) *tensor.Tensor { return special.Polygamma(2, x) },
}

// method is a method of tensors as a function.
func method(f func(x *tensor.Tensor) *tensor.Tensor) func(x any) *tensor.Tensor {
	return func(x any) *tensor.Tensor { return f(x.(*tensor.Tensor)) }
}

// TestExtremes: infinities, zeros, subnormal, huge numbers and NaN give what SciPy gives, on both devices.
func TestExtremes(t *testing.T) {
	text, err := os.ReadFile("testdata/extremes.txt")
	if err != nil {
		t.Fatal(err)
	}
	columns := map[string][][]float64{} // of each function, its arguments and the values
	for line := range strings.Lines(string(text)) {
		name, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		fields := strings.Fields(rest)
		if columns[name] == nil {
			columns[name] = make([][]float64, len(fields))
		}
		for i, field := range fields {
			v, err := strconv.ParseFloat(field, 64)
			if err != nil {
				t.Fatal(err)
			}
			columns[name][i] = append(columns[name][i], v)
		}
	}
	for name := range extreme {
		if columns[name] == nil {
			t.Errorf("%s is not in extremes.txt", name)
		}
	}
	for device, dev := range map[string]*tensor.Device{"cpu": cpu, "gpu": gpu(t)} {
		for name, list := range columns {
			x := make([]*tensor.Tensor, len(list)-1)
			for i := range x {
				x[i] = dev.New(list[i])
			}
			var got []float64
			switch f := extreme[name].(type) {
			case func(x any) *tensor.Tensor:
				got = f(x[0]).Float64s()
			case func(x, y any) *tensor.Tensor:
				got = f(x[0], x[1]).Float64s()
			case func(x, y, z any) *tensor.Tensor:
				got = f(x[0], x[1], x[2]).Float64s()
			}
			for i, want := range list[len(x)] {
				g := got[i]
				near := g == want || g != g && want != want || math.Abs(g-want) <= 1e-12*math.Abs(want)+1e-300
				if !near {
					var args []float64
					for _, column := range list[:len(x)] {
						args = append(args, column[i])
					}
					t.Errorf("%s: %s of %v is %v, want %v", device, name, args, g, want)
				}
			}
		}
	}
}

func gpu(t *testing.T) *tensor.Device {
	dev, err := tensor.NewDevice("rocm")
	if err != nil {
		t.Fatal(err)
	}
	return dev
}
