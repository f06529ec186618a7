package models_test

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor/models"
)

// samples reads a WAV file of 16-bit mono sound whose data begin after 44 bytes.
func samples(t *testing.T, path string) []float32 {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(data) < 44 || string(data[36:40]) != "data" {
		t.Fatalf("%s is not a plain WAV file", path)
	}
	var x []float32
	for data = data[44:]; len(data) >= 2; data = data[2:] {
		x = append(x, float32(int16(binary.LittleEndian.Uint16(data)))/(1<<15))
	}
	return x
}

// TestSilero: the probabilities of speech in a minute of sound are those of the original.
func TestSilero(t *testing.T) {
	thorough.Slow(t)
	var golden struct{ Probs []float64 }
	raw, err := os.ReadFile(shared(t, "silero_vad/golden_probs.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &golden); err != nil {
		t.Fatal(err)
	}
	sound := samples(t, shared(t, "silero_vad/test.wav"))
	for _, dev := range devices(t) {
		t.Run(dev.Location(), func(t *testing.T) {
			n := len(golden.Probs)
			if dev.Emulated() { // all of them take half a minute
				n = 48
				if thorough.On() {
					n = 128
				}
			}
			v, err := models.OpenSileroVAD(shared(t, "silero_vad/silero_vad_16k.safetensors"), dev)
			if err != nil {
				t.Fatal(err)
			}
			got := v.Probabilities(sound[:n*models.SileroFrame])
			if len(got) != n {
				t.Fatalf("%d frames, want %d", len(got), n)
			}
			for i, p := range got {
				if math.Abs(p-golden.Probs[i]) > 1e-3 {
					t.Fatalf("frame %d: %v, want %v", i, p, golden.Probs[i])
				}
			}
			segments, want := models.SpeechSegments(got), models.SpeechSegments(golden.Probs[:n])
			if len(want) == 0 || !slices.Equal(segments, want) {
				t.Errorf("speech in %v, want %v", segments, want)
			}
		})
	}
}

func TestSpeechSegments(t *testing.T) {
	p := make([]float64, 100) // of 32 ms
	for i := range p {
		switch {
		case i >= 10 && i < 20, i >= 22 && i < 30: // a pause of 64 ms is none
			p[i] = 0.9
		case i >= 40 && i < 44: // too short
			p[i] = 0.9
		case i >= 60 && i < 70:
			p[i] = 0.6
		case i >= 70:
			p[i] = 0.4 // no longer sure, but not silent either
		}
	}
	const frame = 32 * time.Millisecond
	want := []models.Speech{{Start: 10*frame - 30*time.Millisecond, End: 30*frame + 30*time.Millisecond},
		{Start: 60*frame - 30*time.Millisecond, End: 100 * frame}}
	if got := models.SpeechSegments(p); !slices.Equal(got, want) {
		t.Errorf("speech in %v, want %v", got, want)
	}
	if got := models.SpeechSegments(nil); got != nil {
		t.Errorf("speech in nothing: %v", got)
	}
}
