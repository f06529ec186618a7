package timeline

import (
	"encoding/json"
	"io"
	"slices"
	"time"
)

// Track is what ran on a device.
type Track struct {
	Name  string
	Spans []Span
}

// Lanes gives spans lanes in which none overlaps another, and sorts them by their start.
func Lanes(spans []Span) []Span {
	slices.SortStableFunc(spans, func(a, b Span) int { return a.Start.Compare(b.Start) })
	var ends []time.Time
	for i := range spans {
		lane := slices.IndexFunc(ends, func(end time.Time) bool { return !end.After(spans[i].Start) })
		if lane < 0 {
			lane = len(ends)
			ends = append(ends, time.Time{})
		}
		ends[lane] = spans[i].Start.Add(spans[i].Time)
		spans[i].Lane = lane
	}
	return spans
}

// event is an event of Chrome's trace event format: "X" has a duration, "M" names a process or a thread. Times are in
// microseconds.
type event struct {
	Name  string         `json:"name"`
	Phase string         `json:"ph"`
	Time  float64        `json:"ts"`
	Took  *float64       `json:"dur,omitempty"`
	Pid   int            `json:"pid"`
	Tid   int            `json:"tid"`
	Args  map[string]any `json:"args,omitempty"`
}

// Write writes the tracks as a JSON file, with times counted from begin. Each track is a process of its own, and each
// lane of one a thread.
func Write(w io.Writer, begin time.Time, tracks []Track) error {
	micro := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 }
	events := []event{}
	for i, t := range tracks {
		pid := i + 1
		named := map[string]any{"name": t.Name}
		events = append(events, event{Name: "process_name", Phase: "M", Pid: pid, Args: named})
		for _, s := range t.Spans {
			took := micro(s.Time)
			known := map[string]any{}
			for key, n := range map[string]int{"operations": s.Steps, "bytes": s.Bytes, "flops": s.Flops} {
				if n > 0 {
					known[key] = n
				}
			}
			events = append(events, event{Name: s.Name, Phase: "X", Time: micro(s.Start.Sub(begin)), Took: &took,
				Pid: pid, Tid: s.Lane + 1, Args: known})
		}
	}
	return json.NewEncoder(w).Encode(map[string]any{"traceEvents": events, "displayTimeUnit": "ms"})
}
