package nn

import "github.com/gorocm/gorocm/tensor"

// KVCache keeps the keys and values of a layer of attention.
type KVCache struct{ K, V *Cache }

// NewKVCache returns a cache that grows along dim, that of the positions, by capacity at a time.
func NewKVCache(dim, capacity int) *KVCache {
	return &KVCache{NewCache(dim, capacity), NewCache(dim, capacity)}
}

// Len returns how many positions were appended since the last Reset.
func (c *KVCache) Len() int { return c.K.Len() }

// Reset forgets all positions. The memory is kept.
func (c *KVCache) Reset() { c.K.Reset(); c.V.Reset() }

// Append adds keys and values, and returns all so far, which share the memory of the cache.
func (c *KVCache) Append(k, v *tensor.Tensor) (keys, values *tensor.Tensor) {
	return c.K.Append(k), c.V.Append(v)
}

// Put writes keys and values of one position, whose number is in device memory, and returns those of all positions.
// See Cache.Put.
func (c *KVCache) Put(k, v, place *tensor.Tensor) (keys, values *tensor.Tensor) {
	return c.K.Put(k, place), c.V.Put(v, place)
}

// Advance counts n positions that Put has written.
func (c *KVCache) Advance(n int) { c.K.Advance(n); c.V.Advance(n) }

// RotatingKVCache keeps the last keys and values of a layer of attention that sees no further back.
type RotatingKVCache struct{ K, V *RotatingCache }

// NewRotatingKVCache returns a cache of the last size positions along dim.
func NewRotatingKVCache(dim, size int) *RotatingKVCache {
	return &RotatingKVCache{NewRotatingCache(dim, size), NewRotatingCache(dim, size)}
}

// Len returns how many positions were appended since the last Reset, replaced ones among them.
func (c *RotatingKVCache) Len() int { return c.K.Len() }

// Reset forgets all positions. The memory is kept.
func (c *RotatingKVCache) Reset() { c.K.Reset(); c.V.Reset() }

// Append adds keys and values, and returns those that are kept, in the order of the ring. See RotatingCache.Append.
func (c *RotatingKVCache) Append(k, v *tensor.Tensor) (keys, values *tensor.Tensor) {
	return c.K.Append(k), c.V.Append(v)
}

// AttnMask returns a mask of the keys that Append will return for n more positions: see RotatingCache.AttnMask.
func (c *RotatingKVCache) AttnMask(n int, dev *tensor.Device) *tensor.Tensor {
	return c.K.AttnMask(n, dev)
}
