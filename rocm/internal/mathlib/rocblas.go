//lint:file-ignore ST1003 names of rocBLAS, as its manual has them

package mathlib

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"unsafe"

	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// The enumerations of rocBLAS, the same from ROCm 5 on, as far as they are used: rocblas-types.h.
const (
	rocblas_operation_none      = 111 // rocblas_operation
	rocblas_operation_transpose = 112

	rocblas_operation_conjugate_transpose = 113

	rocblas_fill_upper = 121 // rocblas_fill
	rocblas_fill_lower = 122

	rocblas_diagonal_non_unit = 131 // rocblas_diagonal
	rocblas_diagonal_unit     = 132

	rocblas_side_left  = 141 // rocblas_side
	rocblas_side_right = 142

	rocblas_status_memory_error = 5 // rocblas_status

	rocblas_default_math     = 0 // rocblas_math_mode
	rocblas_xf32_xdl_math_op = 1

	rocblas_gemm_algo_standard = 0 // rocblas_gemm_algo

	rocblas_datatype_f16_r  = 150 // rocblas_datatype
	rocblas_datatype_f32_r  = 151
	rocblas_datatype_f64_r  = 152
	rocblas_datatype_bf16_r = 168
)

var rocblasTypes = map[string]uintptr{
	"f16": rocblas_datatype_f16_r, "f32": rocblas_datatype_f32_r, "f64": rocblas_datatype_f64_r,
	"bf16": rocblas_datatype_bf16_r,
}

var rocblas = &blasKind{
	VendorKind: driver.VendorKind{
		Name: "rocBLAS", Platform: driver.HIP, Purpose: "products of matrices on AMD GPUs",
		NoMemory: []driver.Code{rocblas_status_memory_error},
		Statuses: rocblasStatuses, Find: findRocBLAS, Supports: rocblasKernels,
	},
	math: func(reduced bool) int32 {
		if reduced {
			return rocblas_xf32_xdl_math_op
		}
		return rocblas_default_math
	},
	noTranspose: rocblas_operation_none, transpose: rocblas_operation_transpose, types: rocblasTypes,
	compute: map[string]uintptr{
		"f16": rocblas_datatype_f32_r, "bf16": rocblas_datatype_f32_r, "f32": rocblas_datatype_f32_r,
		"f64": rocblas_datatype_f64_r,
	},
	separateResult: true, trailingArgs: []uintptr{rocblas_gemm_algo_standard, 0, 0},
	triangular: triangularEnums{left: rocblas_side_left, right: rocblas_side_right,
		lower: rocblas_fill_lower, upper: rocblas_fill_upper,
		conjugate: rocblas_operation_conjugate_transpose, notUnit: rocblas_diagonal_non_unit,
		unit: rocblas_diagonal_unit},
}

var rocblasStatuses = map[driver.Code]string{
	1: "rocblas_status_invalid_handle", 2: "rocblas_status_not_implemented", 3: "rocblas_status_invalid_pointer",
	4: "rocblas_status_invalid_size", 5: "rocblas_status_memory_error", 6: "rocblas_status_internal_error",
	7: "rocblas_status_perf_degraded", 11: "rocblas_status_invalid_value", 12: "rocblas_status_continue",
	13: "rocblas_status_check_numerics_fail", 14: "rocblas_status_excluded_from_build",
	15: "rocblas_status_arch_mismatch",
}

var findRocBLAS = sync.OnceValues(func() (*driver.Library, error) {
	hip, err := driver.LoadHIP()
	if err != nil {
		return nil, err
	}
	return rocblasSpec(hip.Library, hip.Major).Load()
})

// rocblasVersions are the versions in the file's name by HIP's major version. rocBLAS loads the HIP runtime that it was
// built for, and two major versions of that clash in a process.
func rocblasVersions(hip int32) []string {
	switch hip {
	case 5:
		return []string{"3", "0"}
	case 6:
		return []string{"4"}
	case 7:
		return []string{"5"}
	}
	return []string{"6", "5"}
}

// rocblasSpec searches the folder of the HIP runtime first. On Windows the file's name has no version.
func rocblasSpec(hip *driver.Library, major int32) driver.Search {
	const name = "librocblas.so"
	if runtime.GOOS == "windows" {
		return driver.SearchBesideHIP(hip, name, name)
	}
	folders := driver.ROCmFolders()
	if filepath.IsAbs(hip.Path) {
		folders = append([]string{filepath.Dir(hip.Path)}, folders...)
	}
	return driver.Search{Name: name, Names: driver.Versioned(name, rocblasVersions(major))[1:], Folders: folders}
}

// rocblasKernels fails for a GPU that the library has no kernel files for: rocBLAS would end the process at the first
// product.
func rocblasKernels(lib *driver.Library, arch string) error {
	base, _, _ := strings.Cut(arch, ":")
	return tensileKernels(lib, "rocBLAS", "rocblas", "ROCBLAS_TENSILE_LIBPATH", base)
}

// tensileKernels fails where a library has no kernel files for a GPU, in its own folder or in that of an environment
// variable.
func tensileKernels(lib *driver.Library, name, beside, variable, arch string) error {
	path := lib.Path
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	folder := filepath.Dir(path)
	places := []string{filepath.Join(folder, beside, "library"), filepath.Join(folder, beside, "*", "library")}
	if own := os.Getenv(variable); own != "" {
		places = []string{own, filepath.Join(own, "library")}
	}
	for _, place := range places {
		files, _ := filepath.Glob(filepath.Join(place, "*"+arch+"*"))
		for _, f := range files {
			if mentionsArch(filepath.Base(f), arch) {
				return nil
			}
		}
	}
	return &driver.Error{Op: "load " + lib.Path, Text: fmt.Sprintf("%s has no kernels for %s", name, arch),
		Kind:   driver.ErrUnsupported,
		Detail: "looked in " + strings.Join(places, ", ")}
}

// mentionsArch reports whether a file's name contains an architecture as a whole word: gfx90a is not gfx90.
func mentionsArch(file, arch string) bool {
	for {
		i := strings.Index(file, arch)
		if i < 0 {
			return false
		}
		file = file[i+len(arch):]
		if file == "" || !strings.ContainsRune("0123456789abcdefghijklmnopqrstuvwxyz", rune(file[0])) {
			return true
		}
	}
}

// The scalars α and β of products, in memory that does not move.
var (
	one32, zero32 float32 = 1, 0
	one64, zero64 float64 = 1, 0
)

// scalars are the addresses of 1 and 0 in the type of a product's sums.
func scalars(elem string) (one, zero uintptr) {
	if elem == "f64" {
		return uintptr(unsafe.Pointer(&one64)), uintptr(unsafe.Pointer(&zero64))
	}
	return uintptr(unsafe.Pointer(&one32)), uintptr(unsafe.Pointer(&zero32))
}
