package models

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"
)

// blockPool gives blocks of the cache to texts. A full block stays known by its tokens and those before it, also when
// no text has it any more: texts that begin alike share blocks, and a text that is read again finds its own. Blocks
// that were left first are the first to be used for something else. Each text has a slot, too, for the states of
// layers; with those, texts share no blocks: a state is that after the last token alone.
type blockPool struct {
	size  int              // positions of a block
	slots []int            // that no text has
	apart bool             // texts share no blocks
	free  []int            // blocks that have nothing
	texts []int            // how many texts have each block
	keys  []blockKey       // of each known block
	known map[blockKey]int // full blocks
	idle  []int            // known blocks that no text has, the first that was left first
}

// blockKey says what a full block has: a hash of its tokens and of all before them. The zero value is none.
type blockKey [sha256.Size]byte

// newBlockPool returns a pool of so many blocks, and of slots for so many texts, after the scrap.
func newBlockPool(blocks, size, texts int) *blockPool {
	p := &blockPool{size: size, texts: make([]int, blocks+1), keys: make([]blockKey, blocks+1),
		known: map[blockKey]int{}}
	for block := blocks; block > scrap; block-- {
		p.free = append(p.free, block)
	}
	for slot := texts; slot > scrap; slot-- {
		p.slots = append(p.slots, slot)
	}
	return p
}

// begin gives a text a slot.
func (p *blockPool) begin(c *Completion) {
	last := len(p.slots) - 1
	c.slot, p.slots = p.slots[last], p.slots[:last]
}

// available is how many blocks take can give.
func (p *blockPool) available() int { return len(p.free) + len(p.idle) }

// blocksOf is how many blocks so many positions need.
func (p *blockPool) blocksOf(positions int) int { return (positions + p.size - 1) / p.size }

// take appends n blocks to those of a text. They must be available.
func (p *blockPool) take(c *Completion, n int) {
	for range n {
		var block int
		if last := len(p.free) - 1; last >= 0 {
			block, p.free = p.free[last], p.free[:last]
		} else {
			block, p.idle = p.idle[0], p.idle[1:]
			delete(p.known, p.keys[block])
			p.keys[block] = blockKey{}
		}
		p.texts[block] = 1
		c.table = append(c.table, block)
	}
}

// share gives a text without blocks the known ones that it begins with, and so has read. At least one token is left to
// be read, after which the next one is chosen.
func (p *blockPool) share(c *Completion) {
	for i := 0; !p.apart && (i+1)*p.size < len(c.tokens); i++ {
		block, known := p.known[p.key(c, i)]
		if !known {
			break
		}
		if p.texts[block]++; p.texts[block] == 1 {
			p.idle = slices.DeleteFunc(p.idle, func(b int) bool { return b == block })
		}
		c.table = append(c.table, block)
	}
	c.read, c.known = len(c.table)*p.size, len(c.table)
}

// read makes the full blocks known of which a text has read all tokens.
func (p *blockPool) read(c *Completion) {
	for ; !p.apart && (c.known+1)*p.size <= c.read; c.known++ {
		key, block := p.key(c, c.known), c.table[c.known]
		if _, known := p.known[key]; !known { // else two texts have read the same at once
			p.known[key], p.keys[block] = block, key
		}
	}
}

// key is what block i of a text has, when it is full.
func (p *blockPool) key(c *Completion, i int) blockKey {
	for at := len(c.keys); at <= i; at++ {
		var data []byte
		if at > 0 {
			data = append(data, c.keys[at-1][:]...)
		}
		for _, id := range c.tokens[at*p.size : (at+1)*p.size] { // those of images have more than 32 bits, in time
			data = binary.LittleEndian.AppendUint64(data, uint64(id))
		}
		c.keys = append(c.keys, sha256.Sum256(data))
	}
	return c.keys[i]
}

// release takes the slot and all blocks of a text: it would have to be read again. Its last block is the first to be
// used for something else.
func (p *blockPool) release(c *Completion) {
	for _, block := range slices.Backward(c.table) {
		if p.texts[block]--; p.texts[block] > 0 {
			continue
		}
		if p.keys[block] == (blockKey{}) {
			p.free = append(p.free, block)
		} else {
			p.idle = append(p.idle, block)
		}
	}
	if c.slot != scrap {
		p.slots = append(p.slots, c.slot)
	}
	c.table, c.read, c.known, c.slot = nil, 0, 0, scrap
}
