package rocm

import "slices"

// On returns the group with its work on other streams (see Device.NewStream), one for each device of this process, so
// that it overlaps with what the devices' own streams do. Operands stay buffers of the group's devices. Only WaitStream
// orders the streams, stream.WaitStream(device) before a call and device.WaitStream(stream) before its results are
// used, and until then operands must not be freed. All calls of the group, on whichever stream, have one order in all
// processes; Close closes it for all streams.
func (g *Group) On(streams ...*Device) (*Group, error) {
	const op = "group on streams"
	if len(streams) != len(g.devices) {
		return nil, invalid(op, "%d streams for %d devices", len(streams), len(g.devices))
	}
	for i, s := range streams {
		if s == nil || !sameGPU(s, g.devices[i]) {
			return nil, invalid(op, "stream %d is not one of %v: %v", i, g.devices[i], s)
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, s := range streams {
		if !slices.Contains(g.busy, s) {
			g.busy = append(slices.Clone(g.busy), s)
		}
	}
	return &Group{g.devices, slices.Clone(streams), g.rank, g.world, g.exchange}, nil
}
