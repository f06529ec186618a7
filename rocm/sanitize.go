package rocm

import (
	"os"
	"strings"

	"github.com/gorocm/gorocm/rocm/emulator"
)

// Checks are what the launches of an emulated device check besides that accesses are inside buffers. Checked launches
// take 10 to 100 times as long.
type Checks struct {
	// Races: two work-items touch the same bytes of shared or global memory, at least one stores, and no barrier or
	// atomic operation orders them.
	Races bool
	// Init: a kernel loads uninitialised shared or global memory.
	Init bool
}

// String returns the checks as GOROCM_SANITIZE takes them: "race,init"; "off" for none.
func (c Checks) String() string {
	var list []string
	if c.Races {
		list = append(list, "race")
	}
	if c.Init {
		list = append(list, "init")
	}
	if len(list) == 0 {
		return "off"
	}
	return strings.Join(list, ",")
}

// ParseChecks reads what GOROCM_SANITIZE and %sanitize take: race, init, or both with a comma between; on and 1 for
// both, off and 0 for none.
func ParseChecks(text string) (c Checks, err error) {
	for word := range strings.SplitSeq(text, ",") {
		switch strings.ToLower(strings.TrimSpace(word)) {
		case "", "0", "off":
		case "1", "on", "all":
			c.Races, c.Init = true, true
		case "race", "races":
			c.Races = true
		case "init":
			c.Init = true
		default:
			return Checks{}, invalid("sanitize", "%q is not a check: want race, init, on or off", word)
		}
	}
	return c, nil
}

// checksFromEnvironment are those that GOROCM_SANITIZE asks for.
func checksFromEnvironment() (Checks, error) { return ParseChecks(os.Getenv("GOROCM_SANITIZE")) }

func (c Checks) emulator() (bits emulator.Check) {
	if c.Races {
		bits |= emulator.CheckRaces
	}
	if c.Init {
		bits |= emulator.CheckInit
	}
	return bits
}

// SetChecks says what the launches from now on check. A kernel that fails a check is an error of kind ErrFault with
// both work-items, instructions and lines of source. Only the emulated device checks; for others the error has the kind
// ErrUnsupported. GOROCM_SANITIZE sets them from the beginning.
func (d *Device) SetChecks(c Checks) error {
	if d.drv.Emulator == nil {
		return &Error{Op: "sanitize", Text: "only the emulated GPU checks kernels: set GOROCM_EMULATE=1, or " +
			"use the vendor's tools", Kind: ErrUnsupported}
	}
	d.drv.Emulator.SetChecks(c.emulator())
	keepUnused(d, !c.Init)
	return nil
}

// Checks returns what the device's launches check.
func (d *Device) Checks() Checks {
	if d.drv.Emulator == nil {
		return Checks{}
	}
	bits := d.drv.Emulator.Checks()
	return Checks{Races: bits&emulator.CheckRaces != 0, Init: bits&emulator.CheckInit != 0}
}

// keepUnused sets whether the pool caches freed memory. Without a cache, the emulator knows which memory is
// uninitialised.
func keepUnused(d *Device, keep bool) {
	d.pool.mu.Lock()
	d.pool.unusedLimit = emulatedUnused
	if !keep {
		d.pool.unusedLimit = 1
	}
	d.pool.mu.Unlock()
	if !keep {
		d.Trim()
	}
}
