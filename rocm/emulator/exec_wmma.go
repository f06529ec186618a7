package emulator

// wmma computes D = A×B + C for 16×16 matrices. Lanes l and l+16 both hold row l%16 of A and column l%16 of B, 16
// values in 8 registers. Register r of lane l of C and D is row 2r+l/16, column l%16. Sums are made in float64 and
// rounded once.
func wmma(w *wave, in *inst, convert func(uint16) float32) {
	var a, b [16][16]float64 // b by columns
	for r := range 8 {
		ra, rb := &w.v[in.s[0].reg+uint16(r)], &w.v[in.s[1].reg+uint16(r)]
		for l := range 16 {
			a[l][2*r], a[l][2*r+1] = float64(convert(uint16(ra[l]))), float64(convert(uint16(ra[l]>>16)))
			b[l][2*r], b[l][2*r+1] = float64(convert(uint16(rb[l]))), float64(convert(uint16(rb[l]>>16)))
		}
	}
	var d [8]lanes
	for r := range d {
		acc := operand{place: in.s[2].place, base: in.s[2].base, reg: in.s[2].reg, c: in.s[2].c}
		if acc.place == placeVGPR {
			acc.reg += uint16(r)
		}
		c := w.src(&acc, 2)
		for half := range 2 {
			row := &a[2*r+half]
			for l := 0; l < 16; l += 4 { // four sums that do not wait for one another
				b0, b1, b2, b3 := &b[l], &b[l+1], &b[l+2], &b[l+3]
				at := 16*half + l
				s0, s1, s2, s3 := float64(fb(c[at])), float64(fb(c[at+1])), float64(fb(c[at+2])), float64(fb(c[at+3]))
				for k, x := range row {
					s0 += x * b0[k]
					s1 += x * b1[k]
					s2 += x * b2[k]
					s3 += x * b3[k]
				}
				d[r][at], d[r][at+1], d[r][at+2], d[r][at+3] = bf(float32(s0)), bf(float32(s1)), bf(float32(s2)),
					bf(float32(s3))
			}
		}
	}
	for r := range d {
		w.v[in.d+uint16(r)] = d[r]
	}
}

func wmmaF32F16(w *wave, in *inst)  { wmma(w, in, fromF16) }
func wmmaF32BF16(w *wave, in *inst) { wmma(w, in, fromBF16) }
