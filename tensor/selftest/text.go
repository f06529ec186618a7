package selftest

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/gorocm/gorocm/rocm"
)

// Text writes the report for people: first what failed and what was found, then the details.
func (r *Report) Text(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "gorocm %s selftest, %s, %.0f s\n", r.Version, r.Time.Format("2006-01-02 15:04 MST"), r.Seconds)
	m := r.Machine
	rows := [][]string{{"system", m.System},
		{"processor", fmt.Sprintf("%s, %d cores, %s", m.CPU, m.Cores, size(m.Memory))},
		{"ROCm", orNone(m.ROCm)}, {"amdgpu", orNone(m.AMDGPU)}, {"nvidia", orNone(m.NVIDIA)}, {"Go", m.Go}}
	for _, name := range slices.Sorted(maps.Keys(r.Environment)) {
		rows = append(rows, []string{name, r.Environment[name]})
	}
	table(&b, "", rows)
	rows = nil
	for _, l := range r.Libraries {
		state := strings.TrimPrefix(l.Version+", ", ", ") + l.Path
		if l.Problem != "" {
			state = strings.TrimPrefix(l.Problem, "rocm: ")
		}
		rows = append(rows, []string{l.Name, state})
	}
	table(&b, "Libraries", rows)
	for _, d := range r.Devices {
		d.text(&b)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func orNone(s string) string {
	if s == "" {
		return "not found"
	}
	return s
}

// table writes rows of columns under a title.
func table(b *strings.Builder, title string, rows [][]string) {
	if title != "" {
		b.WriteString("\n" + title + "\n")
	}
	t := tabwriter.NewWriter(b, 0, 8, 2, ' ', 0)
	for _, row := range rows {
		fmt.Fprintln(t, "  "+strings.TrimRight(strings.Join(row, "\t"), "\t"))
	}
	_ = t.Flush() // a strings.Builder takes everything
}

func (d *Device) text(b *strings.Builder) {
	title := d.Name
	if i := d.Info; i.Platform != "" {
		title += fmt.Sprintf(": %s, %s, waves of %d, %d units, %s, %s", i.Name, i.Arch, i.Wave, i.ComputeUnits,
			size(i.TotalMemory), i.Runtime)
		if i.Platform == rocm.Emulated {
			title = fmt.Sprintf("%s: %s, %s\n  It runs AMD's instructions, and says nothing of speeds, AMD's driver, its libraries, "+
				"and what a fault does to a GPU.", d.Name, i.Name, i.Note)
		}
	}
	fmt.Fprintf(b, "\n%s\n", title)
	if d.Problem != "" {
		fmt.Fprintf(b, "  NOT USABLE: %s\n", indented(d.Problem))
	}
	if d.BLAS != "" {
		fmt.Fprintf(b, "  matrices are multiplied by %s\n", d.BLAS)
	}
	if d.DNN != "" {
		fmt.Fprintf(b, "  images are convolved by %s\n", d.DNN)
	}
	for _, f := range d.Facts {
		fmt.Fprintf(b, "  %s: %s\n", f.Name, indented(f.Text))
	}
	counts, cases, failures := d.counts()
	var parts []string
	for _, state := range []string{Passed, Failed, Died, Skipped, NotRun} {
		if n := counts[state]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, state))
		}
	}
	if len(d.Checks) == 0 {
		return
	}
	fmt.Fprintf(b, "  checks: %s; %d of %d cases failed; %.0f s\n", strings.Join(parts, ", "), failures, cases,
		d.Seconds)
	for _, c := range d.Checks {
		if c.State == Passed || c.State == NotRun {
			continue
		}
		fmt.Fprintf(b, "  %s: %s", strings.ToUpper(c.State), c.Name)
		if c.Failures > 0 {
			fmt.Fprintf(b, ", %d of %d cases", c.Failures, c.Cases)
		}
		b.WriteString("\n")
		for _, f := range c.Findings {
			fmt.Fprintf(b, "    %s\n", indented(f))
		}
	}
	if counts[NotRun] > 0 {
		b.WriteString("  There was no time for all of it: " + d.moreTime() + ".\n")
	}
	if len(d.Speeds) > 0 {
		title := "  speeds"
		if d.Card != nil {
			title += fmt.Sprintf(", and shares of what the %s is said to reach (%s)", d.Card.Name, d.Card.Sources)
		} else if d.Info.Platform != "" {
			title += d.withoutCard()
		}
		var rows [][]string
		for _, s := range d.Speeds {
			rows = append(rows, []string{"  " + s.Name, significant(s.Value) + " " + s.Unit, s.shareText(),
				s.ownText()})
		}
		table(b, title, rows)
	}
}

// counts counts the checks by state, and their cases.
func (d *Device) counts() (states map[string]int, cases, failures int) {
	states = map[string]int{}
	for _, c := range d.Checks {
		states[c.State]++
		cases += c.Cases
		failures += c.Failures
	}
	return states, cases, failures
}

// moreTime says how to get further.
func (d *Device) moreTime() string {
	switch d.Info.Platform {
	case "", rocm.Emulated:
		return "--time 10m gets further; go test runs all operations here, too"
	}
	return "kernels that were compiled are kept; run it again, or with --time 10m"
}

// withoutCard says why speeds are no shares.
func (d *Device) withoutCard() string {
	if d.Info.Platform == rocm.Emulated {
		return " (an emulated GPU: they say nothing about any card)"
	}
	return " (gorocm has no data sheet of this card)"
}

// shareText is the share of the data sheet's rate in words.
func (s Speed) shareText() string {
	share, words := s.Share()
	if words == "" {
		return ""
	}
	return fmt.Sprintf("%.0f %% of %s, %s (%.0f to %.0f %%)", 100*share, significant(s.Peak), words, 100*s.Low,
		100*s.High)
}

// ownText compares gorocm's kernels with the library.
func (s Speed) ownText() string {
	if s.Own == 0 {
		return ""
	}
	return fmt.Sprintf("gorocm's kernels %s, %.2f of it", significant(s.Own), s.Own/s.Value)
}

// indented indents all lines of a text but the first.
func indented(s string) string { return strings.ReplaceAll(s, "\n", "\n      ") }

// significant is a positive number with three digits, or all those before its point.
func significant(v float64) string {
	if v <= 0 {
		return "0"
	}
	return fmt.Sprintf("%.*f", max(0, 2-int(math.Floor(math.Log10(v)))), v)
}
