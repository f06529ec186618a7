package repl

import (
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/gorocm/gorocm/internal/timeline"
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/rocm/emulator"
)

// profile runs code and shows what each kernel, and each operation on the host, did meanwhile.
func (c *Call) profile() *Error {
	s := c.session
	set, args, wrong := c.options("o:")
	if wrong != nil {
		return wrong
	}
	code, wrong := codeOf(c, args)
	if wrong != nil {
		return wrong
	}
	devices, err := profiled()
	if err != nil {
		return c.compileError(err)
	}
	begin := time.Now()
	timeline.Start()
	out := runCode(c.ctx, c, code)
	failed := settle() // deferred results are computed now
	host, lost := timeline.Stop()
	lists := make([][]rocm.Profile, len(devices))
	for i, d := range devices {
		list, err := d.StopProfile()
		if err != nil {
			failed = err
		}
		lists[i] = list
	}
	if file, ok := set['o']; ok {
		if err := writeTimeline(file, begin, devices, lists, host); err != nil {
			return c.failed(err)
		}
		s.print("wrote %s, for ui.perfetto.dev: %s\n", file, timelineText(lists, host, lost))
	} else {
		s.print("%s", profilesText(devices, lists, host))
	}
	if c.reply.Err == nil && c.reply.Exit == nil {
		s.conclude(out, c.reply)
	}
	if c.reply.Err == nil && failed != nil {
		return c.compileError(failed)
	}
	return c.reply.Err
}

// profiled begins the profiles of all open devices; the first GPU is opened where none is.
func profiled() ([]*rocm.Device, error) {
	devices := rocm.OpenDevices()
	if len(devices) == 0 { // the code may open it
		d, err := rocm.Open("rocm")
		if err != nil {
			return nil, err
		}
		devices = append(devices, d)
	}
	for i, d := range devices {
		if err := d.StartProfile(); err != nil {
			for _, d := range devices[:i] {
				_, _ = d.StopProfile() // that of starting counts
			}
			return nil, err
		}
	}
	return devices, nil
}

// profilesText are the kernels of each device, and the operations of the host.
func profilesText(devices []*rocm.Device, lists [][]rocm.Profile, host []timeline.Span) string {
	var b strings.Builder
	for i, d := range devices {
		if len(lists[i]) == 0 {
			continue
		}
		if len(devices) > 1 {
			fmt.Fprintf(&b, "%v\n", d)
		}
		b.WriteString(profileText(lists[i], d.Emulated()))
	}
	if len(host) > 0 {
		if b.Len() > 0 {
			b.WriteString("\n")
		}
		b.WriteString(hostText(host))
	}
	if b.Len() == 0 {
		return profileText(nil, false)
	}
	return b.String()
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
