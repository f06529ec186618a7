package display

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math"
)

// Sound is a sequence of audio samples, made by Audio.
type Sound struct {
	rate     int
	channels int
	samples  []float64 // channel by channel within each moment
	scaled   bool      // whether it was louder than ±1
}

// Audio makes a sound from samples between -1 and 1 at rate samples a second: a tensor or a slice of numbers of dims
// [n], or [2 n] or [n 2] for stereo. If samples exceed the range, all are scaled down. A notebook shows a player, a
// terminal the waveform. It panics when v is something else, or longer than 2^22 samples.
func Audio(v any, rate int) *Sound {
	a, err := arrayOf(v)
	if err != nil {
		panic("display.Audio: " + err.Error())
	}
	s := &Sound{rate: rate, channels: 1, samples: a.data}
	switch d := a.dims; {
	case rate < 1 || rate > 768000:
		panic(fmt.Sprintf("display.Audio: want a rate of samples a second, not %d", rate))
	case a.steps != nil || len(a.data) > maxFetched:
		panic(fmt.Sprintf("display.Audio: dims %v are too many samples to keep in a notebook: want at most %d", a.dims,
			maxFetched))
	case len(d) == 1:
	case len(d) == 2 && d[1] <= 2:
		s.channels = d[1]
	case len(d) == 2 && d[0] <= 2:
		s.channels = d[0]
		s.samples = make([]float64, len(a.data))
		for c := range d[0] {
			for i := range d[1] {
				s.samples[i*d[0]+c] = a.data[c*d[1]+i]
			}
		}
	default:
		panic(fmt.Sprintf("display.Audio: dims %v are not a sound: want [n], [2 n] or [n 2]", d))
	}
	loudest := 0.0
	for _, x := range s.samples {
		if !math.IsInf(x, 0) {
			loudest = max(loudest, math.Abs(x)) // NaN is never greater
		}
	}
	if loudest > 1 {
		s.scaled = true
		s.samples = append([]float64{}, s.samples...)
		for i := range s.samples {
			s.samples[i] /= loudest
		}
	}
	return s
}

// WAV returns the sound as a WAV file of 16-bit samples. NaN is silence.
func (s *Sound) WAV() []byte {
	var b bytes.Buffer
	size := uint32(2 * len(s.samples))
	b.WriteString("RIFF")
	for _, v := range []any{36 + size, []byte("WAVEfmt "), uint32(16), uint16(1), uint16(s.channels), uint32(s.rate),
		uint32(2 * s.channels * s.rate), uint16(2 * s.channels), uint16(16), []byte("data"), size} {
		_ = binary.Write(&b, binary.LittleEndian, v) // a buffer takes everything
	}
	for _, x := range s.samples {
		if math.IsNaN(x) {
			x = 0
		}
		b.Write(binary.LittleEndian.AppendUint16(nil, uint16(int16(math.Round(32767*max(-1, min(1, x)))))))
	}
	return b.Bytes()
}

// String draws the waveform of the first channel above a line with the length.
func (s *Sound) String() string { return s.wave().dotText(chartColumns()) + s.caption() }

func (s *Sound) moments() int { return len(s.samples) / max(1, s.channels) }

func (s *Sound) wave() *Chart {
	x, y := make([]float64, s.moments()), make([]float64, s.moments())
	for i := range y {
		x[i], y[i] = float64(i)/float64(s.rate), s.samples[i*s.channels]
	}
	return Line(x, y).XLabel("seconds")
}

func (s *Sound) caption() string {
	text := fmt.Sprintf("sound, %.4g s at %d Hz", float64(s.moments())/float64(s.rate), s.rate)
	if s.channels == 2 {
		text += ", stereo"
	}
	if s.scaled {
		text += ", made quieter to fit ±1"
	}
	return text
}

func (s *Sound) bundle() Bundle {
	wav := base64.StdEncoding.EncodeToString(s.WAV())
	return Bundle{
		MIMEText: s.String(),
		MIMEHTML: fmt.Sprintf(`<audio controls src="data:audio/wav;base64,%s"></audio><div style="font-family:monospace;opacity:.8">%s</div>`, wav, s.caption()),
	}
}
