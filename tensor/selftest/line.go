package selftest

import (
	"fmt"
	"strings"
)

// Lines are one line for each GPU, to paste where a report is talked about: what it is, whether all is right, and the
// speeds that matter. A machine without a GPU has the line of its CPU.
func (r *Report) Lines() []string {
	var lines []string
	for _, d := range r.Devices {
		if d.Info.Platform != "" || d.Problem != "" || len(r.Devices) == 1 {
			lines = append(lines, r.line(d))
		}
	}
	return lines
}

func (r *Report) line(d *Device) string {
	parts := []string{"gorocm " + r.Version, d.Name}
	if i := d.Info; i.Platform != "" {
		parts = append(parts, fmt.Sprintf("%s, %s, %d units", i.Name, i.Arch, i.ComputeUnits), i.Runtime)
	}
	if d.Problem != "" {
		return strings.Join(append(parts, "NOT USABLE: "+beginning(d.Problem)), " | ")
	}
	counts, cases, failures := d.counts()
	verdict := fmt.Sprintf("%d of %d cases failed", failures, cases)
	if counts[Failed]+counts[Died] == 0 {
		verdict = fmt.Sprintf("all right in %d cases", cases)
	}
	if n := counts[NotRun]; n > 0 {
		verdict += fmt.Sprintf(", %d of %d checks not run", n, len(d.Checks))
	}
	parts = append(parts, verdict)
	for _, c := range d.Checks {
		if (c.State == Failed || c.State == Died) && len(parts) < 8 {
			parts = append(parts, c.State+": "+c.Name)
		}
	}
	for _, name := range []string{"copy f32", "matmul f32", "matmul f16", "first compilation of add_f32"} {
		for _, s := range d.Speeds {
			if s.Name != name {
				continue
			}
			text := fmt.Sprintf("%s %s %s", strings.TrimSuffix(name, " of add_f32"), significant(s.Value), s.Unit)
			if share, words := s.Share(); words != "" {
				text += fmt.Sprintf(" (%.0f %%)", 100*share)
			}
			if s.Own > 0 {
				text += fmt.Sprintf(", own %.2f of it", s.Own/s.Value)
			}
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, " | ")
}
