package openblas

import (
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/gorocm/gorocm/internal/dl"
)

// LAPACK is a loaded LAPACK library with 32-bit integers: the routines of the four types that elements have, under the
// names of LAPACK without the first letter. Matrices are column-major. The routines may be called by several
// goroutines.
type LAPACK struct {
	Name string // of the file
	S    Real[float32]
	D    Real[float64]
	C    Complex[complex64, float32]
	Z    Complex[complex128, float64]

	threads    func() int32  // that OpenBLAS uses for one call; nil for other libraries
	setThreads func(n int32) // for all calls that begin later
	mu         sync.Mutex    // guards the calls of Single under way, and how many threads there were before them
	single     int
	before     int32
}

// Single calls f, which calls routines on goroutines of its own, while the library itself uses one thread for each
// call: its threads would get in their way.
func (l *LAPACK) Single(f func()) {
	if l.setThreads == nil {
		f()
		return
	}
	l.mu.Lock()
	if l.single++; l.single == 1 {
		l.before = l.threads()
		l.setThreads(1)
	}
	l.mu.Unlock()
	defer func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.single--; l.single == 0 {
			l.setThreads(l.before)
		}
	}()
	f()
}

// Routines are those that have the same parameters for real and complex matrices.
type Routines[T any] struct {
	Getrf func(m, n *int32, a *T, lda, pivots, info *int32)
	Potrf func(uplo *byte, n *int32, a *T, lda, info *int32)
	Geqrf func(m, n *int32, a *T, lda *int32, tau, work *T, lwork, info *int32)
	// ungqr for complex matrices
	Orgqr func(m, n, k *int32, a *T, lda *int32, tau, work *T, lwork, info *int32)
	Trsm  func(side, uplo, trans, diag *byte, m, n *int32, alpha, a *T, lda *int32, b *T, ldb *int32) // of BLAS
}

// Real are the routines for real matrices.
type Real[T float32 | float64] struct {
	Routines[T]
	Gesdd func(jobz *byte, m, n *int32, a *T, lda *int32, s, u *T, ldu *int32, vt *T, ldvt *int32, work *T,
		lwork, iwork, info *int32)
	Syevd func(jobz, uplo *byte, n *int32, a *T, lda *int32, w, work *T, lwork, iwork, liwork, info *int32)
	Geev  func(jobvl, jobvr *byte, n *int32, a *T, lda *int32, wr, wi, vl *T, ldvl *int32, vr *T, ldvr *int32,
		work *T, lwork, info *int32)
	Gees func(jobvs, sort *byte, selected uintptr, n *int32, a *T, lda, sdim *int32, wr, wi, vs *T, ldvs *int32,
		work *T, lwork, bwork, info *int32)
}

// Complex are the routines for complex matrices, whose parts are of type R.
type Complex[T complex64 | complex128, R float32 | float64] struct {
	Routines[T]
	Gesdd func(jobz *byte, m, n *int32, a *T, lda *int32, s *R, u *T, ldu *int32, vt *T, ldvt *int32, work *T,
		lwork *int32, rwork *R, iwork, info *int32)
	Heevd func(jobz, uplo *byte, n *int32, a *T, lda *int32, w *R, work *T, lwork *int32, rwork *R,
		lrwork, iwork, liwork, info *int32)
	Geev func(jobvl, jobvr *byte, n *int32, a *T, lda *int32, w, vl *T, ldvl *int32, vr *T, ldvr *int32, work *T,
		lwork *int32, rwork *R, info *int32)
	Gees func(jobvs, sort *byte, selected uintptr, n *int32, a *T, lda, sdim *int32, w, vs *T, ldvs *int32,
		work *T, lwork *int32, rwork *R, bwork, info *int32)
}

// LoadLAPACK returns the LAPACK of the system, or nil where there is none or GOROCM_BLAS=go. It looks once: for what
// Load looks for, which may have LAPACK too, and for liblapack.
var LoadLAPACK = sync.OnceValue(func() *LAPACK {
	if strings.EqualFold(os.Getenv("GOROCM_BLAS"), "go") {
		return nil
	}
	for _, file := range append(candidates(os.Getenv("GOROCM_LIBRARY_PATH")), "liblapack.so.3") {
		handle, err := dl.Open(file)
		if err != nil {
			continue
		}
		l := &LAPACK{Name: filepath.Base(file)}
		if !hasWideIntegers(handle) && l.bind(handle) {
			l.bindThreads(handle)
			return l
		}
		dl.Close(handle)
	}
	return nil
})

// hasWideIntegers reports whether the library says that its integers have 64 bits.
func hasWideIntegers(handle uintptr) bool {
	return strings.Contains(configuration(handle), "USE64BITINT")
}

// bind finds all routines, and reports whether they are there.
func (l *LAPACK) bind(handle uintptr) bool {
	list := map[string]any{
		"ssyevd_": &l.S.Syevd, "dsyevd_": &l.D.Syevd, "cheevd_": &l.C.Heevd, "zheevd_": &l.Z.Heevd,
		"sgesdd_": &l.S.Gesdd, "dgesdd_": &l.D.Gesdd, "cgesdd_": &l.C.Gesdd, "zgesdd_": &l.Z.Gesdd,
		"sgeev_": &l.S.Geev, "dgeev_": &l.D.Geev, "cgeev_": &l.C.Geev, "zgeev_": &l.Z.Geev,
		"sgees_": &l.S.Gees, "dgees_": &l.D.Gees, "cgees_": &l.C.Gees, "zgees_": &l.Z.Gees,
	}
	add(list, "s", "sorgqr_", &l.S.Routines)
	add(list, "d", "dorgqr_", &l.D.Routines)
	add(list, "c", "cungqr_", &l.C.Routines)
	add(list, "z", "zungqr_", &l.Z.Routines)
	for name, f := range list {
		symbol, err := dl.Symbol(handle, name)
		if err != nil {
			return false
		}
		dl.Register(f, symbol)
	}
	return true
}

// bindThreads finds OpenBLAS's functions for its threads.
func (l *LAPACK) bindThreads(handle uintptr) {
	get, err := dl.Symbol(handle, "openblas_get_num_threads")
	if err != nil {
		return
	}
	if set, err := dl.Symbol(handle, "openblas_set_num_threads"); err == nil {
		dl.Register(&l.threads, get)
		dl.Register(&l.setThreads, set)
	}
}

func add[T any](list map[string]any, letter, orgqr string, r *Routines[T]) {
	list[letter+"getrf_"], list[letter+"potrf_"], list[letter+"geqrf_"] = &r.Getrf, &r.Potrf, &r.Geqrf
	list[letter+"trsm_"], list[orgqr] = &r.Trsm, &r.Orgqr
}
