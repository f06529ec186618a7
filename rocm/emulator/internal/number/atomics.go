package number

// What atomic operations store, of the old value and their operand.

type word interface{ uint32 | uint64 }

func Swap[T word](_, x T) T  { return x }
func Add[T word](old, x T) T { return old + x }
func Sub[T word](old, x T) T { return old - x }
func And[T word](old, x T) T { return old & x }
func Or[T word](old, x T) T  { return old | x }
func Xor[T word](old, x T) T { return old ^ x }
func Min[T word](old, x T) T { return min(old, x) }
func Max[T word](old, x T) T { return max(old, x) }

func MinI32(old, x uint32) uint32 { return uint32(min(int32(old), int32(x))) }
func MaxI32(old, x uint32) uint32 { return uint32(max(int32(old), int32(x))) }
func MinI64(old, x uint64) uint64 { return uint64(min(int64(old), int64(x))) }
func MaxI64(old, x uint64) uint64 { return uint64(max(int64(old), int64(x))) }

// Increment adds 1 up to x, and begins with 0 again; Decrement subtracts 1 down to 0, and begins with x again.
func Increment[T word](old, x T) T {
	if old >= x {
		return 0
	}
	return old + 1
}

func Decrement[T word](old, x T) T {
	if old == 0 || old > x {
		return x
	}
	return old - 1
}

// SubClamp subtracts x, down to 0; CondSub where the result is not less than 0.
func SubClamp[T word](old, x T) T { return old - min(old, x) }

func CondSub[T word](old, x T) T {
	if old >= x {
		return old - x
	}
	return old
}

// MaskOr replaces the bits of x by those of y.
func MaskOr[T uint32 | uint64](old, x, y T) T { return old&^x | y }

// Wrap subtracts x, or adds y where that would be less than 0.
func Wrap(old, x, y uint32) uint32 {
	if old >= x {
		return old - x
	}
	return old + y
}

// ExchangeMarked stores those words of x whose top bit is set, without it.
func ExchangeMarked(old, x uint64) uint64 {
	for _, shift := range []uint{0, 32} {
		if x>>(shift+31)&1 != 0 {
			old = old&^(0xffffffff<<shift) | x&(0x7fffffff<<shift)
		}
	}
	return old
}
