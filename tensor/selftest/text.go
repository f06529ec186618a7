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
		fmt.Fprintln(t, "  "+strings.Join(row, "\t"))
	}
	_ = t.Flush() // a strings.Builder takes everything
}

func (d *Device) text(b *strings.Builder) {
	title := d.Name
	if i := d.Info; i.Platform != "" {
		title += fmt.Sprintf(": %s, %s, waves of %d, %d units, %s, %s", i.Name, i.Arch, i.Wave, i.ComputeUnits,
			size(i.TotalMemory), i.Runtime)
		if i.Platform == rocm.Emulated {
			title = fmt.Sprintf("%s: %s, %s", d.Name, i.Name, i.Note)
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
	counts := map[string]int{}
	cases, failures := 0, 0
	for _, c := range d.Checks {
		counts[c.State]++
		cases += c.Cases
		failures += c.Failures
	}
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
		b.WriteString("  There was no time for all of it. Kernels that were compiled are kept: run it again, or " +
			"with --time 10m.\n")
	}
	if len(d.Speeds) > 0 {
		var rows [][]string
		for _, s := range d.Speeds {
			rows = append(rows, []string{"  " + s.Name, significant(s.Value) + " " + s.Unit})
		}
		table(b, "  speeds", rows)
	}
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
