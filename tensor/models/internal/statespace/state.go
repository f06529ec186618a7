package statespace

import "github.com/gorocm/gorocm/tensor"

// State is what a layer knows of one text, or of several of which it reads a token each. Its tensors are changed in
// place.
type State struct {
	texts  int
	rows   *tensor.Tensor // [kernel-1 texts channels]: what the convolution has read last
	states *tensor.Tensor // F32 [texts·inner state]
}

// NewState returns the state before a text.
func NewState(c *Config, dtype tensor.DType, dev *tensor.Device) *State {
	return NewPool(c, 1, dtype, dev).State(0)
}

// Reset forgets the text.
func (s *State) Reset() {
	s.rows.CopySet(s.rows.ZerosLike())
	s.states.CopySet(s.states.ZerosLike())
}

// Pool has the states of several texts, each in a slot.
type Pool struct {
	rows   *tensor.Tensor // [slots kernel-1 channels]
	states *tensor.Tensor // F32 [slots inner state]
}

// NewPool returns a pool of so many states before a text.
func NewPool(c *Config, slots int, dtype tensor.DType, dev *tensor.Device) *Pool {
	return &Pool{rows: dev.Zeros(dtype, slots, c.Kernel-1, c.channels()).Kept(),
		states: dev.Zeros(tensor.F32, slots, c.Inner, c.State).Kept()}
}

// State is that of a slot, in the memory of the pool.
func (p *Pool) State(slot int) *State {
	return &State{texts: 1, rows: p.rows.Get(slot).Unsqueeze(1), states: p.states.Get(slot)}
}

// Free gives the memory back.
func (p *Pool) Free() {
	p.rows.Free()
	p.states.Free()
}

// gather copies the states of slots, U32 [texts].
func (p *Pool) gather(slots *tensor.Tensor) *State {
	n, d := slots.Dim(0), p.states.Dims()
	return &State{texts: n, rows: p.rows.IndexSelect(slots, 0).Transpose(0, 1).Contiguous(),
		states: p.states.IndexSelect(slots, 0).Reshape(n*d[1], d[2])}
}

// set writes what gather gave back to the slots.
func (p *Pool) set(slots *tensor.Tensor, s *State) {
	for _, x := range []struct{ pool, new *tensor.Tensor }{{p.rows, s.rows.Transpose(0, 1)},
		{p.states, s.states.Reshape(s.texts, p.states.Dim(1), p.states.Dim(2))}} {
		x.pool.ScatterSet(slots.Reshape(s.texts, 1, 1).BroadcastAs(x.new.Dims()...), x.new, 0)
	}
}

// Part is some rows of a pass through a layer: those of one text, or one of each of several.
type Part struct {
	Rows  int            // after those of the parts before
	State *State         // of the text, or nil for texts in
	Pool  *Pool          // of which
	Slots *tensor.Tensor // U32 [rows] are theirs
}

// ofParts joins what f gives for each part: rows takes the part's rows of a tensor of all, a position of each text
// after the other.
func ofParts(
	parts []Part, f func(rows func(*tensor.Tensor) *tensor.Tensor, s *State) *tensor.Tensor,
) *tensor.Tensor {
	var all []*tensor.Tensor
	first := 0
	for _, p := range parts {
		rows := func(t *tensor.Tensor) *tensor.Tensor { return t }
		if len(parts) > 1 {
			from := first
			rows = func(t *tensor.Tensor) *tensor.Tensor { return t.Narrow(0, from, p.Rows) }
		}
		first += p.Rows
		if p.State != nil {
			all = append(all, f(rows, p.State))
			continue
		}
		s := p.Pool.gather(p.Slots)
		all = append(all, f(rows, s))
		p.Pool.set(p.Slots, s)
	}
	if len(all) == 1 {
		return all[0]
	}
	return tensor.Cat(all, 0)
}
