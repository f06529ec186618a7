package kernels

import (
	"bufio"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
)

// The references are held against values computed with 113 digits and more (libquadmath, mpmath).
func TestReferences(t *testing.T) {
	tests := []struct {
		name      string
		got, want float64
	}{
		{"sin π", sin(math.Pi), 1.2246467991473532e-16},
		{"cos π/2", cos(math.Pi / 2), 6.123233995736766e-17},
		{"sin of the double closest to a multiple of π/2", sin(0x1.6ac5b262ca1ffp+849), 1},
		{"cos of the double closest to a multiple of π/2", cos(0x1.6ac5b262ca1ffp+849), -0x1.14ae72e6ba22fp-61},
		{"sin 1e22", sin(1e22), -0x1.b453ab76bf397p-1},
		{"cos -1e22", cos(-1e22), 0x1.0be2cef01c8f4p-1},
		{"sin of the greatest", sin(math.MaxFloat64), 0x1.452fc98b34e97p-8},
		{"sin 2^30", sin(1 << 30), -0x1.3c12353728cafp-1},
		{"log 5e-324", log(5e-324), -744.4400719213812},
		{"log 1e-310", log(1e-310), -713.8013788281542},
		{"pow 1e-40 2.5", pow(1e-40, 2.5), 9.999999999999998e-101},
		{"pow 6e-8 ½", pow(6e-8, 0.49999997), 0.0002449490964754645},
		{"pow -3 3", pow(-3, 3), -27},
		{"pow 2 -1074", pow(2, -1074), math.SmallestNonzeroFloat64},
		{"pow -2 ½", pow(-2, 0.5), math.NaN()},
		{"pow 0 -1", pow(0, -1), math.Inf(1)},
		{"pow NaN 0", pow(math.NaN(), 0), 1},
		{"gelu -6", geluTanh(-6), -8.439646700762297e-11},
		{"gelu -Inf", geluTanh(math.Inf(-1)), 0},
		{"gelu_erf -6", geluErf(-6), -5.9195258702261885e-09},
		{"gelu_erf -30", geluErf(-30), -1.472014178144456e-196},
		{"silu -Inf", logistic(math.Inf(-1), math.Inf(-1)), 0},
		{"silu -720", logistic(-720, -720), -1.46320617774547e-310},
		{"relu NaN", relu(math.NaN()), math.NaN()},
		{"sum of what cancels", sumFloat([]float64{1e100, 1, -1e100}), 1},
		{"sum with an infinity", sumFloat([]float64{1, math.Inf(1)}), math.Inf(1)},
		{"argmax of equals", argmaxFloat([]float64{1, 3, 3}), 1},
		{"argmin with NaN", argminFloat([]float64{1, math.NaN(), -3, math.NaN()}), 1},
	}
	for _, test := range tests {
		two := 2 * math.Max(math.Abs(test.want)*0x1p-52, math.SmallestNonzeroFloat64)
		same := test.got == test.want || math.IsNaN(test.got) && math.IsNaN(test.want)
		if !same && !(math.Abs(test.got-test.want) <= two) {
			t.Errorf("%s: got %v, want %v", test.name, test.got, test.want)
		}
	}
}

// TestReferenceValues holds the references of rows against values computed with 60 digits (mpmath) and rounded: lines
// of a name, operands and the result. They are within the tolerance of the row, which holds for the CPU too.
func TestReferenceValues(t *testing.T) {
	f, err := os.Open("testdata/functions.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	tried := map[string]bool{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		name, rest, _ := strings.Cut(lines.Text(), " ")
		tried[name] = true
		var v [3]float64
		fields := strings.Fields(rest)
		for i, s := range fields {
			if v[i], err = strconv.ParseFloat(s, 64); err != nil {
				t.Fatal(err)
			}
		}
		got, ulps, unit, want := 0.0, 0.0, 0.0, v[len(fields)-1]
		if len(fields) == 2 {
			op := rowOf(Unary, name, func(r *UnaryOp) string { return r.Name })
			got, ulps, unit = op.Ref(v[0]), op.ULP, op.Unit
		} else {
			op := rowOf(Binary, name, func(r *BinaryOp) string { return r.Name })
			got, ulps, unit = op.Ref(v[0], v[1]), op.ULP, op.Unit
		}
		size := max(math.Abs(want), unit, 0x1p-1022)
		if !(math.Abs(got-want) <= ulps*(math.Nextafter(size, math.Inf(1))-size)) {
			t.Errorf("%s of %v is %v, want %v", name, v[:len(fields)-1], got, want)
		}
	}
	for _, op := range mathUnary {
		if op.ULP > 1 && !tried[op.Name] {
			t.Errorf("there are no values of %s", op.Name)
		}
	}
	for _, op := range specialUnary {
		if !tried[op.Name] {
			t.Errorf("there are no values of %s", op.Name)
		}
	}
}
