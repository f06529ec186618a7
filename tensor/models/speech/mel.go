package speech

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/fft"
	"github.com/gorocm/gorocm/tensor/models/internal/parts"
)

// Features makes of samples what a Whisper reads, as preprocessor_config.json says: the logarithms of mel spectra.
type Features struct {
	Rate  int // samples a second
	Size  int // samples of a frame
	Hop   int // samples from frame to frame
	Count int // of mel filters
	Chunk int // seconds of a window
}

// jsonFeatures is preprocessor_config.json.
type jsonFeatures struct {
	Type      string  `json:"feature_extractor_type"`
	Rate      int     `json:"sampling_rate"`
	Size      int     `json:"n_fft"`
	Hop       int     `json:"hop_length"`
	Count     int     `json:"feature_size"`
	Chunk     int     `json:"chunk_length"`
	Dither    float64 `json:"dither"`
	Normalize bool    `json:"do_normalize"`
}

// readFeatures reads preprocessor_config.json of a folder, or processor_config.json of newer ones.
func readFeatures(folder string) (f Features, err error) {
	name := "preprocessor_config.json"
	var j jsonFeatures
	there, err := parts.OptionalJSON(filepath.Join(folder, name), &j)
	if err != nil {
		return f, err
	}
	if !there {
		name = "processor_config.json"
		var all struct {
			Features *jsonFeatures `json:"feature_extractor"`
		}
		if found, err := parts.OptionalJSON(filepath.Join(folder, name), &all); err != nil {
			return f, err
		} else if !found || all.Features == nil {
			return f, fmt.Errorf("speech: there is no preprocessor_config.json, which says how sound is prepared")
		}
		j = *all.Features
	}
	if kind := strings.TrimSuffix(j.Type, "Fast"); kind != "WhisperFeatureExtractor" {
		return f, fmt.Errorf("speech: %s: the feature extractor %q is not supported: want WhisperFeatureExtractor", name, j.Type)
	}
	if j.Dither != 0 || j.Normalize {
		return f, fmt.Errorf("speech: %s: dither and do_normalize are not supported", name)
	}
	f = Features{Rate: parts.FirstOf(j.Rate, 16000), Size: parts.FirstOf(j.Size, 400), Hop: parts.FirstOf(j.Hop, 160),
		Count: parts.FirstOf(j.Count, 80), Chunk: parts.FirstOf(j.Chunk, 30)}
	return f, f.check()
}

// highest is the end of the mel filters, in Hz.
const highest = 8000

func (f *Features) check() error {
	if f.Rate < highest || f.Rate > 1<<18 || f.Size < 2 || f.Size > 1<<14 || f.Hop < 1 || f.Hop > f.Size ||
		f.Count < 1 ||
		f.Count > 1<<10 || f.Chunk < 1 || f.Chunk > 1<<10 || f.Rate%f.Hop != 0 {
		return fmt.Errorf("speech: frames of these sizes are not possible: %+v", *f)
	}
	return nil
}

// frames is how many of them so many samples have.
func (f *Features) frames(samples int) int { return samples / f.Hop }

// window is how many frames a window has.
func (f *Features) window() int { return f.Chunk * f.Rate / f.Hop }

// LogMel returns the logarithms of the mel spectra of samples at Rate a second, F32 [Count frames] on the device of the
// samples: those of transformers' WhisperFeatureExtractor. They range over two, relative to the loudest, so that a part
// of a sound has others than the part of the whole. It panics with ErrShape for fewer samples than half a frame, and
// with ErrValue for fields that are not possible.
func (f *Features) LogMel(samples *tensor.Tensor) *tensor.Tensor {
	if err := f.check(); err != nil {
		panic(&tensor.Error{Op: "log mel", Kind: tensor.ErrValue, Message: err.Error()})
	}
	n := samples.ElemCount()
	if samples.Rank() != 1 || f.frames(n) < 1 || n <= f.Size/2 {
		panic(&tensor.Error{Op: "log mel", Kind: tensor.ErrShape, Shapes: [][]int{samples.Dims()},
			Message: fmt.Sprintf("want a vector of more than %d samples, not shape %v", max(f.Size/2, f.Hop-1),
				samples.Dims())})
	}
	dev := samples.Device()
	filters := fft.Mel{Count: f.Count, Rate: float64(f.Rate), High: highest, Slaney: true, Area: true}.
		Filters(f.Size, tensor.F32, dev)
	short := fft.Frames{Size: f.Size, Hop: f.Hop, Window: fft.Hann(f.Size, true, tensor.F32, dev), NoCenter: true}
	padded := samples.ToDType(tensor.F32).Pad(0, f.Size/2, f.Size/2, tensor.Reflect)
	var all []*tensor.Tensor
	for at, some := 0, f.window(); at < f.frames(n); at += some { // parts, for their spectra are large
		count := min(some, f.frames(n)-at)
		all = append(all, tensor.Scoped(func() *tensor.Tensor {
			part := padded.Narrow(0, at*f.Hop, (count-1)*f.Hop+f.Size)
			power := fft.STFT(part, short).Abs().Sqr()
			return filters.MatMul(power).Maximum(1e-10).Log().Mul(1 / math.Ln10)
		}))
	}
	mel := tensor.Cat(all, 1)
	return mel.Maximum(mel.Max(0).Max(0).Sub(8)).Affine(0.25, 1)
}
