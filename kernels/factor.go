package kernels

import "fmt"

// factorTypes are the element types of the kernels that factor matrices.
var factorTypes = []DType{F32, F64, C64, C128}

// factorKernels are those of LU, Cholesky and QR, and of triangular systems.
func factorKernels() []kernel {
	ks := []kernel{{"order", "lu_order", "LU_ORDER()"}}
	for _, t := range factorTypes {
		if t.Real() == t {
			ks = append(ks, kernel{t.String(), symbol("lu_rows", t), fmt.Sprintf("LU_ROWS(%s)", t)})
		}
		for _, op := range [][2]string{{"lu", "LU"}, {"cholesky", "Cholesky"}, {"qr", "QR"}} {
			ks = append(ks, factorPlaces(op[0], op[1], t)...)
		}
		ks = append(ks, kernel{t.String(), symbol("triangular_wide", t), fmt.Sprintf("TRIANGULAR_WIDE(%s)", t)},
			kernel{t.String(), symbol("triangular_narrow", t), fmt.Sprintf("TRIANGULAR_NARROW(%s)", t)},
			kernel{t.String(), symbol("clear_triangle", t), fmt.Sprintf("CLEAR_TRIANGLE(%s)", t)},
			kernel{t.String(), symbol("not_finite", t), fmt.Sprintf("NOT_FINITE(%s)", t)})
	}
	return ks
}

// jacobiKernels are those of singular values and of eigenvalues.
func jacobiKernels() (ks []kernel) {
	for _, t := range factorTypes {
		ks = append(ks, factorPlaces("svd", "SVD", t)...)
		ks = append(ks, factorPlaces("eigh", "Eigh", t)...)
	}
	return ks
}

// factorPlaces are the kernels of one operation: where the matrices lie, and how many threads have one.
func factorPlaces(name, op string, t DType) (ks []kernel) {
	for _, place := range [][2]string{{"groups", "FACTOR_GROUPS"}, {"block", "FACTOR_BLOCK"},
		{"memory", "FACTOR_MEMORY"}} {
		ks = append(ks, kernel{t.String(), symbol(name+"_"+place[0], t),
			fmt.Sprintf("%s(%s, %s, %s)", place[1], name, op, t)})
	}
	return ks
}

// The shared memory, in bytes, in which a block has the matrices that it factors: one for each group of 32 threads, on
// AMD's GPUs and on NVIDIA's, or one alone.
const (
	FactorGroupsRoom     = 32768
	FactorGroupsRoomCUDA = 36864
	FactorBlockRoom      = 28672
)

// Spread says how the matrices of a batch lie in the work space: a block works on Slots at a time, each with Size
// elements, whose rows begin every LD. Kernels of groups have up to 8 slots, the others one.
type Spread struct {
	Batch     uint64
	Slots, LD uint32
	Size      uint64
}

// The bits of the flags of triangular_wide_T and triangular_narrow_T.
const (
	TriangularUpper = 1 << iota
	TriangularTransposed
	TriangularConjugated
	TriangularUnit
)
