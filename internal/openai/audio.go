package openai

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gorocm/gorocm/internal/interrupt"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/formats"
	"github.com/gorocm/gorocm/tensor/models/speech"
)

// maxSound is how many bytes a file may have, as OpenAI.
const maxSound = 25 << 20

// transcriber answers requests for texts of sounds with one Whisper.
type transcriber struct {
	mu      sync.Mutex // one request at a time has the device's memory, and the model's Options
	model   *speech.Whisper
	created int64
}

// NewAudioHandler returns the handler of all paths for a Whisper, which is known by its Name: /v1/models,
// /v1/audio/transcriptions and /v1/audio/translations.
func NewAudioHandler(m *speech.Whisper) http.Handler {
	t := &transcriber{model: m, created: time.Now().Unix()}
	mux := http.NewServeMux()
	serveModels(mux, m.Name, t.created)
	mux.HandleFunc("POST /v1/audio/transcriptions", func(w http.ResponseWriter, r *http.Request) {
		t.answer(w,
			r, "transcribe")
	})
	mux.HandleFunc("POST /v1/audio/translations", func(w http.ResponseWriter, r *http.Request) {
		t.answer(w, r,
			"translate")
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		fail(w, &apiError{status: http.StatusNotFound,
			Message: fmt.Sprintf("there is no %s %s: %s has audio/transcriptions and audio/translations", r.Method, r.URL.Path, m.Name)})
	})
	return mux
}

// audioRequest is a form.
type audioRequest struct {
	file, language, prompt, format string
	temperatures                   []float64 // nil for those of the model
}

// request reads a form with a file. What it asks for and is not supported is an error that names it.
func (t *transcriber) request(w http.ResponseWriter, r *http.Request) (q audioRequest, err error) {
	r.Body = http.MaxBytesReader(w, r.Body, maxSound+1<<20)
	form, err := r.MultipartReader()
	if err != nil {
		return q, badParam("file", "want a form (multipart/form-data) with a file: %v", err)
	}
	model := ""
	for {
		part, err := form.NextPart()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return q, formError(err)
		}
		data, err := io.ReadAll(part)
		if err != nil {
			return q, formError(err)
		}
		switch name, text := part.FormName(), string(data); name {
		case "file":
			q.file = text
		case "model":
			model = text
		case "language":
			q.language = text
		case "prompt":
			q.prompt = text
		case "response_format":
			q.format = text
		case "temperature":
			x, err := strconv.ParseFloat(text, 64)
			if err != nil || !(x >= 0 && x <= 1) {
				return q, badParam(name, "want a number from 0 to 1, not %q", text)
			}
			if x > 0 { // 0 is OpenAI's word for what seems best
				q.temperatures = []float64{x}
			}
		case "timestamp_granularities[]":
			if text != "segment" {
				return q, badParam(name, "%q is not supported: want segment", text)
			}
		default:
			return q, badParam(name, "%s is not supported", name)
		}
	}
	formats := []string{"", "json", "text", "verbose_json", "srt", "vtt"}
	switch {
	case model == "":
		return q, badParam("model", "you must provide a model parameter")
	case model != t.model.Name:
		return q, noModel(model)
	case q.file == "":
		return q, badParam("file", "there is no file")
	case !slices.Contains(formats, q.format):
		return q, badParam("response_format", "want one of %s, not %q", strings.Join(formats[1:], ", "), q.format)
	}
	return q, nil
}

func formError(err error) error {
	if tooLarge := new(http.MaxBytesError); errors.As(err, &tooLarge) {
		return &apiError{status: http.StatusRequestEntityTooLarge,
			Message: fmt.Sprintf("the file has more than %d bytes", maxSound)}
	}
	return &apiError{status: http.StatusBadRequest, Message: err.Error()}
}

func (t *transcriber) answer(w http.ResponseWriter, r *http.Request, task string) {
	q, err := t.request(w, r)
	if err != nil {
		fail(w, err)
		return
	}
	text, err := t.transcribe(r.Context(), q, task)
	if err != nil {
		fail(w, err)
		return
	}
	switch q.format {
	case "text":
		plain(w, text.Text()+"\n")
	case "srt":
		plain(w, subtitles(text, ","))
	case "vtt":
		plain(w, "WEBVTT\n\n"+subtitles(text, "."))
	case "verbose_json":
		segments := []any{}
		for i, s := range text.Segments {
			segments = append(segments, map[string]any{"id": i, "start": s.Start.Seconds(), "end": s.End.Seconds(),
				"text": s.Text, "temperature": s.Temperature, "avg_logprob": s.MeanLogProb,
				"no_speech_prob": s.NoSpeech})
		}
		reply(w, http.StatusOK, map[string]any{"task": task, "language": text.Language,
			"duration": text.Duration.Seconds(), "text": text.Text(), "segments": segments})
	default:
		reply(w, http.StatusOK, map[string]any{"text": text.Text()})
	}
}

// transcribe writes down a file, until the client hangs up.
func (t *transcriber) transcribe(ctx context.Context, q audioRequest, task string) (text *speech.Transcript,
	err error) {
	m := t.model
	samples, rate, err := formats.DecodeAudio([]byte(q.file), m.Device())
	if err != nil {
		return nil, badParam("file", "%v", err)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	goroutine := interrupt.Goroutine()
	defer context.AfterFunc(ctx, func() { interrupt.Stop(goroutine) })()
	before := m.Options
	defer func() { m.Options = before }()
	m.Options.Language, m.Options.Task, m.Options.Prompt = q.language, task, q.prompt
	if q.temperatures != nil {
		m.Options.Temperatures = q.temperatures
	}
	err = tensor.Catch(func() error {
		text = m.Transcribe(samples, rate)
		return ctx.Err()
	})
	if e := new(tensor.Error); errors.As(err, &e) && (errors.Is(e.Kind, tensor.ErrValue) || errors.Is(e.Kind,
		tensor.ErrShape)) {
		return nil, &apiError{status: http.StatusBadRequest, Message: e.Message}
	}
	return text, err
}

func plain(w http.ResponseWriter, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	io.WriteString(w, text)
}

// subtitles are segments as SubRip has them, and WebVTT with another point.
func subtitles(t *speech.Transcript, point string) string {
	at := func(d time.Duration) string {
		ms := d.Milliseconds()
		return fmt.Sprintf("%02d:%02d:%02d%s%03d", ms/3600000, ms/60000%60, ms/1000%60, point, ms%1000)
	}
	var b strings.Builder
	for i, s := range t.Segments {
		if point == "," {
			fmt.Fprintln(&b, i+1)
		}
		fmt.Fprintf(&b, "%s --> %s\n%s\n\n", at(s.Start), at(s.End), s.Text)
	}
	return b.String()
}
