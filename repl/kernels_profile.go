package repl

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/rocm/emulator"
)

// profile runs code and shows what each kernel did meanwhile.
func (c *Call) profile() *Error {
	s := c.session
	code, wrong := codeOf(c, c.Args)
	if wrong != nil {
		return wrong
	}
	devices := rocm.OpenDevices()
	if len(devices) == 0 { // the code may open it
		d, err := rocm.Open("rocm")
		if err != nil {
			return c.compileError(err)
		}
		devices = append(devices, d)
	}
	for i, d := range devices {
		if err := d.StartProfile(); err != nil {
			for _, d := range devices[:i] {
				_, _ = d.StopProfile() // that of starting counts
			}
			return c.compileError(err)
		}
	}
	out := runCode(c.ctx, c, code)
	var failed error
	for _, d := range devices {
		list, err := d.StopProfile()
		if err != nil {
			failed = err
			continue
		}
		if len(devices) > 1 && len(list) > 0 {
			s.print("%v\n", d)
		}
		s.print("%s", profileText(list, d.Emulated()))
	}
	if c.reply.Err == nil && c.reply.Exit == nil {
		s.conclude(out, c.reply)
	}
	if c.reply.Err == nil && failed != nil {
		return c.compileError(failed)
	}
	return c.reply.Err
}

// profileText is a line for each kernel, and below it what only an emulated device can tell.
func profileText(list []rocm.Profile, emulated bool) string {
	if len(list) == 0 {
		return "no kernel ran\n"
	}
	var b strings.Builder
	head := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	more := make([]string, len(list))
	width := len("kernel")
	for i := range list {
		width = max(width, len(list[i].Kernel))
	}
	columns := "launches\tblocks\twaves\ttime\t\n"
	if emulated {
		columns = "launches\tblocks\twaves\tinstructions\ttime\t\n"
	}
	fmt.Fprintf(head, "%-*s\t%s", width, "kernel", columns)
	for i := range list {
		p := &list[i]
		fmt.Fprintf(head, "%-*s\t%d\t%d\t%d\t", width, p.Kernel, p.Launches, p.Blocks, p.Waves)
		if emulated {
			fmt.Fprintf(head, "%d\t", p.Executed())
			more[i] = profileDetails(p)
		}
		fmt.Fprintf(head, "%s\t\n", seconds(p.Time.Seconds()))
	}
	_ = head.Flush() // to a Builder
	lines := strings.SplitAfter(strings.TrimRight(b.String(), "\n"), "\n")
	b.Reset()
	for i, line := range lines {
		b.WriteString(strings.TrimPrefix(strings.TrimRight(line, " \n"), "  ") + "\n")
		if i > 0 {
			b.WriteString(more[i-1])
		}
	}
	return b.String()
}

// profileDetails are the counts of an emulated device.
func profileDetails(p *rocm.Profile) string {
	var b strings.Builder
	var parts []string
	for class, n := range p.Instructions {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%v %d", emulator.Class(class), n))
		}
	}
	fmt.Fprintf(&b, "  %s; %.1f%% of lanes on\n", strings.Join(parts, ", "), 100*p.Utilisation())
	if p.Lines > 0 {
		fmt.Fprintf(&b, "  global memory: %s read, %s written, %d accesses to lines of 128 B\n", bytesText(p.BytesRead),
			bytesText(p.BytesWritten), p.Lines)
	}
	if p.LDSRead+p.LDSWritten > 0 {
		fmt.Fprintf(&b, "  shared memory: %s read, %s written, %d bank conflicts, %d barriers\n", bytesText(p.LDSRead),
			bytesText(p.LDSWritten), p.Conflicts, p.Barriers)
	}
	return b.String()
}

func bytesText(n uint64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	case n >= 10<<10:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%d B", n)
}

// sanitize shows or sets what launches on the emulated device check.
func (c *Call) sanitize() *Error {
	s := c.session
	d, err := rocm.Open("rocm")
	if err != nil {
		return c.compileError(err)
	}
	if c.Args != "" {
		checks, err := rocm.ParseChecks(strings.Join(strings.Fields(c.Args), ","))
		if err != nil {
			return c.wrong("%s", c.Args+" is not a check: want race, init, on or off")
		}
		if err := d.SetChecks(checks); err != nil {
			return c.compileError(err)
		}
	}
	s.print("%v checks: %v\n", d, d.Checks())
	return nil
}

// completeSanitize completes what %sanitize takes.
func completeSanitize(_ *Local, args string) Completion {
	return words(args, "argument", []string{"race", "init", "on", "off"})
}
