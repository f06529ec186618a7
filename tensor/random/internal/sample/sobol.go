package sample

// SobolBits is the number of bits of a point's coordinate, and the number of directions of a dimension.
const SobolBits = 32

// SobolWords is the number of words of a dimension: its directions, and the shift of all points.
const SobolWords = SobolBits + 1

// Sobol returns the bits of a coordinate of a point: the sum modulo 2 of the directions that the Gray code of the
// point's number selects (Antonov, Saleev, An economic method of computing LPτ-sequences, 1979), and the shift.
func Sobol(words []uint32, point uint64) uint32 {
	x := words[SobolBits]
	for k, gray := 0, uint32(point^point>>1); gray != 0; k, gray = k+1, gray>>1 {
		if gray&1 != 0 {
			x ^= words[k]
		}
	}
	return x
}
