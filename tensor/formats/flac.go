package formats

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/mewkiz/flac"
)

// decodeFLAC appends the samples of a FLAC stream. Frames have checksums, which the decoder compares.
func decodeFLAC(data []byte, s *sound) error {
	stream, err := flac.New(bytes.NewReader(data))
	if err != nil {
		return err
	}
	info := stream.Info
	if err := s.begin(int(info.NChannels), int(info.SampleRate)); err != nil {
		return err
	}
	for {
		frame, err := stream.ParseNext()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return fmt.Errorf("after %d samples: %w", len(s.channels[0]), err)
		}
		if len(frame.Subframes) != len(s.channels) {
			return fmt.Errorf("after %d samples: a frame has %d channels, and the file %d", len(s.channels[0]),
				len(frame.Subframes), len(s.channels))
		}
		bits := frame.BitsPerSample
		if bits == 0 {
			bits = info.BitsPerSample
		}
		scale := math.Ldexp(1, 1-int(bits))
		n := len(frame.Subframes[0].Samples)
		if err := s.grow(n); err != nil {
			return err
		}
		for i, sub := range frame.Subframes {
			if len(sub.Samples) != n {
				return fmt.Errorf("after %d samples: channels have %d and %d samples", len(s.channels[0]), n,
					len(sub.Samples))
			}
			for _, v := range sub.Samples {
				s.channels[i] = append(s.channels[i], float32(float64(v)*scale))
			}
		}
	}
	if n := uint64(len(s.channels[0])); info.NSamples != 0 && n != info.NSamples {
		return fmt.Errorf("the file is said to have %d samples, and it has %d: it was cut off", info.NSamples, n)
	}
	return nil
}
