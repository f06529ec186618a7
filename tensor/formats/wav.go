package formats

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"github.com/gorocm/gorocm/tensor"
)

// The codes of samples in WAV files.
const (
	wavPCM        = 1
	wavFloat      = 3
	wavExtensible = 0xfffe // the code is at the start of an identifier

	maxWAVRate     = 1 << 24 // samples a second
	maxWAVChannels = 1 << 10
)

// wavFormat is the head of a WAV file: how samples are written.
type wavFormat struct {
	Code, Channels uint16
	Rate, Speed    uint32 // samples and bytes a second
	Frame, Bits    uint16 // bytes of a sample in all channels; bits of one
}

// ReadWAV reads a WAV file onto a device: samples from -1 to 1 as F32, [channels samples], and how many samples there
// are a second. Whole numbers of 8, 16, 24 and 32 bits are read, and floats of 32 and 64.
func ReadWAV(path string, dev *tensor.Device) (samples *tensor.Tensor, rate int, err error) {
	data, err := readFile(path)
	if err != nil {
		return nil, 0, err
	}
	samples, rate, err = DecodeWAV(data, dev)
	return samples, rate, named(path, err)
}

// DecodeWAV is ReadWAV for the bytes of a file.
func DecodeWAV(data []byte, dev *tensor.Device) (samples *tensor.Tensor, rate int, err error) {
	r := newCursor(bytes.NewReader(data), int64(len(data)))
	riff := string(r.take(4))
	r.u32() // the length, which programs that write to a pipe do not know
	if wave := string(r.take(4)); r.err == nil && (riff != "RIFF" || wave != "WAVE") {
		return nil, 0, fmt.Errorf("wav: the file begins with %q and %q, not with RIFF and WAVE", riff, wave)
	}
	var format *wavFormat
	for r.err == nil {
		id, size := string(r.take(4)), int64(r.u32())
		at := r.at
		if id == "data" && r.err == nil {
			size = min(size, r.end-at) // of what was cut off, what is there
			if format == nil {
				return nil, 0, fmt.Errorf("wav: at byte %d: samples come before it is said how they are written", at)
			}
			out, err := format.samples(r.take(int(size)), dev)
			if err != nil {
				return nil, 0, fmt.Errorf("wav: at byte %d: %w", at, err)
			}
			return out, int(format.Rate), nil
		}
		if size > r.end-at {
			r.fail("a chunk %q of %d bytes, and %d are left", id, size, r.end-at)
			break
		}
		chunk := r.take(int(size))
		r.take(int(min(size%2, r.end-r.at))) // chunks begin at even places
		if id == "fmt " && r.err == nil {
			if format, err = parseWAVFormat(chunk); err != nil {
				return nil, 0, fmt.Errorf("wav: at byte %d: %w", at, err)
			}
		}
	}
	return nil, 0, fmt.Errorf("wav: there are no samples: %w", r.err)
}

func parseWAVFormat(chunk []byte) (*wavFormat, error) {
	const size, identifier = 16, 24
	f := new(wavFormat)
	if len(chunk) < size {
		return nil, fmt.Errorf("the format takes %d bytes, and there are %d", size, len(chunk))
	}
	if _, err := binary.Decode(chunk, binary.LittleEndian, f); err != nil {
		return nil, err
	}
	if f.Code == wavExtensible && len(chunk) >= identifier+2 {
		f.Code = binary.LittleEndian.Uint16(chunk[identifier:])
	}
	known := f.Code == wavPCM && (f.Bits == 8 || f.Bits == 16 || f.Bits == 24 || f.Bits == 32) || f.Code == wavFloat &&
		(f.Bits == 32 || f.Bits == 64)
	switch {
	case !known:
		return nil, fmt.Errorf("samples of code %d and %d bits are not read: whole numbers (1) of 8, 16, 24 and 32 "+
			"bits and floats (3) of 32 and 64 are", f.Code, f.Bits)
	case f.Channels == 0 || f.Channels > maxWAVChannels || f.Rate == 0 || f.Rate > maxWAVRate:
		return nil, fmt.Errorf("%d channels at %d samples a second are not possible", f.Channels, f.Rate)
	}
	return f, nil
}

// samples are those of whole frames.
func (f *wavFormat) samples(data []byte, dev *tensor.Device) (*tensor.Tensor, error) {
	channels, size := int(f.Channels), int(f.Bits/8)
	n := len(data) / size / channels
	out := make([]float32, n*channels)
	for i := range out {
		x := data[i*size:]
		var v float64
		switch {
		case f.Code == wavFloat && size == 4:
			v = float64(math.Float32frombits(binary.LittleEndian.Uint32(x)))
		case f.Code == wavFloat:
			v = math.Float64frombits(binary.LittleEndian.Uint64(x))
		case size == 1:
			v = float64(int(x[0])-128) / (1 << 7)
		case size == 2:
			v = float64(int16(binary.LittleEndian.Uint16(x))) / (1 << 15)
		case size == 3:
			v = float64(int32(uint32(x[0])<<8|uint32(x[1])<<16|uint32(x[2])<<24)>>8) / (1 << 23)
		default:
			v = float64(int32(binary.LittleEndian.Uint32(x))) / (1 << 31)
		}
		out[i%channels*n+i/channels] = float32(v)
	}
	return dev.FromSlice(out, channels, n), nil
}

// WriteWAV writes samples [samples] or [channels samples] at so many a second. I16 is written as whole numbers of 16
// bits, floats as floats of 32 bits, which range from -1 to 1.
func WriteWAV(path string, samples *tensor.Tensor, rate int) error {
	return named(path, writeFile(path, func(w io.Writer) error { return EncodeWAV(w, samples, rate) }))
}

// EncodeWAV is WriteWAV to a stream.
func EncodeWAV(w io.Writer, samples *tensor.Tensor, rate int) error {
	t := samples
	if t.Rank() == 1 {
		t = t.Unsqueeze(0)
	}
	if t.Rank() != 2 || t.Dim(0) == 0 || t.Dim(0) > maxWAVChannels {
		return fmt.Errorf("wav: shape %v is not a sound: want [samples] or [channels samples] with at most %d channels",
			samples.Dims(), maxWAVChannels)
	}
	if rate <= 0 || rate > maxWAVRate {
		return fmt.Errorf("wav: %d samples a second are not possible", rate)
	}
	f := wavFormat{Code: wavFloat, Channels: uint16(t.Dim(0)), Rate: uint32(rate), Bits: 32}
	switch {
	case t.DType() == tensor.I16:
		f.Code, f.Bits = wavPCM, 16
	case t.DType().IsFloat():
		t = t.ToDType(tensor.F32)
	default:
		return fmt.Errorf("wav: samples are %v: want i16, or floats from -1 to 1", t.DType())
	}
	f.Frame = f.Channels * f.Bits / 8
	f.Speed = f.Rate * uint32(f.Frame)
	data := t.T().ToBytes()
	const heads = 4 + 8 + 16 + 8
	if uint64(len(data)) > math.MaxUint32-heads {
		return fmt.Errorf("wav: %d bytes of samples are more than the format can say", len(data))
	}
	var b bytes.Buffer
	put := func(parts ...any) {
		for _, p := range parts {
			binary.Write(&b, binary.LittleEndian, p) // to memory: it cannot fail
		}
	}
	put([]byte("RIFF"), uint32(heads+len(data)), []byte("WAVEfmt "), uint32(16), f, []byte("data"), uint32(len(data)))
	if _, err := w.Write(b.Bytes()); err != nil {
		return err
	}
	_, err := w.Write(data)
	return err
}
