// Package openblas multiplies and factors matrices with the libraries of the system, where there are some: CBLAS and
// LAPACK, which OpenBLAS has both.
//
// The library is looked for at the first use: in the folders of GOROCM_LIBRARY_PATH, then by the system's own search.
// GOROCM_BLAS=go keeps it from being used.
package openblas

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"github.com/gorocm/gorocm/internal/dl"
)

// Library is a loaded CBLAS library. Its functions may be called by several goroutines.
type Library struct {
	Name string // of the file, and what the library says about itself if it does

	sgemm func(order, tA, tB, m, n, k int32, alpha float32, a *float32, lda int32, b *float32, ldb int32, beta float32,
		c *float32, ldc int32)
	dgemm func(order, tA, tB, m, n, k int32, alpha float64, a *float64, lda int32, b *float64, ldb int32, beta float64,
		c *float64, ldc int32)
}

// The values of CBLAS's enumerations.
const (
	rowMajor   = 101
	noTrans    = 111
	transposed = 112
)

// Matrix is an operand: dense rows that lie Stride elements apart, or dense columns if it is Transposed.
type Matrix[T float32 | float64] struct {
	Data       []T
	Stride     int
	Transposed bool
}

// Load returns the library, or nil where there is none or Go is asked for. It looks once.
var Load = sync.OnceValue(func() *Library {
	if strings.EqualFold(os.Getenv("GOROCM_BLAS"), "go") {
		return nil
	}
	return open(candidates(os.Getenv("GOROCM_LIBRARY_PATH")))
})

func names() []string {
	switch runtime.GOOS {
	case "linux":
		return []string{"libopenblas.so.0", "libopenblas.so", "libblis.so.4", "libblis.so", "libcblas.so.3",
			"libcblas.so"}
	case "windows":
		return []string{"libopenblas.dll", "openblas.dll", "libblis.dll"}
	case "darwin":
		return []string{"libopenblas.dylib", "/opt/homebrew/opt/openblas/lib/libopenblas.dylib",
			"/System/Library/Frameworks/Accelerate.framework/Accelerate"}
	}
	return nil
}

// candidates lists what to hand to the loader: the files that exist in the folders, then the names for its own search.
func candidates(folders string) []string {
	var list []string
	for _, folder := range filepath.SplitList(folders) {
		for _, name := range names() {
			path := filepath.Join(folder, filepath.Base(name))
			if _, err := os.Stat(path); folder != "" && err == nil {
				list = append(list, path)
			}
		}
	}
	return append(list, names()...)
}

// open returns the first of the files that is a CBLAS library.
func open(files []string) *Library {
	for _, file := range files {
		handle, err := dl.Open(file)
		if err != nil {
			continue
		}
		l := &Library{Name: filepath.Base(file)}
		if l.bind(handle) {
			return l
		}
		dl.Close(handle)
	}
	return nil
}

// bind finds the functions. A library whose integers have 64 bits has other names for them, as in cblas_sgemm64_, or
// says so.
func (l *Library) bind(handle uintptr) bool {
	if hasWideIntegers(handle) {
		return false
	}
	if words := strings.Fields(configuration(handle)); len(words) >= 2 && words[0] == "OpenBLAS" {
		l.Name = words[0] + " " + words[1]
	}
	for name, f := range map[string]any{"cblas_sgemm": &l.sgemm, "cblas_dgemm": &l.dgemm} {
		symbol, err := dl.Symbol(handle, name)
		if err != nil {
			return false
		}
		dl.Register(f, symbol)
	}
	return true
}

// configuration is what the library says about itself, if it is OpenBLAS.
func configuration(handle uintptr) string {
	symbol, err := dl.Symbol(handle, "openblas_get_config")
	if err != nil {
		return ""
	}
	var config func() string
	dl.Register(&config, symbol)
	return config()
}

// Multiply sets c, which is m×n with rows stride elements apart, to a times b, which are m×k and k×n. No size is 0.
// What c holds does not matter.
func Multiply[T float32 | float64](l *Library, m, n, k int, a, b Matrix[T], c []T, stride int) {
	tA, tB := form(a.Transposed), form(b.Transposed)
	switch c := any(c).(type) {
	case []float32:
		a, b := any(a).(Matrix[float32]), any(b).(Matrix[float32])
		l.sgemm(rowMajor, tA, tB, int32(m), int32(n), int32(k), 1, &a.Data[0], int32(a.Stride), &b.Data[0],
			int32(b.Stride), 0, &c[0], int32(stride))
	case []float64:
		a, b := any(a).(Matrix[float64]), any(b).(Matrix[float64])
		l.dgemm(rowMajor, tA, tB, int32(m), int32(n), int32(k), 1, &a.Data[0], int32(a.Stride), &b.Data[0],
			int32(b.Stride), 0, &c[0], int32(stride))
	}
}

func form(trans bool) int32 {
	if trans {
		return transposed
	}
	return noTrans
}
