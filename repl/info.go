package repl

import (
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/gorocm/gorocm/rocm"
)

// Info describes the session. Device is empty until it is known.
func (s *Local) Info() Info {
	i := about(s.opt.Version, deviceLabel())
	i.Memory, i.Busy = deviceMemory(), busyDevice()
	return i
}

// About is what is known of a session that has not begun.
func About(version string) Info { return about(version, "") }

func about(version, device string) Info {
	i := Info{Version: version, Go: "go1.26", Device: device}
	i.Banner = strings.TrimSpace("gorocm "+version) + " · Go 1.26 · "
	if device != "" {
		i.Banner += device + " · "
	}
	i.Banner += "%help"
	return i
}

// labelWait bounds how long Info waits for the GPU's driver, which may take long to start.
const labelWait = 300 * time.Millisecond

// foundDevice holds the label of the device that "rocm" opens, once it is known. Looking for it starts with the first
// question.
var foundDevice = sync.OnceValue(func() chan string {
	c := make(chan string, 1)
	go func() { c <- rocm.Default() }()
	return c
})

// deviceLabel describes the device that "rocm" opens, or is empty when that is not known yet.
func deviceLabel() string {
	c := foundDevice()
	select {
	case label := <-c:
		c <- label
		return label
	case <-time.After(labelWait):
		return ""
	}
}

// buildVersion is the version that the go command has stamped into the program.
func buildVersion() string {
	if b, ok := debug.ReadBuildInfo(); ok && b.Main.Version != "(devel)" {
		return b.Main.Version
	}
	return ""
}
