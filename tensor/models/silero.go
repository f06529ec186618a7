package models

import (
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/models/internal/silero"
	"github.com/gorocm/gorocm/tensor/nn"
)

// The sizes that Silero VAD was trained with, in samples of 1/16000 s.
const (
	SileroRate  = silero.Rate  // samples in a second
	SileroFrame = silero.Frame // samples of a frame, 32 ms
)

// SileroVAD is Silero's detector of speech for sound of 16 kHz. It carries a state from frame to frame: a value is for
// one sound at a time.
type SileroVAD = silero.VAD

// Speech is a part of a sound with speech in it.
type Speech = silero.Speech

// NewSileroVAD takes the weights from p. The error is a *nn.ParamsError when they are others.
func NewSileroVAD(p *nn.Params) (*SileroVAD, error) { return silero.New(p) }

// OpenSileroVAD reads silero_vad_16k.safetensors onto a device.
func OpenSileroVAD(path string, dev *tensor.Device) (*SileroVAD, error) {
	return silero.Open(path, dev)
}

// SpeechSegments returns the parts with speech, from the results of Probabilities for a whole sound. Speech begins
// where the probability reaches 0.5 and ends where it is below 0.35 for 100 ms; speech of less than 250 ms is
// dropped; 30 ms are added on both sides. These are the numbers of Silero's own program.
func SpeechSegments(probabilities []float64) []Speech { return silero.Segments(probabilities) }
