package formats

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
)

// mp3Frame is a frame of an MP3 with all of its data, which may have begun in the frames before it.
type mp3Frame struct {
	joint bool
	side  []byte // the side information
	main  []byte // scale factors and spectrum; nil if they are not in the file
}

// granules is how many parts a frame has, each with its own numbers for each channel.
func (h mp3Header) granules() int {
	if h.lsf {
		return 1
	}
	return 2
}

// channels is 1 or 2.
func (h mp3Header) channels() int {
	if h.mono {
		return 1
	}
	return 2
}

// first is how many bits of the side information say where the data begin, and each how many a channel of a granule
// has, after how many.
func (h mp3Header) bits() (first, before, each int) {
	switch {
	case h.lsf && h.mono:
		return 8, 9, 63
	case h.lsf:
		return 8, 10, 63
	case h.mono:
		return 9, 18, 59
	}
	return 9, 20, 59
}

// bitsAt reads n bits of a byte string.
func bitsAt(b []byte, at, n int) (v int) {
	for i := at; i < at+n; i++ {
		v = v<<1 | int(b[i/8]>>(7-i%8)&1)
	}
	return v
}

// setBits writes n bits.
func setBits(b []byte, at, n, v int) {
	for i := range n {
		k := at + i
		b[k/8] = b[k/8]&^(1<<(7-k%8)) | byte(v>>(n-1-i)&1)<<(7-k%8)
	}
}

// The numbers of a channel of a granule begin with its bits of data, of 12 bits; after 21 comes its gain, of 8.
const (
	mp3LengthBits = 12
	mp3GainAt     = 21
	mp3GainBits   = 8
)

// splitMP3 finds the frames of a stream, all of one kind, and the data of each. A last frame that was cut off is left
// out, as is what follows the frames.
func splitMP3(data []byte, first mp3Header) (frames []mp3Frame, err error) {
	start, before, each := first.bits()
	var back []byte // the data of the frames so far, as many as a frame may use
	for at := 0; at < len(data); {
		h, ok := parseMP3Header(data[at:])
		if !ok {
			if mp3Follows(data[at:]) {
				return nil, fmt.Errorf("at byte %d: there is no frame", at)
			}
			break
		}
		if h.lsf != first.lsf || h.mono != first.mono || h.rate != first.rate {
			return nil, fmt.Errorf("at byte %d: a frame has another rate, or other channels, than the first", at)
		}
		if h.sound {
			return nil, errors.New("intensity stereo is not supported")
		}
		if h.size < h.info || at+h.size > len(data) {
			break
		}
		f := mp3Frame{joint: h.joint, side: slices.Clone(data[at+h.info-h.side : at+h.info])}
		body := data[at+h.info : at+h.size]
		begin, bits := bitsAt(f.side, 0, start), 0
		for i := range h.granules() * h.channels() {
			bits += bitsAt(f.side, before+i*each, mp3LengthBits)
		}
		if begin <= len(back) && (bits+7)/8 <= begin+len(body) {
			f.main = slices.Concat(back[len(back)-begin:], body)[:(bits+7)/8]
		} else if len(frames) > 0 && begin <= len(back) {
			return nil, fmt.Errorf("at byte %d: a frame has %d bits of data, and %d are there", at, bits, 8*(begin+len(body)))
		}
		back = slices.Concat(back, body)
		back = back[max(len(back)-1<<start, 0):]
		frames = append(frames, f)
		at += h.size
	}
	if len(frames) == 0 {
		return nil, errors.New("there are no whole frames")
	}
	return frames, nil
}

// mp3Follows reports whether there are more frames in the rest of a file, which may have tags.
func mp3Follows(rest []byte) bool {
	for _, tag := range []string{"TAG", "APETAGEX", "LYRICSBEGIN", "ID3"} {
		if bytes.HasPrefix(rest, []byte(tag)) {
			return false
		}
	}
	for i := range rest {
		if mp3At(rest[i:]) && i+4 < len(rest) {
			return true
		}
	}
	return false
}

// packMP3 writes frames of the highest bit rate. Those that chosen does not choose are silent; the gain of the others
// is less by what it says. Data that are longer than a frame begin in the one before it, as they did in a file of
// fewer bits.
func packMP3(
	frames []mp3Frame, h mp3Header, chosen func(f mp3Frame) (loud bool, less int),
) ([]byte, error) {
	const best = 14 // the index of the highest bit rate
	start, before, each := h.bits()
	head := [4]byte{0xff, 0xfb, best << 4, 0}
	table, rate := 0, h.rate
	if h.lsf {
		head[1], table, rate = 0xf3, 1, 2*h.rate
	}
	head[2] |= byte(slices.Index(mp3Rates[:], rate) << 2)
	if h.mono {
		head[3] = 0xc0
	}
	size := h.count / 8 * mp3Bits[table][best] * 1000 / h.rate
	if !h.lsf { // padded, of which the decoder miscounts that of MPEG-2
		head[2] |= 2
		size++
	}
	room := size - len(head) - h.side
	early := make([]int, len(frames)+1) // bytes of a frame's data that the frame before it has
	for i := len(frames) - 1; i >= 0; i-- {
		early[i] = max(len(frames[i].main)+early[i+1]-room, 0)
	}
	if early[0] > 0 || slices.Max(early) >= 1<<start {
		return nil, errors.New("its frames are too full to be packed anew, of 160 kbit/s and 22,050 samples a second")
	}
	out := make([]byte, 0, size*len(frames))
	for i, f := range frames {
		side := slices.Clone(f.side)
		setBits(side, 0, start, early[i])
		loud, less := chosen(f)
		for k := range h.granules() * h.channels() {
			at := before + k*each
			gain := max(bitsAt(side, at+mp3GainAt, mp3GainBits)-less, 0)
			if !loud {
				gain = 0
			}
			setBits(side, at+mp3GainAt, mp3GainBits, gain)
			if f.main == nil {
				setBits(side, at, each, 0)
			}
		}
		body := make([]byte, room)
		copy(body, f.main[min(early[i], len(f.main)):])
		if n := early[i+1]; n > 0 {
			copy(body[room-n:], frames[i+1].main[:n])
		}
		out = append(append(append(out, head[:]...), side...), body...)
	}
	return out, nil
}
