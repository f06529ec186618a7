package formats

import (
	"bytes"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/limits"
)

// samplesForAByte is how many samples a sound may have for each byte of its file, if that allows more than
// limits.SoundSamples, which any file may have: a compressed sound of silence has thousands of samples in a byte.
const samplesForAByte = 64

// sound is what a decoder makes of a file: the samples of each channel, from -1 to 1.
type sound struct {
	channels [][]float32
	rate     int
	most     int // samples of all channels that the file may have
	count    int
}

// errNoSound says which files are read.
var errNoSound = errors.New("the file is no sound that is read: WAV, FLAC, MP3, and Opus in Ogg are")

// ReadAudio reads a sound onto a device: samples from -1 to 1 as F32, [channels samples], and how many there are a
// second. It is WAV, FLAC (also in Ogg), MP3, or Opus in Ogg, which the first bytes say, and not the name. FLAC has
// the samples that were encoded, bit for bit up to 24 bits; MP3 is decoded to 16 bits, Opus to 48,000 samples a second.
// What encoders have put before and after the sound is left out, where the file says so.
func ReadAudio(path string, dev *tensor.Device) (samples *tensor.Tensor, rate int, err error) {
	data, err := readFile(path)
	if err != nil {
		return nil, 0, err
	}
	samples, rate, err = DecodeAudio(data, dev)
	return samples, rate, named(path, err)
}

// DecodeAudio is ReadAudio for the bytes of a file.
func DecodeAudio(data []byte, dev *tensor.Device) (samples *tensor.Tensor, rate int, err error) {
	if bytes.HasPrefix(data, []byte("RIFF")) {
		return DecodeWAV(data, dev)
	}
	s, err := decodeSound(data)
	if err != nil {
		return nil, 0, err
	}
	n := 0
	if len(s.channels) > 0 {
		n = len(s.channels[0])
	}
	flat := make([]float32, 0, n*len(s.channels))
	for _, c := range s.channels {
		flat = append(flat, c...)
	}
	return dev.FromSlice(flat, len(s.channels), n), s.rate, nil
}

// decodeSound finds the decoder by the first bytes. Decoders are other people's: a panic of theirs is an error.
func decodeSound(data []byte) (s *sound, err error) {
	kind, decode := "sound", (func([]byte, *sound) error)(nil)
	switch rest := data[id3Size(data):]; {
	case bytes.HasPrefix(data, []byte("OggS")):
		kind, decode = "ogg", decodeOgg
	case bytes.HasPrefix(rest, []byte("fLaC")):
		kind, decode, data = "flac", decodeFLAC, rest
	case mp3At(rest):
		kind, decode, data = "mp3", decodeMP3, rest
	default:
		return nil, errNoSound
	}
	defer func() {
		if r := recover(); r != nil {
			s, err = nil, fmt.Errorf("%s: the decoder has failed: %v at %s", kind, r, failedAt(debug.Stack()))
		}
	}()
	s = &sound{most: max(limits.SoundSamples.Value(), samplesForAByte*len(data))}
	if err := decode(data, s); err != nil {
		return nil, fmt.Errorf("%s: %w", kind, err)
	}
	return s, nil
}

// failedAt is the line of a panic in a stack.
func failedAt(stack []byte) string {
	_, after, ok := bytes.Cut(stack, []byte("\npanic("))
	lines := bytes.Split(after, []byte("\n"))
	if !ok || len(lines) < 4 {
		return "an unknown place"
	}
	return string(bytes.TrimSpace(lines[3]))
}

// begin says what a sound is like.
func (s *sound) begin(channels, rate int) error {
	if channels < 1 || channels > maxWAVChannels || rate < 1 || rate > maxWAVRate {
		return fmt.Errorf("%d channels at %d samples a second are not possible", channels, rate)
	}
	s.channels, s.rate = make([][]float32, channels), rate
	return nil
}

// grow counts samples that are to come, of each channel.
func (s *sound) grow(n int) error {
	if s.count += n * len(s.channels); s.count > s.most {
		what := fmt.Sprintf("there are more than %d samples, far more than a sound of so many bytes has", s.most)
		return limits.SoundSamples.Check(2*s.most, what)
	}
	return nil
}

// trim leaves out samples at the beginning, and keeps at most so many.
func (s *sound) trim(skip, keep int) {
	for i, c := range s.channels {
		c = c[min(max(skip, 0), len(c)):]
		s.channels[i] = c[:min(max(keep, 0), len(c))]
	}
}

// id3Size is the size of the ID3v2 tags that files begin with.
func id3Size(data []byte) (n int) {
	for len(data)-n >= 10 && bytes.HasPrefix(data[n:], []byte("ID3")) {
		h := data[n:]
		size := 10 + (int(h[6]&0x7f)<<21 | int(h[7]&0x7f)<<14 | int(h[8]&0x7f)<<7 | int(h[9]&0x7f))
		if h[5]&0x10 != 0 { // a footer
			size += 10
		}
		n = min(n+size, len(data))
	}
	return n
}
