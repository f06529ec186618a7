package formats

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"github.com/hajimehoshi/go-mp3"
)

// mp3Header is the head of a frame of MPEG audio, layer III.
type mp3Header struct {
	lsf   bool // MPEG-2, with half the rates and samples
	mono  bool
	rate  int
	joint bool // the channels are a sum and a difference
	sound bool // the upper bands of the channels are one: intensity stereo
	size  int  // bytes of the frame
	side  int  // bytes of the side information
	info  int  // where it ends: where a Xing or Info tag would be
	count int  // samples
}

var mp3Rates = [3]int{44100, 48000, 32000}

// mp3Bits are the bit rates of MPEG-1 and MPEG-2, kbit/s.
var mp3Bits = [2][15]int{
	{0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320},
	{0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160},
}

// parseMP3Header reads the four bytes of a frame's head, and reports false if they are none that is read.
func parseMP3Header(b []byte) (h mp3Header, ok bool) {
	if len(b) < 4 || b[0] != 0xff || b[1]&0xe0 != 0xe0 {
		return h, false
	}
	version, layer := b[1]>>3&3, b[1]>>1&3
	bits, rate := b[2]>>4, b[2]>>2&3
	if version < 2 || layer != 1 || bits == 0 || bits == 15 || rate == 3 {
		return h, false // MPEG-2.5, another layer, a free bit rate
	}
	h = mp3Header{lsf: version == 2, mono: b[3]>>6 == 3, rate: mp3Rates[rate], count: 1152}
	kbit := mp3Bits[0][bits]
	side := map[bool]int{false: 32, true: 17}[h.mono]
	if h.lsf {
		h.rate, h.count, kbit = h.rate/2, 576, mp3Bits[1][bits]
		side = map[bool]int{false: 17, true: 9}[h.mono]
	}
	h.joint, h.sound = b[3]>>6 == 1 && b[3]>>5&1 != 0, b[3]>>6 == 1 && b[3]>>4&1 != 0
	h.size = h.count/8*kbit*1000/h.rate + int(b[2]>>1&1)
	h.side, h.info = side, 4+side
	if b[1]&1 == 0 {
		h.info += 2 // a checksum
	}
	return h, true
}

// mp3At reports whether a file begins with a frame of an MP3, with another one after it if there are bytes for it.
func mp3At(data []byte) bool {
	h, ok := parseMP3Header(data)
	if !ok {
		return false
	}
	if len(data) < h.size+4 {
		return true
	}
	next, ok := parseMP3Header(data[h.size:])
	return ok && next.rate == h.rate
}

// mp3Tag is what encoders say in the first frame: that it has no sound, how many follow, and what they have added.
type mp3Tag struct {
	frames         int // 0 if it is not said
	delay, padding int // -1 if they are not said
}

// parseMP3Tag reads a Xing or Info tag, with LAME's part.
func parseMP3Tag(data []byte, h mp3Header) (tag mp3Tag, ok bool) {
	tag.delay = -1
	if len(data) < h.info+8 {
		return tag, false
	}
	b := data[h.info:]
	if id := string(b[:4]); id != "Xing" && id != "Info" {
		return tag, false
	}
	flags := binary.BigEndian.Uint32(b[4:])
	at := 8
	for bit, size := range []int{4, 4, 100, 4} {
		if flags>>bit&1 == 0 {
			continue
		}
		if bit == 0 && len(b) >= at+4 {
			tag.frames = int(binary.BigEndian.Uint32(b[at:]))
		}
		at += size
	}
	if len(b) >= at+24 && b[at] != 0 { // the name of the encoder, and 12 bits of each
		d := b[at+21:]
		tag.delay, tag.padding = int(d[0])<<4|int(d[1])>>4, int(d[1]&15)<<8|int(d[2])
	}
	return tag, true
}

// mp3Delay are the samples by which a decoder is late.
const mp3Delay = 529

// decodeMP3 appends the samples of an MP3.
func decodeMP3(data []byte, s *sound) error {
	h, _ := parseMP3Header(data)
	channels := 2
	if h.mono {
		channels = 1
	}
	if err := s.begin(channels, h.rate); err != nil {
		return err
	}
	tag, tagged := parseMP3Tag(data, h)
	if tagged {
		data = data[min(h.size, len(data)):]
	}
	frames, err := splitMP3(data, h)
	if err != nil {
		return err
	}
	if tag.frames > len(frames) {
		return fmt.Errorf("the file is said to have %d frames, and it has %d: it was cut off", tag.frames, len(frames))
	}
	if err := s.grow(len(frames) * h.count); err != nil {
		return err
	}
	for c := range s.channels {
		s.channels[c] = make([]float32, len(frames)*h.count)
	}
	if err := addMP3(frames, h, s.channels); err != nil {
		return err
	}
	if tagged && tag.delay >= 0 {
		keep := math.MaxInt
		if tag.frames > 0 {
			keep = tag.frames*h.count - tag.delay - tag.padding
		}
		s.trim(tag.delay+mp3Delay, keep)
	}
	return nil
}

// addMP3 decodes frames. The decoder (go-mp3 0.3.4) takes sums and differences of the channels only up to the last
// line that is not 0 before short blocks are reordered, which moves lines beyond it, and miscounts the bytes of padded
// frames of MPEG-2. So the frames are packed anew without padding, and those that have sums and differences are
// decoded by themselves, as if these were two channels, at half their size, since they may be louder than a channel.
func addMP3(frames []mp3Frame, h mp3Header, channels [][]float32) error {
	apart, joint := 0, 0
	for _, f := range frames {
		if f.joint {
			joint++
		} else {
			apart++
		}
	}
	// Less than the whole gain, where sums follow channels: what overlaps may be louder than both together.
	const half = 4 // of the gain, in which a step is a fourth of a power of 2
	if apart > 0 {
		less, scale := 0, float32(1)
		if joint > 0 {
			less, scale = half, 2
		}
		packed, err := packMP3(frames, h, func(f mp3Frame) (bool, int) { return !f.joint, less })
		if err != nil {
			return err
		}
		err = runMP3(packed, channels, func(at int, a, b float32) {
			for c, v := range []float32{a, b}[:len(channels)] {
				channels[c][at] = v * scale
			}
		})
		if err != nil {
			return err
		}
	}
	if joint == 0 {
		return nil
	}
	packed, err := packMP3(frames, h, func(f mp3Frame) (bool, int) { return f.joint, half })
	if err != nil {
		return err
	}
	return runMP3(packed, channels, func(at int, sum, difference float32) {
		channels[0][at] = min(max(channels[0][at]+(sum+difference)*math.Sqrt2, -1), 1)
		channels[1][at] = min(max(channels[1][at]+(sum-difference)*math.Sqrt2, -1), 1)
	})
}

// runMP3 calls put with the samples of each place, of which the decoder gives two of 16 bits.
func runMP3(data []byte, channels [][]float32, put func(at int, a, b float32)) error {
	d, err := mp3.NewDecoder(struct{ io.Reader }{bytes.NewReader(data)}) // not a Seeker, which would be read twice
	if err != nil {
		return err
	}
	out := make([]byte, 4*len(channels[0]))
	if n, err := io.ReadFull(d, out); err != nil {
		return fmt.Errorf("after %d of %d samples: %w", n/4, len(out)/4, err)
	}
	sample := func(at int) float32 { return float32(int16(binary.LittleEndian.Uint16(out[at:]))) / (1 << 15) }
	for i := range channels[0] {
		put(i, sample(4*i), sample(4*i+2))
	}
	return nil
}
