package repl

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/gorocm/gorocm/internal/timeline"
	"github.com/gorocm/gorocm/rocm"
)

// hostText is a line for each operation of the host, that which took longest first.
func hostText(spans []timeline.Span) string {
	by := map[string]*hostTotal{}
	var list []*hostTotal
	for _, s := range spans {
		t := by[s.Name]
		if t == nil {
			t = &hostTotal{name: s.Name}
			by[s.Name] = t
			list = append(list, t)
		}
		t.add(s)
	}
	slices.SortFunc(list, func(a, b *hostTotal) int {
		return cmp.Or(cmp.Compare(b.time, a.time), strings.Compare(a.name, b.name))
	})
	width := len("operation of the host")
	for _, t := range list {
		width = max(width, len(t.name))
	}
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "%-*s\tcalls\ttime\tmemory\trate\t\n", width, "operation of the host")
	for _, t := range list {
		memory, rate := t.rates()
		fmt.Fprintf(w, "%-*s\t%d\t%s\t%s\t%s\t\n", width, t.name, t.calls, seconds(t.time.Seconds()), memory, rate)
	}
	_ = w.Flush() // to a Builder
	var out strings.Builder
	for line := range strings.Lines(b.String()) {
		out.WriteString(strings.TrimPrefix(strings.TrimRight(line, " \n"), "  ") + "\n")
	}
	return out.String()
}

// hostTotal is what calls of an operation of the host did.
type hostTotal struct {
	name                 string
	calls, sized, scaled int // how many there were, with known bytes, and with known products
	time                 time.Duration
	bytes, flops         float64
}

func (t *hostTotal) add(s timeline.Span) {
	t.calls++
	t.time += s.Time
	t.bytes += float64(s.Bytes)
	t.flops += float64(s.Flops)
	if s.Bytes > 0 {
		t.sized++
	}
	if s.Flops > 0 {
		t.scaled++
	}
}

// rates tells how much memory the calls used, and how fast they were: by the arithmetic of products and convolutions,
// by the memory of other operations. They are "" where that of a call is not known.
func (t *hostTotal) rates() (memory, rate string) {
	per := func(n float64) string {
		return strconv.FormatFloat(significant(n/max(t.time.Seconds(), 1e-9)/1e9), 'f', -1, 64)
	}
	if t.sized == t.calls {
		memory, rate = bytesText(uint64(t.bytes)), per(t.bytes)+" GB/s"
	}
	if t.scaled == t.calls {
		rate = per(t.flops) + " GFLOP/s"
	}
	return memory, rate
}

// writeTimeline writes the launches of devices and the operations of the host to a file.
func writeTimeline(
	file string, begin time.Time, devices []*rocm.Device, lists [][]rocm.Profile, host []timeline.Span,
) error {
	tracks := []timeline.Track{{Name: "host", Spans: host}}
	for i, d := range devices {
		var spans []timeline.Span
		for _, p := range lists[i] {
			for _, s := range p.Spans {
				spans = append(spans, timeline.Span{Name: p.Kernel, Start: s.Start, Time: s.Time})
			}
		}
		tracks = append(tracks, timeline.Track{Name: d.String(), Spans: timeline.Lanes(spans)})
	}
	var b bytes.Buffer
	if err := timeline.Write(&b, begin, tracks); err != nil {
		return err
	}
	return os.WriteFile(file, b.Bytes(), 0o644)
}

// timelineText says how much a file holds, and what it lacks.
func timelineText(lists [][]rocm.Profile, host []timeline.Span, lost int) string {
	launches, kept := 0, 0
	for _, list := range lists {
		for _, p := range list {
			launches, kept = launches+int(p.Launches), kept+len(p.Spans)
		}
	}
	text := launchesText(kept) + ", " + count(len(host), "operation") + " of the host"
	if more := launches - kept + lost; more > 0 {
		text += fmt.Sprintf("; %d more were too many", more)
	}
	return text
}

func launchesText(n int) string {
	if n == 1 {
		return "1 kernel launch"
	}
	return fmt.Sprintf("%d kernel launches", n)
}
