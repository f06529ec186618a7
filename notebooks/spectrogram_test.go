// Package notebooks tests what the notebooks compute.
package notebooks

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/repl"
	"github.com/gorocm/gorocm/repl/cells"
)

const size, hop, bins = 512, 160, 257

// dump is a last cell that writes what the notebook computed where the test can read it.
const dump = `
func() error {
	f, err := os.Create(%q)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := binary.Write(f, binary.LittleEndian, sound.Samples); err != nil {
		return err
	}
	return binary.Write(f, binary.LittleEndian, tensor.ToVec1[float32](magnitude.FlattenAll()))
}()`

// TestSpectrogram runs the spectrogram's cells on the host and on Device("rocm") and compares every magnitude with a
// discrete Fourier transform in float64. The tolerance is relative to the largest magnitude of the frame.
func TestSpectrogram(t *testing.T) {
	thorough.Slow(t)
	shared := os.Getenv("GOROCM_SHARED")
	if shared == "" {
		shared = filepath.Join("..", "..", "shared")
	}
	speech := filepath.Join(shared, "models", "silero_vad", "test.wav")
	for _, device := range []string{"cpu", "rocm"} {
		t.Run(device+"/tone", func(t *testing.T) { spectrogram(t, device, "") })
		t.Run(device+"/speech", func(t *testing.T) {
			if thorough.Short() || device != "cpu" && !thorough.On() {
				t.Skip("60 s of speech take seconds: set GOROCM_TEST=thorough")
			}
			if _, err := os.Stat(speech); err != nil {
				t.Skipf("needs a recording of speech: %v; GOROCM_SHARED names the folder that has models/silero_vad",
					err)
			}
			spectrogram(t, device, speech)
		})
	}
}

func spectrogram(t *testing.T, device, wav string) {
	t.Setenv("GOROCM_DEVICE", device)
	t.Setenv("GOROCM_WAV", wav)
	session, err := repl.New(repl.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	notebook, err := cells.Read("02-spectrogram.ipynb")
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "values")
	sources := []string{}
	for _, cell := range notebook.Cells {
		if cell.Kind == cells.Code {
			sources = append(sources, cell.Source)
		}
	}
	pictures := 0
	for _, code := range append(sources, fmt.Sprintf(dump, out)) {
		reply := session.Eval(context.Background(), repl.Request{Code: code}, func(e repl.Event) {
			if e.Data["image/png"] != "" {
				pictures++
			}
		})
		if reply.Err != nil {
			t.Fatalf("%s\n\nin\n%s", reply.Err.Text(false), code)
		}
	}
	if pictures != 1 {
		t.Errorf("the notebook showed %d pictures, want 1", pictures)
	}
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	check(t, data, wav)
}

// check compares the magnitudes in data, which follow the samples, with a float64 transform of the samples. Of long
// recordings it compares a sample of the frames.
func check(t *testing.T, data []byte, wav string) {
	values := make([]float32, len(data)/4)
	for i := range values {
		values[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
	}
	n := 64000 // four seconds of tone
	if wav != "" {
		file, err := os.ReadFile(wav)
		if err != nil {
			t.Fatal(err)
		}
		n = int(binary.LittleEndian.Uint32(file[40:])) / 2 // the data chunk of a file without other chunks
	}
	frames := (n-size)/hop + 1
	if len(values) != n+frames*bins {
		t.Fatalf("the notebook gave %d numbers, want %d samples and %d×%d magnitudes", len(values), n, frames, bins)
	}
	samples, got := values[:n], values[n:]
	var cosine, sine, window [size]float64
	for i := range size {
		sine[i], cosine[i] = math.Sincos(2 * math.Pi * float64(i) / size)
		window[i] = 0.5 - 0.5*cosine[i]
	}
	worst, want := 0.0, make([]float64, bins)
	all := make([]int, frames)
	for f := range all {
		all[f] = f
	}
	some := thorough.Sample(all, 1+frames/400, 0)
	for _, f := range some {
		var x [size]float64
		for i := range x {
			x[i] = float64(samples[f*hop+i]) * window[i]
		}
		largest := 0.0
		for k := range bins {
			re, im := 0.0, 0.0
			for i, v := range x {
				re += v * cosine[k*i%size]
				im += v * sine[k*i%size]
			}
			want[k] = math.Hypot(re, im)
			largest = max(largest, want[k])
		}
		for k, w := range want {
			worst = max(worst, math.Abs(float64(got[f*bins+k])-w)/max(largest, 1e-6))
		}
	}
	t.Logf("%d of %d frames, largest error %.1e of the largest magnitude of its frame", len(some), frames, worst)
	if !(worst <= 1e-4) {
		t.Errorf("largest error %.1e of the largest magnitude of its frame, want at most 1e-4", worst)
	}
}
