package display

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/draw"
	"image/png"
)

// Animation is a sequence of images, made by Animate.
type Animation struct {
	frames []image.Image
	fps    float64
}

// maxFrames bounds an animation, because a notebook stores all of it.
const maxFrames = 1000

// Animate plays images in a loop at fps frames a second: a tensor or nested slices of dims [n height width], [n height
// width channels] or [n channels height width] with 1, 3 or 4 channels, all scaled by one range, as in Image; or a
// slice of images or of Pictures of one size. A notebook plays it as an animated PNG; a terminal shows the middle
// frame. It panics when v is something else, when there are no frames, or more than 1000.
func Animate(v any, fps float64) *Animation {
	frames, err := framesOf(v)
	switch {
	case err != nil:
		panic("display.Animate: " + err.Error())
	case len(frames) == 0 || len(frames) > maxFrames:
		panic(fmt.Sprintf("display.Animate: %d frames: want 1 to %d", len(frames), maxFrames))
	case !(fps > 0 && fps <= 100):
		panic(fmt.Sprintf("display.Animate: want more than 0 and at most 100 frames a second, not %v", fps))
	}
	size := frames[0].Bounds().Size()
	for i, f := range frames {
		if f.Bounds().Size() != size {
			panic(fmt.Sprintf("display.Animate: frame %d has %v pixels, the first %v", i, f.Bounds().Size(), size))
		}
		flat := image.NewRGBA(image.Rectangle{Max: size}) // frames of one PNG have one form, without holes
		draw.Draw(flat, flat.Bounds(), image.White, image.Point{}, draw.Src)
		draw.Draw(flat, flat.Bounds(), f, f.Bounds().Min, draw.Over)
		frames[i] = flat
	}
	return &Animation{frames, fps}
}

func framesOf(v any) (frames []image.Image, err error) {
	switch list := v.(type) {
	case []image.Image:
		return append(frames, list...), nil
	case []*Picture:
		for _, p := range list {
			img, err := p.draw()
			if err != nil {
				return nil, err
			}
			frames = append(frames, img)
		}
		return frames, nil
	}
	a, err := arrayOf(v)
	if err != nil {
		return nil, err
	}
	frames, err = a.images(nil)
	if err != nil {
		return nil, err
	}
	for i, f := range frames {
		if side := f.Bounds().Size(); max(side.X, side.Y) < smallSide/2 && min(side.X, side.Y) > 0 {
			frames[i] = enlarge(f, smallSide/2/max(side.X, side.Y))
		}
	}
	return frames, nil
}

// PNG returns the animation as an animated PNG file (APNG). Viewers without support for it show the first frame.
func (a *Animation) PNG() []byte {
	var out bytes.Buffer
	chunk := func(kind string, data []byte) {
		body := append([]byte(kind), data...)
		out.Write(binary.BigEndian.AppendUint32(nil, uint32(len(data))))
		out.Write(body)
		out.Write(binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE(body)))
	}
	size := a.frames[0].Bounds().Size()
	sequence := uint32(0)
	numbered := func(rest ...byte) []byte {
		sequence++
		return append(binary.BigEndian.AppendUint32(nil, sequence-1), rest...)
	}
	out.WriteString("\x89PNG\r\n\x1a\n")
	for i, f := range a.frames {
		var one bytes.Buffer
		if err := png.Encode(&one, f); err != nil {
			return nil
		}
		for rest := one.Bytes()[8:]; len(rest) >= 12; {
			n := int(binary.BigEndian.Uint32(rest))
			kind, data := string(rest[4:8]), rest[8:8+n]
			rest = rest[12+n:]
			switch {
			case kind == "IHDR" && i == 0:
				chunk("IHDR", data)
				chunk("acTL", binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, uint32(len(a.frames))),
					0))
			case kind == "IHDR":
			case kind == "IDAT" && i == 0:
				chunk("IDAT", data)
				continue
			case kind == "IDAT":
				chunk("fdAT", numbered(data...))
				continue
			default:
				continue
			}
			control := binary.BigEndian.AppendUint32(nil, uint32(size.X))
			control = binary.BigEndian.AppendUint32(control, uint32(size.Y))
			control = append(control, 0, 0, 0, 0, 0, 0, 0, 0)
			control = binary.BigEndian.AppendUint16(control, uint16(max(1, 1000/a.fps)))
			control = binary.BigEndian.AppendUint16(control, 1000)
			chunk("fcTL", numbered(append(control, 0, 0)...))
		}
	}
	chunk("IEND", nil)
	return out.Bytes()
}

// String draws the middle frame in characters.
func (a *Animation) String() string {
	return Blocks(a.frames[len(a.frames)/2], lineWidth(), false) + a.caption()
}

func (a *Animation) caption() string {
	size := a.frames[0].Bounds().Size()
	return fmt.Sprintf("animation, %d frames of %d × %d pixels, %.3g s", len(a.frames), size.X, size.Y,
		float64(len(a.frames))/a.fps)
}

func (a *Animation) bundle() Bundle {
	return Bundle{MIMEText: a.String(), MIMEPNG: base64.StdEncoding.EncodeToString(a.PNG())}
}
