package kernels

// The references of integer types. Elements are given and returned as int64, a U64 by its bits.

// IntRef returns the reference for the integer type t, nil if the operation is for floats only.
func (op *UnaryOp) IntRef(t DType) func(int64) int64 {
	if t != U64 || op.Uint == nil {
		return op.Int
	}
	return func(x int64) int64 { return int64(op.Uint(uint64(x))) }
}

// IntRef returns the reference for the integer type t, nil if the operation is for floats only.
func (op *BinaryOp) IntRef(t DType) func(a, b int64) int64 {
	if t != U64 || op.Uint == nil {
		return op.Int
	}
	return func(a, b int64) int64 { return int64(op.Uint(uint64(a), uint64(b))) }
}

// IntRef returns the reference for the integer type t.
func (op *CompareOp) IntRef(t DType) func(a, b int64) bool {
	if t != U64 || op.Uint == nil {
		return op.Int
	}
	return func(a, b int64) bool { return op.Uint(uint64(a), uint64(b)) }
}

// IntRef returns the reference for the integer type t, nil if the operation is for floats only.
func (op *ReduceOp) IntRef(t DType) func([]int64) int64 {
	if t != U64 || op.Uint == nil {
		return op.Int
	}
	return func(row []int64) int64 {
		bits := make([]uint64, len(row))
		for i, x := range row {
			bits[i] = uint64(x)
		}
		return int64(op.Uint(bits))
	}
}
