package host

// What tests with tensors, which are outside of the package, see of it.

const Streamed = streamed

var Tiles = hasTiles

// FuseAs makes deferral as GOROCM_FUSE says until restore is called. fused counts chains that were computed.
func FuseAs(mode string) (fused func() int, restore func()) {
	fusing.computeAll()
	before, now := fusing, newFusion(mode)
	fusing = now
	return func() int { return int(now.fused.Load()) }, func() { now.computeAll(); fusing = before }
}

const (
	MaxPending = maxPending
	TileElems  = tileElems
)
