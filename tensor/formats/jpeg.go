package formats

import "image"

// Colours of JPEG files have fewer samples than their luminance, as a rule. Package image repeats each; libjpeg, and so
// Pillow and torchvision, which trained the models, interpolate ("fancy upsampling").

// interpolated converts a picture with the colours of JPEG as libjpeg does, to its bits: the colour of a pixel is a
// weighted mean of the nearest samples along dims that have half of them. Fewer are repeated, as are those of narrow
// pictures.
func interpolated(m *image.YCbCr) *image.NRGBA {
	b := m.Bounds()
	img := image.NewNRGBA(b)
	blue, red := make([]int32, b.Dx()+1), make([]int32, b.Dx()+1)
	sums := make([]int32, (b.Dx()+1)/2)
	for y := range b.Dy() {
		m := colourRows{m, y, sums}
		m.read(m.Cb, blue)
		m.read(m.Cr, red)
		luminance, pixels := m.Y[y*m.YStride:][:b.Dx()], img.Pix[y*img.Stride:]
		for x, l := range luminance {
			l, cb, cr := int32(l), blue[x]-128, red[x]-128
			p := pixels[4*x : 4*x+4]
			p[0] = asByte(l + (91881*cr+1<<15)>>16) // 1.402 · 2¹⁶, rounded
			p[1] = asByte(l + (-22554*cb-46802*cr+1<<15)>>16)
			p[2] = asByte(l + (116130*cb+1<<15)>>16)
			p[3] = 255
		}
	}
	return img
}

func asByte(v int32) byte { return byte(min(max(v, 0), 255)) }

// colourRows reads the colours of a row of pixels.
type colourRows struct {
	*image.YCbCr
	y    int
	sums []int32
}

// read reads the row of one colour; out has room for a pixel more.
func (m colourRows) read(c []byte, out []int32) {
	wide := m.Rect.Dx()
	row := func(y int) []byte { return c[y*m.CStride:] }
	near, other := m.y, m.y
	switch m.SubsampleRatio {
	case image.YCbCrSubsampleRatio420, image.YCbCrSubsampleRatio440:
		near, other = neighbours(m.y, (m.Rect.Dy()+1)/2)
	case image.YCbCrSubsampleRatio410:
		near = m.y / 2
	}
	half := (wide + 1) / 2
	switch m.SubsampleRatio {
	case image.YCbCrSubsampleRatio440:
		for x := range wide {
			out[x] = (3*int32(row(near)[x]) + int32(row(other)[x]) + 1 + int32(m.y&1)) >> 2
		}
	case image.YCbCrSubsampleRatio422, image.YCbCrSubsampleRatio420:
		if half <= 2 {
			for x := range wide {
				out[x] = int32(row(near)[x/2])
			}
			return
		}
		shift, first, second := 2, int32(1), int32(2) // what rounds
		if m.SubsampleRatio == image.YCbCrSubsampleRatio420 {
			shift, first, second = 4, 8, 7
			for x := range half {
				m.sums[x] = 3*int32(row(near)[x]) + int32(row(other)[x])
			}
		} else {
			for x := range half {
				m.sums[x] = int32(row(near)[x])
			}
		}
		for x, v := range m.sums {
			out[2*x] = (3*v + m.sums[max(x-1, 0)] + first) >> shift
			out[2*x+1] = (3*v + m.sums[min(x+1, half-1)] + second) >> shift
		}
	default: // 4:4:4, 4:1:1 and 4:1:0
		by := 4
		if m.SubsampleRatio == image.YCbCrSubsampleRatio444 {
			by = 1
		}
		for x := range wide {
			out[x] = int32(row(near)[x/by])
		}
	}
}
