package rocm

// ownMemory is the memory of a capture. A graph runs its launches in the order of the capture, so that what is freed
// during the capture can be the memory of later allocations in it. Every buffer of the capture has its memory from a
// buffer that holds it for the graph.
type ownMemory struct {
	list   []*Buffer         // all that hold memory
	unused map[int][]*Buffer // those whose memory was freed, by size
}

// allocIn gives b memory of the capture.
func (c *Recording) allocIn(b *Buffer, n int) error {
	size := c.device.pool.classSize(n)
	c.mu.Lock()
	defer c.mu.Unlock()
	var holder *Buffer
	if list := c.own.unused[size]; len(list) > 0 {
		holder, c.own.unused[size] = list[len(list)-1], list[:len(list)-1]
	} else {
		var err error
		if holder, err = c.hold(size); err != nil {
			return err
		}
	}
	b.device, b.n, b.block, b.holder = c.device, n, holder.block, holder
	b.isFreed.Store(false)
	return nil
}

// hold allocates memory that the graph keeps. The caller holds the mutex.
func (c *Recording) hold(n int) (*Buffer, error) {
	b := new(Buffer)
	if err := allocOutside(c.device, b, n); err != nil {
		return nil, err
	}
	b.number = len(c.own.list)
	c.own.list = append(c.own.list, b)
	return b, nil
}

// free makes memory of the capture available to its later allocations. Other memory stays: the graph may use it.
func (c *Recording) free(b *Buffer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if b.holder == nil || !c.owns(b.holder) || b.holder.constant || b.isFreed.Swap(true) {
		return
	}
	size := b.holder.block.class.size
	c.own.unused[size] = append(c.own.unused[size], b.holder)
}

// owns reports whether memory is held for the capture's graph. The caller holds the mutex.
func (c *Recording) owns(holder *Buffer) bool { return c.own.number(holder) >= 0 }

// number returns the place of a holder in the list, or -1.
func (m *ownMemory) number(holder *Buffer) int {
	if holder == nil {
		return -1
	}
	if n := holder.number; n < len(m.list) && m.list[n] == holder {
		return n
	}
	return -1
}
