package rocm

import (
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gorocm/gorocm/rocm/emulator"
	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// Profile is what the launches of a kernel did. On a GPU it has launches, blocks, waves and time only.
type Profile = emulator.Profile

// profiler measures launches on a GPU with events of its stream.
type profiler struct {
	mu       sync.Mutex
	launches []timedLaunch
	base     uintptr   // an event before the first launch
	begun    time.Time // when that was recorded, on an idle stream
}

// timedLaunch is a launch between two events.
type timedLaunch struct {
	kernel        string
	blocks, waves uint64 // 0 for launches of libraries
	begin, end    uintptr
}

// describeLaunch describes a launch that has no events yet.
func describeLaunch(d *Device, f *Function, grid, block [3]int) timedLaunch {
	threads := uint64(block[0] * block[1] * block[2])
	l := timedLaunch{kernel: f.name, blocks: uint64(grid[0]) * uint64(grid[1]) * uint64(grid[2])}
	l.waves = l.blocks * ((threads + uint64(d.info.Wave) - 1) / uint64(max(d.info.Wave, 1)))
	return l
}

// StartProfile begins to count what kernels do, until StopProfile. An emulated device counts instructions and bytes; on
// a GPU, events around each launch tell its time.
func (d *Device) StartProfile() error {
	if err := d.launchDeferred(false); err != nil {
		return err
	}
	if d.drv.Emulator != nil {
		d.drv.Emulator.StartProfile()
		return nil
	}
	if d.drv.EventCreate == nil || d.drv.EventRecord == nil || d.drv.EventElapsed == nil || d.drv.EventDestroy == nil {
		return &Error{Op: "profile", Text: "the driver has no events", Kind: ErrUnsupported}
	}
	if _, err := d.StopProfile(); err != nil {
		return err
	}
	if err := d.Synchronize(); err != nil {
		return err
	}
	p := &profiler{}
	if err := d.call("EventCreate", func() driver.Code { return d.drv.EventCreate(&p.base, 0) }); err != nil {
		return err
	}
	err := d.call("EventRecord", func() driver.Code {
		p.begun = time.Now()
		return d.drv.EventRecord(p.base, d.stream)
	})
	if err != nil {
		// the first error says more
		_ = d.call("EventDestroy", func() driver.Code { return d.drv.EventDestroy(p.base) })
		return err
	}
	d.profiler.Store(p)
	return nil
}

// StopProfile waits for the device and returns what each kernel did since StartProfile, in alphabetical order.
func (d *Device) StopProfile() ([]Profile, error) {
	if err := d.Synchronize(); err != nil {
		if d.drv.Emulator != nil {
			d.drv.Emulator.StopProfile()
		}
		d.profiler.Store(nil)
		return nil, err
	}
	if d.drv.Emulator != nil {
		return d.drv.Emulator.StopProfile(), nil
	}
	p := d.profiler.Swap(nil)
	if p == nil {
		return nil, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	list, err := profilesOf(d, p)
	if gone := d.call("EventDestroy", func() driver.Code { return d.drv.EventDestroy(p.base) }); err == nil {
		err = gone
	}
	if err != nil {
		return nil, err
	}
	return list, nil
}

// profilesOf sums the times of launches by kernel, and destroys their events.
func profilesOf(d *Device, recorded *profiler) ([]Profile, error) {
	by := map[string]*Profile{}
	var failed error // the first; all events are destroyed all the same
	for _, l := range recorded.launches {
		var ms, after float32
		err := d.call("EventElapsed", func() driver.Code { return d.drv.EventElapsed(&ms, l.begin, l.end) })
		if err == nil {
			err = d.call("EventElapsed", func() driver.Code {
				return d.drv.EventElapsed(&after, recorded.base, l.begin)
			})
		}
		for _, e := range []uintptr{l.begin, l.end} {
			if gone := d.call("EventDestroy", func() driver.Code { return d.drv.EventDestroy(e) }); err == nil {
				err = gone
			}
		}
		if failed == nil {
			failed = err
		}
		k := by[l.kernel]
		if k == nil {
			k = &Profile{Kernel: l.kernel, Wave: d.info.Wave}
			by[l.kernel] = k
		}
		k.Launches++
		k.Blocks += l.blocks
		k.Waves += l.waves
		took := time.Duration(float64(ms) * 1e6)
		k.Time += took
		if len(k.Spans) < emulator.MaxSpans {
			start := recorded.begun.Add(time.Duration(float64(after) * 1e6))
			k.Spans = append(k.Spans, emulator.Span{Start: start, Time: took})
		}
	}
	if failed != nil {
		return nil, failed
	}
	list := make([]Profile, 0, len(by))
	for _, k := range by {
		list = append(list, *k)
	}
	slices.SortFunc(list, func(a, b Profile) int { return strings.Compare(a.Kernel, b.Kernel) })
	return list, nil
}

// timeLaunch puts a launch between two events. It is called where the device is current.
func timeLaunch(d *Device, p *profiler, l timedLaunch, launch func() driver.Code) driver.Code {
	for _, e := range []*uintptr{&l.begin, &l.end} {
		if c := d.drv.EventCreate(e, 0); c != 0 {
			destroyEvents(d, l)
			return c
		}
	}
	if c := d.drv.EventRecord(l.begin, d.stream); c != 0 {
		destroyEvents(d, l)
		return c
	}
	if c := launch(); c != 0 {
		destroyEvents(d, l)
		return c
	}
	p.mu.Lock()
	p.launches = append(p.launches, l)
	p.mu.Unlock()
	return d.drv.EventRecord(l.end, d.stream)
}

// destroyEvents destroys the events of a launch that has failed.
func destroyEvents(d *Device, l timedLaunch) {
	for _, e := range []uintptr{l.begin, l.end} {
		if e != 0 {
			_ = d.drv.EventDestroy(e) // the first error says more
		}
	}
}

// OpenDevices returns the devices that are open, by name.
func OpenDevices() []*Device { return openDevices() }
