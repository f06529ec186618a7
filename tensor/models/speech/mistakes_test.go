package speech_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/models/speech"
)

// changed is a copy of the folder of a model with other fields in a file of JSON, or without the file for nil ones.
func changed(t testing.TB, file string, fields map[string]any) string {
	t.Helper()
	to := t.TempDir()
	if err := os.CopyFS(to, os.DirFS("testdata/whisper")); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(to, file)
	data, err := os.ReadFile(path)
	os.Remove(path)
	if fields == nil || err != nil {
		return to
	}
	var all map[string]any
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	for key, value := range fields {
		if all[key] = value; value == nil {
			delete(all, key)
		}
	}
	if data, err = json.Marshal(all); err == nil {
		err = os.WriteFile(path, data, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	return to
}

// TestRefused: what is not supported, or not there, is an error that names it.
func TestRefused(t *testing.T) {
	thorough.Slow(t)
	const config, generation, processor = "config.json", "generation_config.json", "preprocessor_config.json"
	type fields = map[string]any
	for _, c := range []struct {
		file   string
		fields fields
		want   string
	}{
		{config, fields{"model_type": "wav2vec2"}, `"wav2vec2" is not supported: want whisper`},
		{config, fields{"d_model": -4}, "sizes is not possible"},
		{config, fields{"d_model": 1600}, "config.json declares"},
		{config, fields{"encoder_attention_heads": 3}, "sizes is not possible"},
		{config, fields{"encoder_layers": 3}, "missing: model.encoder.layers.2"},
		{config, fields{"scale_embedding": true}, "scale_embedding"},
		{config, fields{"activation_function": "maxout"}, "maxout"},
		{config, fields{"max_source_positions": 40}, "windows of 100 frames of 20 frequencies are not what the model reads: 80 of 20"},
		{config, fields{"vocab_size": 270}, "names token"},
		{config, nil, config},
		{generation, nil, "there is no generation_config.json"},
		{generation, fields{"no_timestamps_token_id": nil}, "no no_timestamps_token_id"},
		{generation, fields{"no_timestamps_token_id": 3}, "which is not possible"},
		{generation, fields{"suppress_tokens": []int{-1}}, "names token -1"},
		{generation, fields{"eos_token_id": []int{1, 2}}, "want one token"},
		{generation, fields{"task_to_id": nil}, "0 tasks"},
		{processor, nil, "there is no preprocessor_config.json"},
		{processor, fields{"feature_extractor_type": "Wav2Vec2FeatureExtractor"}, `"Wav2Vec2FeatureExtractor" is not supported`},
		{processor, fields{"dither": 0.1}, "dither"},
		{processor, fields{"hop_length": -1}, "sizes are not possible"},
		{"tokenizer.json", nil, "tokenizer.json"},
		{"model.safetensors", nil, "neither a .safetensors"},
	} {
		folder := changed(t, c.file, c.fields)
		os.Remove(filepath.Join(folder, "golden.safetensors"))
		if _, err := speech.Open(folder, tensor.CPU()); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %v: %v, want an error with %q", c.file, c.fields, err, c.want)
		}
	}
}

// TestMistakes: what is no sound, and what a model does not know, is an error that says so.
func TestMistakes(t *testing.T) {
	dev := tensor.CPU()
	m, _ := open(t, "whisper", dev)
	english, _ := open(t, "english", dev)
	samples := sound(t, "short", dev)
	with := func(m *speech.Whisper, o speech.Options) func() {
		return func() {
			m.Options = o
			m.Transcribe(samples, 16000)
		}
	}
	good := func(x *tensor.Tensor, rate int) func() {
		return func() {
			m.Options = speech.Options{}
			m.Transcribe(x, rate)
		}
	}
	for _, c := range []struct {
		want string
		f    func()
	}{
		{`no language "xx": there are de, en, fr`, with(m, speech.Options{Language: "xx"})},
		{`no task "sing": there are transcribe, translate`, with(m, speech.Options{Task: "sing"})},
		{"a temperature of -1", with(m, speech.Options{Temperatures: []float64{-1}})},
		{"knows English only", with(english, speech.Options{Language: "de"})},
		{"knows English only", with(english, speech.Options{Task: "translate"})},
		{"is not a sound", good(samples, 0)},
		{"is not a sound", good(dev.Zeros(tensor.F32, 5), 16000)},
		{"is not a sound", good(dev.Zeros(tensor.I16, 50000), 16000)},
		{"is not a sound", good(dev.Zeros(tensor.I16, 2, 50000), 16000)},
		{"is not a sound", good(dev.Zeros(tensor.F32, 2, 3, 50000), 16000)},
		{"are not numbers", good(dev.Full(tensor.F32, math.NaN(), 20000), 16000)},
		{"sizes are not possible", func() { (&speech.Features{Rate: 16000}).LogMel(samples) }},
		{"want a vector", func() { m.Features.LogMel(dev.Zeros(tensor.F32, 20)) }},
		{"want a window [20 100]", func() { m.Encode(dev.Zeros(tensor.F32, 20, 90)) }},
		{"there is no token 900", func() { m.Decoder(dev.Zeros(tensor.F32, 50, 16)).Read([]int{900}) }},
		{"41 tokens after 0", func() { m.Decoder(dev.Zeros(tensor.F32, 50, 16)).Read(make([]int, 41)) }},
	} {
		if err := tensor.Catch(func() error { c.f(); return nil }); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want an error with %q", err, c.want)
		}
	}
	if _, err := m.TranscribeFile("testdata/none.wav"); err == nil {
		t.Error("a file that is not there is read")
	}
}

// FuzzConfigs: files of any bytes are an error, or a model that transcribes.
func FuzzConfigs(f *testing.F) {
	read := func(file string) []byte {
		data, err := os.ReadFile("testdata/whisper/" + file)
		if err != nil {
			f.Fatal(err)
		}
		return data
	}
	f.Add(read("config.json"), read("generation_config.json"), read("preprocessor_config.json"))
	samples := sound(f, "short", tensor.CPU())
	f.Fuzz(func(t *testing.T, config, generation, processor []byte) {
		folder := t.TempDir()
		if err := os.CopyFS(folder, os.DirFS("testdata/whisper")); err != nil {
			t.Fatal(err)
		}
		for file, data := range map[string][]byte{"config.json": config, "generation_config.json": generation,
			"preprocessor_config.json": processor} {
			if err := os.WriteFile(filepath.Join(folder, file), data, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		m, err := speech.Open(folder, tensor.CPU())
		if err != nil {
			return
		}
		m.Options = speech.Options{Temperatures: []float64{0, 0.5}, LeastLogProb: -1}
		tensor.Catch(func() error { m.Transcribe(samples, m.Features.Rate); return nil }) // it may know no task
	})
}

func ExampleOpen() {
	m, err := speech.Open("testdata/english", tensor.CPU()) // a small one of random weights
	if err != nil {
		fmt.Println(err)
		return
	}
	m.Options = speech.Options{} // the likeliest tokens, whatever they are
	t, err := m.TranscribeFile("testdata/short.wav")
	fmt.Println(t, err)
	// Output:
	// 0.32 to 0.74 s: c
	// 1 segment of 0.70 s <nil>
}
