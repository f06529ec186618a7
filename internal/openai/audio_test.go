package openai

import (
	"bytes"
	"encoding/json"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/models/speech"
)

// form sends a form with a file and other fields, and returns the answer.
func form(t *testing.T, url, file string, fields ...string) (status int, text string) {
	t.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for i := 0; i < len(fields); i += 2 {
		if err := w.WriteField(fields[i], fields[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	if file != "" {
		part, err := w.CreateFormFile("file", "sound.wav")
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(part, file)
	}
	w.Close()
	r, err := http.Post(url, w.FormDataContentType(), &body)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	data, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r.StatusCode, string(data)
}

// TestTranscriptions: the text of a sound is the model's, in all formats; mistakes are errors that name the parameter.
func TestTranscriptions(t *testing.T) {
	thorough.Slow(t)
	const folder = "../../tensor/models/speech/testdata/"
	m, err := speech.Open(folder+"whisper", tensor.CPU())
	if err != nil {
		t.Fatal(err)
	}
	m.Options = speech.Options{}
	want, err := m.TranscribeFile(folder + "long.wav")
	if err != nil {
		t.Fatal(err)
	}
	m.Options = speech.Options{Language: "de", Task: "translate"}
	german, err := m.TranscribeFile(folder + "long.wav")
	if err != nil {
		t.Fatal(err)
	}
	m.Options = speech.Options{}
	sound, err := os.ReadFile(folder + "long.wav")
	if err != nil {
		t.Fatal(err)
	}
	h := httptest.NewServer(NewAudioHandler(m))
	defer h.Close()
	url, file := h.URL+"/v1/audio/transcriptions", string(sound)
	var v struct {
		Text, Language string
		Duration       float64
		Segments       []struct {
			Start, End float64
			Text       string
		}
	}
	status, text := form(t, url, file, "model", "whisper")
	if err := json.Unmarshal([]byte(text), &v); err != nil || status != 200 || v.Text != want.Text() {
		t.Fatal(status, text, err)
	}
	status, text = form(t, url, file, "model", "whisper", "response_format", "verbose_json", "timestamp_granularities[]", "segment")
	if err := json.Unmarshal([]byte(text), &v); err != nil || status != 200 || v.Language != want.Language || v.Duration != 3.4 ||
		len(v.Segments) != len(want.Segments) {
		t.Fatal(status, text, err)
	}
	for i, s := range v.Segments {
		if w := want.Segments[i]; s.Text != w.Text || s.Start != w.Start.Seconds() || s.End != w.End.Seconds() {
			t.Errorf("%+v, want %v", s, w)
		}
	}
	for format, want := range map[string]string{"text": want.Text() + "\n", "srt": "1\n00:00:00,100 --> 00:00:00,160\n" + want.Segments[0].Text,
		"vtt": "WEBVTT\n\n00:00:00.100 --> 00:00:00.160\n"} {
		if status, text := form(t, url, file, "model", "whisper", "response_format", format); status != 200 || !strings.HasPrefix(text, want) {
			t.Errorf("%s: %d %q, want %q", format, status, text, want)
		}
	}
	if _, text := form(t, h.URL+"/v1/audio/translations", file, "model", "whisper", "language", "de", "response_format", "text"); text != german.Text()+"\n" {
		t.Errorf("%q, want %q", text, german.Text())
	}
	m.Options = speech.Options{Prompt: "the cat"}
	prompted, err := m.TranscribeFile(folder + "long.wav")
	if err != nil {
		t.Fatal(err)
	}
	m.Options = speech.Options{}
	if _, text := form(t, url, file, "model", "whisper", "prompt", "the cat", "response_format", "text"); text != prompted.Text()+"\n" {
		t.Errorf("%q, want %q", text, prompted.Text())
	}
	compressed, err := os.ReadFile("../../tensor/formats/testdata/sounds/mono.mp3")
	if err != nil {
		t.Fatal(err)
	}
	if status, text := form(t, url, string(compressed), "model", "whisper", "response_format", "verbose_json"); status != 200 ||
		!strings.Contains(text, `"duration":0.15`) {
		t.Error(status, text)
	}
	for _, c := range []struct {
		want, file string
		fields     []string
	}{
		{"must provide a model", file, nil}, {"does not exist", file, []string{"model", "x"}}, {"there is no file", "", []string{"model", "whisper"}},
		{"WAV, FLAC, MP3, and Opus in Ogg are", "ID3", []string{"model", "whisper"}}, {"want one of json", file, []string{"model", "whisper", "response_format", "xml"}},
		{"no language \"xx\"", file, []string{"model", "whisper", "language", "xx"}}, {"from 0 to 1", file, []string{"model", "whisper", "temperature", "2"}},
		{"want segment", file, []string{"model", "whisper", "timestamp_granularities[]", "word"}}, {"stream is not supported", file, []string{"model", "whisper", "stream", "true"}},
	} {
		if status, text := form(t, url, c.file, c.fields...); status < 400 || status >= 500 || !strings.Contains(text, strings.ReplaceAll(c.want, `"`, `\"`)) {
			t.Errorf("%v: %d %.200s; want %q", c.fields, status, text, c.want)
		}
	}
	head := "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.wav\"\r\n\r\n"
	large := httptest.NewRequest("POST", "/v1/audio/transcriptions", strings.NewReader(head+strings.Repeat("x", maxSound+2<<20)))
	large.Header.Set("Content-Type", "multipart/form-data; boundary=x")
	answer := httptest.NewRecorder()
	if NewAudioHandler(m).ServeHTTP(answer, large); answer.Code != 413 {
		t.Error(answer.Code, answer.Body)
	}
	if status, text := post(t, url, `{}`); status != 400 || !strings.Contains(text, "multipart/form-data") {
		t.Error(status, text)
	}
	if status, text := post(t, h.URL+"/v1/completions", `{}`); status != 404 || !strings.Contains(text, "whisper has audio/transcriptions") {
		t.Error(status, text)
	}
}
