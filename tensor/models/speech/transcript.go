package speech

import (
	"fmt"
	"html"
	"strings"
	"time"
)

// Transcript is what is said in a sound.
type Transcript struct {
	Language string // such as en; the empty text for a model of English only
	Segments []Segment
	Duration time.Duration // of the sound
}

// Segment is a part of a sound in which something is said.
type Segment struct {
	Start, End  time.Duration
	Text        string
	MeanLogProb float64 // the mean logarithm of the probabilities of the tokens of its window
	NoSpeech    float64 // the probability that nothing is said in its window
	Temperature float64 // with which the window was written
}

// String has the times in seconds, and the text.
func (s Segment) String() string {
	return fmt.Sprintf("%.2f to %.2f s: %s", s.Start.Seconds(), s.End.Seconds(), s.Text)
}

// Text returns the text of all segments.
func (t *Transcript) Text() string {
	var all []string
	for _, s := range t.Segments {
		all = append(all, s.Text)
	}
	return strings.Join(all, " ")
}

// String has a line for each segment.
func (t *Transcript) String() string {
	var b strings.Builder
	for _, s := range t.Segments {
		fmt.Fprintf(&b, "%v\n", s)
	}
	return b.String() + t.caption()
}

// caption says how much was said, and in which language.
func (t *Transcript) caption() string {
	text := fmt.Sprintf("%d segments of %.2f s", len(t.Segments), t.Duration.Seconds())
	if len(t.Segments) == 1 {
		text = fmt.Sprintf("1 segment of %.2f s", t.Duration.Seconds())
	}
	if t.Language != "" {
		text += ", language " + t.Language
	}
	return text
}

// HTML is a table of the segments, which notebooks show.
func (t *Transcript) HTML() string {
	var b strings.Builder
	b.WriteString("<table><thead><tr><th>start</th><th>end</th><th>text</th></tr></thead><tbody>")
	for _, s := range t.Segments {
		fmt.Fprintf(&b, "<tr><td>%.2f s</td><td>%.2f s</td><td style=\"text-align:left\">%s</td></tr>", s.Start.Seconds(),
			s.End.Seconds(), html.EscapeString(s.Text))
	}
	fmt.Fprintf(&b, "</tbody></table><p>%s</p>", html.EscapeString(t.caption()))
	return b.String()
}
