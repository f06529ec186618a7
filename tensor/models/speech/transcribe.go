package speech

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/gorocm/gorocm/internal/interrupt"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/formats"
	"github.com/gorocm/gorocm/tensor/signal"
)

// Options say how a sound is transcribed. Start from DefaultOptions.
type Options struct {
	Language string // such as en; the empty text detects it, in the first window
	Task     string // transcribe, or translate to English; the empty text is transcribe

	// A window is written again with the next of these temperatures while its text seems wrong; none is that of 0,
	// which takes the likeliest tokens.
	Temperatures []float64
	// A text seems wrong whose tokens have a mean logarithm of their probabilities below LeastLogProb, and one that
	// repeats itself, so that its tokens can be compressed by more than MostCompression. 0 is not to ask.
	LeastLogProb, MostCompression float64
	// A text below LeastLogProb is left out, if nothing is said with more than this probability; 0 is none.
	NoSpeech float64
	// The text of the windows before is read before that of a window, unless the last one was written with a
	// temperature of 0.5 or more: names stay the same, and mistakes may, too.
	ConditionOnPrevious bool
	// A text that is read as if it came before, such as names and words that may be said: before each window, or with
	// ConditionOnPrevious before the first one.
	Prompt string

	Seed uint64                // of temperatures above 0
	Each func(segment Segment) // is called with each segment, as soon as it is there; may be nil
}

// DefaultOptions returns those of the paper, with transformers' MostCompression.
func DefaultOptions() Options {
	return Options{Temperatures: []float64{0, 0.2, 0.4, 0.6, 0.8, 1}, LeastLogProb: -1, MostCompression: 1.35,
		NoSpeech: 0.6}
}

func (o *Options) temperatures() []float64 {
	if len(o.Temperatures) == 0 {
		return []float64{0}
	}
	return o.Temperatures
}

func (o *Options) task() string {
	if o.Task == "" {
		return "transcribe"
	}
	return o.Task
}

// check panics for options that the model does not have.
func (m *Whisper) check() {
	c, o := &m.Config, &m.Options
	fault := func(format string, args ...any) {
		panic(&tensor.Error{Op: "whisper", Kind: tensor.ErrValue, Message: fmt.Sprintf(format, args...)})
	}
	if len(c.Languages) == 0 && (o.Language != "" && o.Language != "en" || o.task() != "transcribe") {
		fault("%s knows English only: want no Language %q and Task %q", m.Name, o.Language, o.Task)
	}
	if _, ok := c.Languages[o.Language]; len(c.Languages) > 0 && !ok && o.Language != "" {
		fault("there is no language %q: there are %s", o.Language,
			strings.Join(slices.Sorted(maps.Keys(c.Languages)), ", "))
	}
	if _, ok := c.Tasks[o.task()]; len(c.Languages) > 0 && !ok {
		fault("there is no task %q: there are %s", o.Task, strings.Join(slices.Sorted(maps.Keys(c.Tasks)), ", "))
	}
	if (o.ConditionOnPrevious || o.Prompt != "") && c.Previous < 0 {
		fault("%s has no token for the text before: want no ConditionOnPrevious and no Prompt", m.Name)
	}
	for _, t := range o.Temperatures {
		if !(t >= 0 && t <= 100) {
			fault("a temperature of %v: want 0 or more", t)
		}
	}
}

// transcription is the work on one sound.
type transcription struct {
	m        *Whisper
	begin    []int  // the tokens that every text begins with
	language string // that was detected
	before   []int  // the tokens of the prompt, and of the windows before
	sure     bool   // the last window was written with a low temperature
	random   *rand.Rand
	stopped  atomic.Bool
}

// TranscribeFile is Transcribe of a file that formats.ReadAudio reads, and has its errors: WAV, FLAC, MP3, or Opus in
// Ogg.
func (m *Whisper) TranscribeFile(path string) (*Transcript, error) {
	samples, rate, err := formats.ReadAudio(path, m.dev)
	if err != nil {
		return nil, err
	}
	return m.Transcribe(samples, rate), nil
}

// Transcribe writes down what is said in a sound, [samples] or [channels samples] from -1 to 1, with so many samples a
// second: channels are averaged, and another rate than Features.Rate is resampled. A sound is read in windows, of 30 s
// with all released models, each of which begins where the last segment before ended. Interrupting the cell that calls
// it ends it: Options.Each has had the segments so far.
//
// Segments are those of transformers' generate with timestamps that have a
// text and begin before the end of the sound. It panics with ErrShape for other shapes, and with ErrValue
// for Options that the model does not have and for samples that are no numbers.
func (m *Whisper) Transcribe(samples *tensor.Tensor, rate int) *Transcript {
	m.check()
	x := m.mono(samples, rate)
	t := &transcription{m: m, random: newRandom(m.Options.Seed), language: m.Options.Language, sure: true}
	if prompt := strings.TrimSpace(m.Options.Prompt); prompt != "" {
		t.before = m.Tokenizer.EncodePlain(" " + prompt)
	}
	defer interrupt.Watch(func() { t.stopped.Store(true) })()
	f := &m.Features
	n, window := f.frames(x.ElemCount()), f.window()
	out := &Transcript{Duration: time.Duration(float64(x.ElemCount()) / float64(f.Rate) * float64(time.Second))}
	if missing := f.Chunk*f.Rate - x.ElemCount(); missing > 0 { // silence fills up the only window
		x = x.Pad(0, 0, missing, 0)
	}
	mel := f.LogMel(x).Kept()
	total := mel.Dim(1)
	for seek := 0; seek < n && !t.stopped.Load(); {
		count := min(window, total-seek)
		part := mel.Narrow(1, seek, count)
		if count < window {
			part = part.Pad(1, 0, window-count, 0)
		}
		a := t.write(part)
		if a.stopped {
			break
		}
		if a.skip {
			seek += count
			continue
		}
		segments, step := t.segments(a, seek, count)
		for _, s := range segments {
			if s.Text != "" && s.Start < out.Duration { // else it is of the silence that fills the window
				if out.Segments = append(out.Segments, s); m.Options.Each != nil {
					m.Options.Each(s)
				}
			}
		}
		if step <= 0 { // no time was written: what was heard must not be heard for ever
			step = count
		}
		seek += step
	}
	out.Language = t.language
	return out
}

// The samples a second that a sound may have: the filter that resamples grows with them.
const slowest, fastest = 1000, 384000

// mono is a sound of one channel at the rate that the model reads, on its device.
func (m *Whisper) mono(samples *tensor.Tensor, rate int) *tensor.Tensor {
	x, want := samples.Detach(), m.Features.Rate
	if x.Rank() == 2 && x.Dim(0) > 0 {
		x = x.ToDType(tensor.F32).Mean(0)
	}
	if x.Rank() != 1 || x.ElemCount() < m.Features.Hop || !samples.DType().IsFloat() || rate < slowest ||
		rate > fastest {
		panic(&tensor.Error{Op: "whisper", Kind: tensor.ErrShape, Shapes: [][]int{samples.Dims()},
			Message: fmt.Sprintf("%v of shape %v at %d samples a second is not a sound: want floats [samples] or "+
				"[channels samples], at least %d, at %d to %d a second", samples.DType(), samples.Dims(), rate,
				m.Features.Hop, slowest, fastest)})
	}
	x = x.ToDevice(m.dev).ToDType(tensor.F32)
	if rate != want {
		g := gcd(rate, want)
		x = signal.ResamplePoly(x, want/g, rate/g, 0)
	}
	return x
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// segments divides what was written of a window, which begins at the frame seek and has so many, at pairs of times. It
// returns how many frames were heard: where the last pair is not the end, what follows is heard again.
func (t *transcription) segments(a attempt, seek, count int) (all []Segment, step int) {
	c := &t.m.Config
	times, tokens := c.NoTimestamps+1, a.tokens
	isTime := func(i int) bool { return i >= 0 && tokens[i] >= times }
	add := func(tokens []int, from, to int) {
		all = append(all, Segment{Start: t.m.at(seek, from), End: t.m.at(seek, to), Text: t.m.text(tokens),
			MeanLogProb: a.meanLog, NoSpeech: a.noSpeech, Temperature: a.temperature})
	}
	n := len(tokens)
	single := n >= 2 && !isTime(n-2) && isTime(n-1)
	var cuts []int
	for i := range n - 1 {
		if isTime(i) && isTime(i+1) {
			cuts = append(cuts, i+1)
		}
	}
	if len(cuts) == 0 {
		to := count / 2
		for i := n - 1; i >= 0; i-- {
			if isTime(i) {
				if tokens[i] != times {
					to = tokens[i] - times
				}
				break
			}
		}
		add(tokens, 0, to)
		t.heard(tokens)
		return all, count
	}
	if single {
		cuts = append(cuts, n)
	}
	last := 0
	for _, cut := range cuts {
		add(tokens[last:cut], tokens[last]-times, tokens[cut-1]-times)
		last = cut
	}
	t.heard(tokens[:last])
	if single { // and nothing is said after the last time
		return all, count
	}
	return all, 2 * (tokens[last-1] - times)
}

// heard keeps the tokens of a window for the next ones.
func (t *transcription) heard(tokens []int) {
	if t.m.Options.ConditionOnPrevious {
		t.before = append(t.before, tokens...)
	}
}

// at is the time of a timestamp of a window: each is for two frames.
func (m *Whisper) at(seek, timestamp int) time.Duration {
	samples := time.Duration((seek + 2*timestamp) * m.Features.Hop)
	return samples * time.Second / time.Duration(m.Features.Rate)
}

// text is that of tokens, without times and the space before it.
func (m *Whisper) text(tokens []int) string {
	var words []int
	for _, id := range tokens {
		if id < m.Config.NoTimestamps && !m.Tokenizer.Special(id) {
			words = append(words, id)
		}
	}
	return strings.TrimSpace(m.Tokenizer.Decode(words))
}
