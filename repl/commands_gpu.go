package repl

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gorocm/gorocm/rocm"
)

// gpu shows the state of the GPUs, and how much of their memory this session uses.
func (c *Call) gpu() *Error {
	s := c.session
	if c.Args != "" {
		return c.wrong("it takes no arguments")
	}
	open := rocm.OpenDevices()
	devices := rocm.Devices()
	if len(devices) == 0 {
		s.print("no GPU: %s\n", rocm.Default())
		return nil
	}
	for _, i := range devices {
		lines := []string{i.Label()}
		if i.Platform != rocm.Emulated {
			if sensors, err := rocm.ReadSensors(i); err != nil {
				first, _, _ := strings.Cut(strings.TrimPrefix(err.Error(), "rocm: "), "\n")
				lines = append(lines, "no sensors: "+first)
			} else {
				lines = append(lines, sensors.String())
			}
		}
		own := slices.DeleteFunc(slices.Clone(open),
			func(d *rocm.Device) bool { return d.Info().Device() != i.Device() })
		if len(own) == 0 {
			lines = append(lines, "not opened by this session")
		}
		for _, d := range own {
			m := d.Memory()
			lines = append(lines, fmt.Sprintf("%v: %s in %d buffers of this session, at most %s so far, %s kept for the next ones", d, bytesText(uint64(m.InUse)), m.Buffers,
				bytesText(uint64(m.Peak)), bytesText(uint64(m.Reserved-m.InUse))))
		}
		s.print("%s\n", strings.Join(lines, "\n  "))
	}
	return nil
}
