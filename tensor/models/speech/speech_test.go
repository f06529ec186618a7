package speech_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/formats"
	"github.com/gorocm/gorocm/tensor/models/speech"
)

// devices are the host, a GPU, the emulated one where there is none, and an NVIDIA GPU where there is one.
func devices(t testing.TB) []*tensor.Device {
	t.Helper()
	gpu, err := tensor.NewDevice("rocm")
	if err != nil {
		t.Fatal(err)
	}
	list := []*tensor.Device{tensor.CPU(), gpu}
	if nvidia, err := tensor.NewDevice("cuda"); err == nil {
		list = append(list, nvidia)
	}
	return list
}

// golden is what transformers computed: see testdata/whisper.py.
type golden struct {
	tensors map[string]*tensor.Tensor
	Runs    []struct {
		Sound string
		Run   struct {
			Task, Language string
			LogProb        float64 `json:"logprob_threshold"`
			NoSpeech       float64 `json:"no_speech_threshold"`
			Previous       bool    `json:"condition_on_prev_tokens"`
			Prompt         string  `json:"prompt"`
		}
		Segments [][3]any
	}
}

func open(t testing.TB, name string, dev *tensor.Device) (*speech.Whisper, *golden) {
	t.Helper()
	g := &golden{tensors: map[string]*tensor.Tensor{}}
	data, err := os.ReadFile("testdata/" + name + "/golden.json")
	if err == nil {
		err = json.Unmarshal(data, g)
	}
	if err != nil {
		t.Fatal(err)
	}
	list, err := formats.ReadSafetensors("testdata/"+name+"/golden.safetensors", tensor.CPU())
	if err != nil {
		t.Fatal(err)
	}
	for _, named := range list {
		g.tensors[named.Name] = named.Tensor
	}
	m, err := speech.Open("testdata/"+name, dev)
	if err != nil {
		t.Fatal(err)
	}
	return m, g
}

func sound(t testing.TB, name string, dev *tensor.Device) *tensor.Tensor {
	t.Helper()
	samples, rate, err := formats.ReadWAV("testdata/"+name+".wav", dev)
	if err != nil || rate != 16000 {
		t.Fatal(rate, err)
	}
	return samples.Squeeze(0)
}

// near compares the elements of two tensors of one shape.
func near(t *testing.T, what string, got, want *tensor.Tensor, within float64) {
	t.Helper()
	if !slices.Equal(got.Dims(), want.Dims()) {
		t.Fatalf("%s: shape %v, want %v", what, got.Dims(), want.Dims())
	}
	a, b := got.FlattenAll().ToVec1(), want.FlattenAll().ToVec1()
	for i := range a {
		if !(math.Abs(a[i]-b[i]) <= within) {
			t.Fatalf("%s: number %d is %v, want %v", what, i, a[i], b[i])
		}
	}
}

// TestWhisper: log-mel spectra, rows of the encoder and logits are those of transformers, at once and token by token.
func TestWhisper(t *testing.T) {
	thorough.Slow(t)
	for _, dev := range devices(t) {
		for _, name := range []string{"whisper", "english"} {
			t.Run(dev.Location()+"/"+name, func(t *testing.T) {
				m, g := open(t, name, dev)
				var ids []int
				for _, id := range g.tensors["ids"].ToVec1() {
					ids = append(ids, int(id))
				}
				for _, file := range []string{"short", "long"} {
					samples := sound(t, file, dev)
					if file == "short" {
						samples = samples.Pad(0, 0, 16000-samples.ElemCount(), 0)
					}
					mel := m.Features.LogMel(samples)
					near(t, "log mel", mel, g.tensors[file+".mel"], 5e-6)
					rows := m.Encode(g.tensors[file+".mel"].Narrow(1, 0, 100))
					near(t, "rows", rows, g.tensors[file+".rows"], 5e-5)
					d := m.Decoder(rows)
					want := g.tensors[file+".logits"]
					near(t, "logits", d.Read(ids), want, 5e-5)
					d.Truncate(1)
					for i, id := range ids[1:] {
						near(t, "logits of a token", d.Read([]int{id}), want.Narrow(0, i+1, 1), 5e-5)
					}
				}
			})
		}
	}
}

// TestTranscribe: segments, their times and texts are those of transformers' generate, for a sound of one window and of
// several.
func TestTranscribe(t *testing.T) {
	thorough.Slow(t)
	for _, dev := range devices(t) {
		for _, name := range []string{"whisper", "english"} {
			m, g := open(t, name, dev)
			for i, run := range g.Runs {
				if dev.Emulated() && i != 0 {
					continue
				}
				t.Run(fmt.Sprint(dev.Location(), "/", name, "/", run.Sound, i), func(t *testing.T) {
					samples := sound(t, run.Sound, dev)
					m.Options = speech.Options{Task: run.Run.Task, Language: run.Run.Language, LeastLogProb: run.Run.LogProb,
						NoSpeech: run.Run.NoSpeech, ConditionOnPrevious: run.Run.Previous, Prompt: run.Run.Prompt}
					got := m.Transcribe(samples, 16000)
					var want []string
					end := float64(samples.ElemCount()) / 16000
					for _, s := range run.Segments {
						// transformers also writes of the silence that fills the last window
						if start, text := s[0].(float64), strings.TrimSpace(s[2].(string)); text != "" && start < end {
							want = append(want, fmt.Sprintf("%.2f to %.2f s: %s", start, s[1].(float64), text))
						}
					}
					var have []string
					for _, s := range got.Segments {
						have = append(have, s.String())
					}
					if !slices.Equal(have, want) {
						t.Errorf("segments\n%s\nwant\n%s", strings.Join(have, "\n"), strings.Join(want, "\n"))
					}
				})
			}
		}
	}
}

// TestOptions: languages are detected or given, sounds are resampled and mixed, texts that seem wrong are written
// again, and segments are told one by one.
func TestOptions(t *testing.T) {
	dev := tensor.CPU()
	m, _ := open(t, "whisper", dev)
	samples := sound(t, "long", dev)
	m.Options = speech.Options{}
	plain := m.Transcribe(samples, 16000)
	if plain.Language == "" || plain.Duration.Seconds() != 3.4 || len(plain.Segments) < 5 {
		t.Fatal(plain)
	}
	var told []speech.Segment
	m.Options = speech.Options{Language: plain.Language, Each: func(s speech.Segment) { told = append(told, s) }}
	if got := m.Transcribe(samples, 16000); got.String() != plain.String() || !slices.Equal(told, plain.Segments) {
		t.Errorf("%v, told %v, want %v", got, told, plain)
	}
	both := tensor.Stack([]*tensor.Tensor{samples, samples}, 0)
	if got := m.Transcribe(both, 16000); got.String() != plain.String() {
		t.Errorf("of two channels %v, want %v", got, plain)
	}
	if !speech.IsModel("testdata/whisper") || speech.IsModel("testdata") {
		t.Error("IsModel")
	}
	if got, err := m.TranscribeFile("testdata/long.wav"); err != nil || got.String() != plain.String() {
		t.Errorf("of a file %v, %v, want %v", got, err, plain)
	}
	slow := m.Transcribe(samples, 8000) // twice as long
	if slow.Duration.Seconds() != 6.8 {
		t.Error(slow.Duration)
	}
	m.Options = speech.Options{Temperatures: []float64{0, 0.7}, LeastLogProb: -0.01, Seed: 4}
	hot := m.Transcribe(samples, 16000)
	if again := m.Transcribe(samples, 16000); again.String() != hot.String() || hot.String() == plain.String() {
		t.Errorf("%v, then %v", hot, again)
	}
	for _, s := range hot.Segments {
		if s.Temperature != 0.7 {
			t.Error(s.Temperature, s)
		}
	}
	m.Options = speech.Options{Temperatures: []float64{0, 1}, MostCompression: 0.01}
	if got := m.Transcribe(samples, 16000); len(got.Segments) > 0 && got.Segments[0].Temperature != 1 {
		t.Error(got.Segments[0])
	}
	if text := plain.Text(); !strings.Contains(plain.HTML(), "<td>0.10 s</td>") || !strings.HasPrefix(text, plain.Segments[0].Text+" ") {
		t.Error(plain.HTML(), text)
	}
}

// TestHalf: a Whisper computes in types of 16 bits too, near what it computes in F32.
func TestHalf(t *testing.T) {
	thorough.Slow(t)
	for _, dev := range devices(t) {
		full, g := open(t, "whisper", dev)
		mel := g.tensors["long.mel"].Narrow(1, 0, 100)
		want := full.Decoder(full.Encode(mel)).Read([]int{263, 264, 5})
		for _, dtype := range []tensor.DType{tensor.F16, tensor.BF16} {
			m, err := speech.OpenAs("testdata/whisper", dtype, dev)
			if err != nil {
				t.Fatal(err)
			}
			got := m.Decoder(m.Encode(mel)).Read([]int{263, 264, 5})
			if d := got.Sub(want).Norm().ToScalar() / want.Norm().ToScalar(); !(d > 0 && d < 0.05) || got.DType() != tensor.F32 {
				t.Errorf("%v on %v: logits of %v differ by %v", dtype, dev, got.DType(), d)
			}
			m.Options = speech.Options{}
			if text := m.Transcribe(sound(t, "short", dev), 16000); text.Duration.Seconds() != 0.7 {
				t.Error(text)
			}
		}
	}
}
