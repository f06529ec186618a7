// Package silero has Silero's detector of speech.
package silero

import (
	"fmt"
	"time"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
)

// The sizes that Silero VAD was trained with, in samples of 1/16000 s.
const (
	Rate    = 16000 // samples in a second
	Frame   = 512   // samples of a frame, 32 ms
	context = 64    // samples before the frame that it sees too
	reflect = 64    // samples after it, which mirror its end
	bins    = 129   // frequencies of the spectrum
	hidden  = 128
)

// VAD is Silero's detector of speech for sound of 16 kHz. It carries a state from frame to frame: a value is for
// one sound at a time.
type VAD struct {
	stft  *tensor.Tensor
	convs []*nn.Conv1d
	lstm  *nn.LSTM
	final *nn.Conv1d
	dev   *tensor.Device

	state  nn.LSTMState
	before []float32
}

// New takes the weights from p. The error is a *nn.ParamsError when they are others.
func New(p *nn.Params) (*VAD, error) {
	v := &VAD{dev: p.Device()}
	err := p.Build(func() {
		const window = 256
		v.stft = p.Get("stft_conv.weight", []int{2 * bins, 1, window}, nn.KaimingUniform)
		for i, c := range []struct{ in, out, stride int }{{bins, 128, 1}, {128, 64, 2}, {64, 64, 2},
			{64, 128, 1}} {
			v.convs = append(v.convs, nn.NewConv1d(c.in, c.out, 3, nn.ConvConfig{Padding: 1, Stride: c.stride},
				p.At(fmt.Sprint("conv", i+1))))
		}
		l, wide := p.At("lstm_cell"), 4*hidden
		v.lstm = &nn.LSTM{
			WeightIH: l.Get("weight_ih", []int{wide, hidden}, nn.KaimingUniform),
			WeightHH: l.Get("weight_hh", []int{wide, hidden}, nn.KaimingUniform),
			BiasIH:   l.Get("bias_ih", []int{wide}, nil), BiasHH: l.Get("bias_hh", []int{wide}, nil),
		}
		v.final = nn.NewConv1d(hidden, 1, 1, nn.ConvConfig{}, p.At("final_conv"))
	})
	if err != nil {
		return nil, err
	}
	v.Reset()
	return v, nil
}

// Open reads silero_vad_16k.safetensors onto a device.
func Open(path string, dev *tensor.Device) (*VAD, error) {
	p, err := nn.OpenParams(path, tensor.F32, dev)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	v, err := New(p)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return v, nil
}

// Reset forgets the sound so far.
func (v *VAD) Reset() {
	v.state = v.lstm.ZeroState(1)
	v.before = make([]float32, context)
}

// Probabilities returns, for each further frame of Frame samples between -1 and 1, the probability that there is
// speech in it. An incomplete last frame is filled up with silence.
func (v *VAD) Probabilities(samples []float32) []float64 {
	const batch = 256 // frames: their spectra need half a megabyte each thousand
	var all []float64
	for len(samples) > 0 {
		n := min(len(samples), batch*Frame)
		all = append(all, v.frames(samples[:n])...)
		samples = samples[n:]
	}
	return all
}

func (v *VAD) frames(samples []float32) []float64 {
	n := (len(samples) + Frame - 1) / Frame
	const size = context + Frame + reflect
	spread := make([]float32, n*size)
	for i := range n {
		frame := spread[i*size : (i+1)*size]
		copy(frame, v.before)
		copy(frame[context:context+Frame], samples[i*Frame:])
		v.before = append(v.before[:0], frame[Frame:Frame+context]...)
		for j := range reflect {
			frame[context+Frame+j] = frame[context+Frame-2-j]
		}
	}
	const hop = 128
	x := v.dev.FromSlice(spread, n, 1, size).Conv1d(v.stft, 0, hop, 1, 1)
	x = x.Narrow(1, 0, bins).Sqr().Add(x.Narrow(1, bins, bins).Sqr()).Sqrt()
	for _, c := range v.convs {
		x = c.Forward(x).Relu()
	}
	// [n hidden 1]: the frames are the steps of the LSTM.
	outputs := make([]*tensor.Tensor, n)
	for i, s := range v.lstm.Seq(x.Reshape(1, n, hidden), v.state) {
		outputs[i], v.state = s.H, s
	}
	return v.final.Forward(tensor.Cat(outputs, 0).Relu().Unsqueeze(2)).Sigmoid().FlattenAll().ToVec1()
}

// Speech is a part of a sound with speech in it.
type Speech struct{ Start, End time.Duration }

// String has both in seconds.
func (s Speech) String() string {
	return fmt.Sprintf("%.2f s to %.2f s", s.Start.Seconds(), s.End.Seconds())
}

// Segments returns the parts with speech, from the results of Probabilities for a whole sound. Speech begins
// where the probability reaches 0.5 and ends where it is below 0.35 for 100 ms; speech of less than 250 ms is
// dropped; 30 ms are added on both sides. These are the numbers of Silero's own program.
func Segments(probabilities []float64) []Speech {
	const begin, end = 0.5, 0.35
	const frame = time.Second * Frame / Rate
	const leastSpeech, leastSilence, pad = 250 * time.Millisecond, 100 * time.Millisecond, 30 * time.Millisecond
	var found []Speech
	var start, silent time.Duration
	speaking, hush := false, false
	for i, p := range probabilities {
		at := time.Duration(i) * frame
		switch {
		case p >= begin:
			hush = false
			if !speaking {
				speaking, start = true, at
			}
		case speaking && p < end:
			if !hush {
				hush, silent = true, at
			}
			if at-silent >= leastSilence {
				if silent-start > leastSpeech {
					found = append(found, Speech{start, silent})
				}
				speaking, hush = false, false
			}
		}
	}
	total := time.Duration(len(probabilities)) * frame
	if speaking && total-start > leastSpeech {
		found = append(found, Speech{start, total})
	}
	for i := range found {
		// Adjacent parts that are close share the gap between them.
		before, after := pad, pad
		if i > 0 {
			before = min(pad, max(found[i].Start-found[i-1].End, 0))
		}
		if i+1 < len(found) {
			after = min(pad, (found[i+1].Start-found[i].End)/2)
		}
		found[i].Start, found[i].End = max(found[i].Start-before, 0), min(found[i].End+after, total)
	}
	return found
}
