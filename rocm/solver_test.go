package rocm

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/cmplx"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/rocm/internal/childtest"
	"github.com/gorocm/gorocm/rocm/internal/mathlib"
)

var factorTypes = []string{"f32", "f64", "c64", "c128"}

// buildFakeRocSOLVER adds the stand-in for librocsolver to those for libamdhip64 and librocblas.
func buildFakeRocSOLVER(t *testing.T, flags ...string) []string {
	t.Helper()
	env := buildFakeROCm(t)
	dir := strings.TrimPrefix(env[0], "GOROCM_LIBRARY_PATH=")
	buildStandIn(t, dir, "librocsolver.so.0", "testdata/fakerocsolver.c", append(flags, "-L"+dir, "-l:"+childtest.File("librocblas.so.4"))...)
	return env
}

// buildFakeCuSOLVER compiles the stand-in for cuSOLVER. Its driver is one in Go.
func buildFakeCuSOLVER(t *testing.T, flags ...string) []string {
	t.Helper()
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("no C compiler (cc)")
	}
	dir := t.TempDir()
	args := append([]string{"-shared", "-fPIC", "-O0", "-Wall", "-o", filepath.Join(dir, childtest.File("libcusolver.so.12")),
		"testdata/fakecusolver.c", "-lm"}, flags...)
	if out, err := exec.Command(cc, args...).CombinedOutput(); err != nil {
		t.Fatalf("cc: %v\n%s", err, out)
	}
	return []string{"GOROCM_LIBRARY_PATH=" + dir, "GOROCM_BLAS=", "GOROCM_SYNC="}
}

func TestSolver(t *testing.T) {
	thorough.Slow(t)
	amd, nvidia := buildFakeRocSOLVER(t), buildFakeCuSOLVER(t)
	childtest.Run(t, "TestRocSOLVERChild", amd...)
	childtest.Run(t, "TestRocSOLVERChild", append(amd, "GOROCM_SYNC=1")...)
	childtest.Run(t, "TestCuSOLVERChild", nvidia...)
	childtest.Run(t, "TestTriangularChild", amd...)
	childtest.Run(t, "TestSolverFaultsChild", nvidia...)
	childtest.Run(t, "TestNoSolverChild", append(amd, "GOROCM_BLAS=go", "WANT_PROBLEM=GOROCM_BLAS=go is set")...)
	childtest.Run(t, "TestNoSolverChild", append(buildFakeROCm(t), "WANT_PROBLEM=load "+childtest.File("librocsolver.so")+": not found")...)
	childtest.Run(t, "TestNoSolverChild", append(amd, "ROCBLAS_TENSILE_LIBPATH=/nonexistent",
		"WANT_PROBLEM=rocBLAS has no kernels for gfx1100")...)
	childtest.Run(t, "TestLackingSolverChild", buildFakeRocSOLVER(t, "-DWITHOUT_LU")...)
}

func TestRocSOLVERChild(t *testing.T) {
	childtest.Only(t)
	d, err := Open("rocm")
	if err != nil {
		t.Fatal(err)
	}
	probeLoadsNoSolver(t)
	everyFactor(t, d, "librocsolver.so.0")
	if info := d.Solver(); info.Name != "rocSOLVER" || info.Version != "3.30.1.stand" || len(info.Refused) != 0 {
		t.Errorf("Solver() = %+v", info)
	}
	factorFaults(t, d, "librocsolver.so.0", "fakerocsolver_inject", "rocsolver_dgetrf")
}

// probeLoadsNoSolver: Probe finds rocSOLVER, whose file has up to two gigabytes, and does not load it.
func probeLoadsNoSolver(t *testing.T) {
	t.Helper()
	version := "file version 0, loaded on first use"
	if runtime.GOOS == "windows" { // where files say it themselves, and the stand-in does not
		version = "loaded on first use"
	}
	for _, l := range Probe() {
		if l.Name == "rocSOLVER" && (filepath.Base(l.Path) != childtest.File("librocsolver.so.0") ||
			l.Version != version || l.Problem != "") {
			t.Errorf("Probe() has %+v", l)
		}
	}
	if maps, err := os.ReadFile("/proc/self/maps"); err == nil && strings.Contains(string(maps), "librocsolver") {
		t.Error("Probe has loaded rocSOLVER")
	}
}

func TestCuSOLVERChild(t *testing.T) {
	childtest.Only(t)
	d := cudaFake(t, "sm_90")
	everyFactor(t, d, "libcusolver.so.12")
	if info := d.Solver(); info.Name != "cuSOLVER" || info.Version != "12.11.10" || len(info.Refused) != 0 {
		t.Errorf("Solver() = %+v", info)
	}
	factorFaults(t, d, "libcusolver.so.12", "fakecusolver_inject", "cusolverDnDgetrf_bufferSize")
	var handles func() int32
	standIn(t, "libcusolver.so.12", "fakecusolver_handles", &handles)
	if err := d.solver.Close(libraryHost{d}); err != nil || handles() != 0 {
		t.Errorf("%v, %d handles are left", err, handles())
	}
}

func TestNoSolverChild(t *testing.T) {
	childtest.Only(t)
	d, err := Open("rocm")
	if err != nil {
		t.Fatal(err)
	}
	f := newFactor(t, d, "f32", "getrf", 2, 2, 1, 2, 3, 4)
	if done, err := d.Factor(f); done || err != nil {
		t.Errorf("there was a factorisation all the same: %v", err)
	}
	if info := d.Solver(); info.Name != "" || !strings.Contains(info.Problem, os.Getenv("WANT_PROBLEM")) {
		t.Errorf("Solver() = %+v", info)
	}
}

// TestLackingSolverChild has a library without a routine: that one is refused, the others are not.
func TestLackingSolverChild(t *testing.T) {
	childtest.Only(t)
	d, err := Open("rocm")
	if err != nil {
		t.Fatal(err)
	}
	for routine, want := range map[string]bool{"getrf": false, "potrf": true} {
		if done, err := d.Factor(newFactor(t, d, "f64", routine, 1, 1, 4)); done != want || err != nil {
			t.Errorf("%s: %v, %v", routine, done, err)
		}
	}
	if said := d.Solver().Refused["getrf of f64"]; !strings.Contains(said, "lacks rocsolver_dgetrf") {
		t.Errorf("the library says %q", said)
	}
}

// TestSolverFaultsChild has each call of cuSOLVER fail: it does nothing, what it allocated is free again, and the next
// device has it.
func TestSolverFaultsChild(t *testing.T) {
	childtest.Only(t)
	var fail func(name string, code, times int32)
	var handles func() int32
	standIn(t, "libcusolver.so.12", "fakecusolver_inject", &fail)
	standIn(t, "libcusolver.so.12", "fakecusolver_handles", &handles)
	calls := map[string]string{"cusolverDnCreate": "getrf", "cusolverDnSetStream": "getrf",
		"cusolverDnSetDeterministicMode": "getrf", "cusolverDnCreateGesvdjInfo": "gesvdj"}
	for _, routine := range []string{"getrf", "potrf", "geqrf", "orgqr", "gesvd", "gesvdj", "syevd"} {
		calls["cusolverDnD"+routine], calls["cusolverDnD"+routine+"_bufferSize"] = routine, routine
	}
	for name, routine := range calls {
		for _, times := range []int32{1, 0} {
			d := cudaFake(t, "sm_90")
			f := newFactor(t, d, "f64", routine, 1, 1, 4)
			for _, s := range []*Span{&f.Tau, &f.Values} {
				if err := s.Buffer.Upload(s.Offset, make([]byte, 16)); err != nil {
					t.Fatal(err)
				}
			}
			used := d.Memory().InUse
			fail(name, 7, times)
			if done, err := d.Factor(f); done != (times == 0) || err != nil {
				t.Errorf("%s fails %d times: %v, %v", name, times, done, err)
			}
			info := d.Solver()
			if said := info.Problem + fmt.Sprint(info.Refused); times > 0 && !strings.Contains(said, name+": CUSOLVER_STATUS_INTERNAL_ERROR (7)") {
				t.Errorf("%s fails: the library says %q", name, said)
			}
			if now := d.Memory().InUse; now != used {
				t.Errorf("%s fails %d times: %d bytes in use, %d before", name, times, now, used)
			}
			if err := d.solver.Close(libraryHost{d}); err != nil || handles() != 0 {
				t.Errorf("%s fails %d times: %v, %d handles are left", name, times, err, handles())
			}
		}
	}
}

// factorBytes gives numbers the bytes of elements.
func factorBytes(elem string, values ...complex128) (b []byte) {
	_, real32 := mathlib.FactorSize(elem)
	part := func(x float64) {
		if real32 == 4 {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(x)))
		} else {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
		}
	}
	for _, v := range values {
		part(real(v))
		if elem[0] == 'c' {
			part(imag(v))
		}
	}
	return b
}

// room is memory for so many bytes, behind others.
func room(t *testing.T, d *Device, n int, data []byte) Span {
	t.Helper()
	s := Span{alloc(t, d, n+64), 64}
	if err := s.Buffer.Upload(64, data); err != nil {
		t.Fatal(err)
	}
	return s
}

// contents are the first bytes of memory.
func contents(t *testing.T, s Span, n int) string {
	t.Helper()
	b := make([]byte, n)
	if err := s.Buffer.Download(b, s.Offset); err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// newFactor is a step for a column-major matrix, with room for all results.
func newFactor(t *testing.T, d *Device, elem, routine string, m, n int, a ...complex128) *Factor {
	f := &Factor{Routine: routine, Elem: elem, M: m, N: n, K: min(m, n), A: room(t, d, 0, nil)}
	f.A = room(t, d, 16*m*n, factorBytes(elem, a...))
	for _, s := range []*Span{&f.Pivots, &f.Tau, &f.Values, &f.U, &f.VH, &f.Info} {
		*s = room(t, d, 16*max(m, n)*max(m, n), nil)
	}
	return f
}

// factorCase is a step with its results; those of complex types get i times more.
type factorCase struct {
	routine              string
	m, n                 int
	upper, vectors, full bool
	a                    []complex128
	result               []complex128 // what is in the place of a
	pivots               []byte
	values, u, vh        []complex128
	info                 byte
}

var factorCases = []factorCase{
	{routine: "getrf", m: 2, n: 2, a: []complex128{2, 4, 3, 5}, result: []complex128{4, 0.5, 5, 0.5}, pivots: []byte{2, 0, 0, 0, 2}},
	{routine: "getrf", m: 2, n: 1, a: []complex128{0, 0}, result: []complex128{0, 0}, pivots: []byte{1}, info: 1},
	{routine: "potrf", m: 2, n: 2, a: []complex128{4, 2, 9, 5}, result: []complex128{2, 1, 9, 2}},
	{routine: "potrf", m: 2, n: 2, upper: true, a: []complex128{4, 9, 2, 5}, result: []complex128{2, 9, 1, 2}},
	{routine: "potrf", m: 2, n: 2, a: []complex128{1, 2, 9, 3}, info: 2},
	{routine: "geqrf", m: 3, n: 2, a: []complex128{4, 0, 0, 7, 5, 0}, result: []complex128{4, 0, 0, 7, 5, 0}},
	{routine: "orgqr", m: 3, n: 2, a: []complex128{4, 0, 0, 7, 5, 0}, result: []complex128{1, 0, 0, 0, 1, 0}},
	{routine: "gesvd", m: 3, n: 2, vectors: true, a: []complex128{5, 0, 0, 0, 2, 0}, values: []complex128{5, 2},
		u: []complex128{1, 0, 0, 0, 1, 0}, vh: []complex128{1, 0, 0, 1}},
	{routine: "gesvd", m: 2, n: 1, vectors: true, full: true, a: []complex128{5, 0}, values: []complex128{5},
		u: []complex128{1, 0, 0, 1}, vh: []complex128{1}},
	{routine: "gesvd", m: 2, n: 2, a: []complex128{5, 0, 0, 1}, values: []complex128{5, 1}},
	{routine: "gesvdj", m: 3, n: 2, vectors: true, a: []complex128{5, 0, 0, 0, 2, 0}, values: []complex128{5, 2},
		u: []complex128{1, 0, 0, 0, 1, 0}, vh: []complex128{1, 0, 0, 1}},
	{routine: "gesvdj", m: 2, n: 1, vectors: true, full: true, a: []complex128{5, 0}, values: []complex128{5},
		u: []complex128{1, 0, 0, 1}, vh: []complex128{1}},
	{routine: "gesvdj", m: 2, n: 2, a: []complex128{5, 0, 0, 1}, values: []complex128{5, 1}},
	{routine: "syevd", m: 2, n: 2, vectors: true, a: []complex128{1, 0, 9, 2}, values: []complex128{1, 2}, result: []complex128{1, 0, 0, 1}},
	{routine: "syevd", m: 2, n: 2, upper: true, a: []complex128{-3, 9, 0, 2}, values: []complex128{-3, 2}},
}

// everyFactor does all steps with a stand-in, in all types.
func everyFactor(t *testing.T, d *Device, file string) {
	t.Helper()
	var steps func() int32
	want := int32(0)
	standIn(t, file, "fakesolver_steps", &steps)
	for _, elem := range factorTypes {
		for i, c := range factorCases {
			f := newFactor(t, d, elem, c.routine, c.m, c.n, c.a...)
			f.Upper, f.Vectors, f.Full = c.upper, c.vectors, c.full
			done, err := d.Factor(f)
			if c.routine == "gesvdj" && d.Info().Platform != CUDA {
				if done || err != nil || len(d.Solver().Refused) != 0 {
					t.Errorf("gesvdj of %s: %v, %v, %+v; rocSOLVER's takes a number by value", elem, done, err, d.Solver())
				}
				continue
			}
			if !done || err != nil {
				t.Errorf("%s of %s, case %d: %v, %v, %+v", c.routine, elem, i, done, err, d.Solver())
				continue
			}
			want++
			realElem := map[string]string{"c64": "f32", "c128": "f64"}[elem]
			if realElem == "" {
				realElem = elem
			}
			for name, x := range map[string]struct {
				at   Span
				want []byte
			}{
				"the matrix": {f.A, factorBytes(elem, c.result...)}, "U": {f.U, factorBytes(elem, c.u...)},
				"VH": {f.VH, factorBytes(elem, c.vh...)}, "values": {f.Values, factorBytes(realElem, c.values...)},
				"pivots": {f.Pivots, c.pivots},
			} {
				_, part := mathlib.FactorSize(elem)
				got := contents(t, x.at, len(x.want))
				if name != "pivots" {
					got = string(positive([]byte(got), part))
				}
				if got != string(x.want) {
					t.Errorf("%s of %s, case %d: %s: % x, want % x", c.routine, elem, i, name, got, x.want)
				}
			}
			if got := contents(t, f.Info, 1)[0]; c.routine != "geqrf" && c.routine != "orgqr" && got != c.info {
				t.Errorf("%s of %s, case %d: info is %d, want %d", c.routine, elem, i, got, c.info)
			}
		}
	}
	if steps() != want {
		t.Errorf("the library did %d steps, want %d", steps(), want)
	}
}

// factorFaults has a routine fail: it is refused from then on, but not where memory was short; and operands that are not
// where they should be.
func factorFaults(t *testing.T, d *Device, file, inject, call string) {
	t.Helper()
	var fail func(name string, code, times int32)
	standIn(t, file, inject, &fail)
	f := newFactor(t, d, "f64", "getrf", 1, 1, 3)
	memory := map[string]int32{"rocSOLVER": 5, "cuSOLVER": 2}[d.Solver().Name]
	for i, want := range []bool{false, true, false, false} {
		switch i {
		case 0:
			fail(call, memory, 2) // also after unused memory was freed
		case 2:
			fail(call, 6, 1)
		}
		if done, err := d.Factor(f); done != want || err != nil {
			t.Errorf("try %d: %v, %v", i, done, err)
		}
	}
	if said := d.Solver().Refused["getrf of f64"]; !strings.Contains(said, call) {
		t.Errorf("the library says %q", said)
	}
	for name, spoil := range map[string]func(f *Factor){
		"no matrix":   func(f *Factor) { f.A = Span{} },
		"short":       func(f *Factor) { f.A.Offset = f.A.Buffer.Len() - 15 },
		"no info":     func(f *Factor) { f.Info = Span{} },
		"no pivots":   func(f *Factor) { f.Pivots = Span{} },
		"freed":       func(f *Factor) { f.Pivots = Span{Buffer: alloc(t, d, 8)}; f.Pivots.Buffer.Free() },
		"before zero": func(f *Factor) { f.Info.Offset = -4 },
	} {
		g := newFactor(t, d, "c128", "getrf", 1, 1, 3)
		spoil(g)
		if done, err := d.Factor(g); done || err == nil || !strings.HasPrefix(err.Error(), "rocm: factor: ") {
			t.Errorf("%s: %v, %v", name, done, err)
		}
	}
}

// TestTriangularChild solves X·op(T) = B for whole numbers in all modes and types, for several rows and for one.
func TestTriangularChild(t *testing.T) {
	childtest.Only(t)
	d, err := Open("rocm")
	if err != nil {
		t.Fatal(err)
	}
	const n = 4
	for _, elem := range factorTypes {
		for mode := range 32 {
			m := []int{3, 1}[mode>>4]
			s := Triangular{Elem: elem, M: m, N: n, Upper: mode&1 != 0, Unit: mode&2 != 0, Transposed: mode&4 != 0,
				Conjugated: mode&8 != 0}
			i := complex(0, 0)
			if elem[0] == 'c' {
				i = complex(0, 1)
			}
			tri, x, b := make([]complex128, n*n), make([]complex128, m*n), make([]complex128, m*n)
			op := func(r, c int) complex128 {
				if s.Transposed {
					r, c = c, r
				}
				e := tri[r+c*n]
				if s.Conjugated {
					e = cmplx.Conj(e)
				}
				switch {
				case r == c && s.Unit:
					return 1
				case r != c && (r < c) != s.Upper:
					return 0
				}
				return e
			}
			for k := range tri {
				tri[k] = complex(float64(k%5-2), 0) + i*complex(float64(k%3-1), 0)
			}
			for k := range n {
				tri[k+k*n] = 2
			}
			for k := range x {
				x[k] = complex(float64(k%7-3), 0) + i*complex(float64(k%4), 0)
			}
			for r := range m {
				for c := range n {
					for l := range n {
						b[r+c*m] += x[r+l*m] * op(l, c)
					}
				}
			}
			s.T, s.B = room(t, d, 16*n*n, factorBytes(elem, tri...)), room(t, d, 16*m*n, factorBytes(elem, b...))
			done, err := d.SolveTriangular(&s)
			if want := s.Transposed || !s.Conjugated; done != want || err != nil {
				t.Errorf("%s, mode %d: %v, %v, %+v", elem, mode, done, err, d.BLAS())
				continue
			}
			want := string(factorBytes(elem, x...))
			_, part := mathlib.FactorSize(elem)
			if got := contents(t, s.B, len(want)); done && string(positive([]byte(got), part)) != want {
				t.Errorf("%s, mode %d: % x, want % x", elem, mode, got, want)
			}
		}
	}
	if done, err := d.SolveTriangular(&Triangular{Elem: "f32", M: 1, N: 1}); done || err == nil {
		t.Errorf("without matrices: %v, %v", done, err)
	}
	if info := d.BLAS(); len(info.Refused) != 0 {
		t.Error(fmt.Sprint(info.Refused))
	}
}
