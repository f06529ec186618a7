package nn

import (
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// Cache holds what was appended to it along a dim, as the keys or the values of a transformer. It grows by its first
// capacity.
type Cache struct {
	dim, capacity, n int
	data             *tensor.Tensor
}

// NewCache returns a cache that grows along dim by capacity elements at a time.
func NewCache(dim, capacity int) *Cache { return &Cache{dim: dim, capacity: max(capacity, 1)} }

// Len returns how many elements were appended since the last Reset.
func (c *Cache) Len() int { return c.n }

// Reset forgets the elements. The memory is kept.
func (c *Cache) Reset() { c.n = 0 }

// Truncate forgets all but the first n elements; the next ones replace the others. It panics with ErrShape when there
// are fewer.
func (c *Cache) Truncate(n int) {
	if n < 0 || n > c.n {
		extend.Shape("cache", nil, "the first %d elements of %d cannot stay", n, c.n)
	}
	c.n = n
}

// Append adds the elements of x, and returns all elements so far. They share the memory of the cache: they are valid
// until Reset.
func (c *Cache) Append(x *tensor.Tensor) *tensor.Tensor {
	c.reserve(x)
	c.data.SliceSet(x, c.dim, c.n)
	c.n += x.Dim(c.dim)
	return c.data.Narrow(c.dim, 0, c.n)
}

// reserve grows the memory for the elements of x.
func (c *Cache) reserve(x *tensor.Tensor) {
	n, size := x.Dim(c.dim), c.Capacity()
	if c.n+n <= size {
		return
	}
	grown := space(x, c.dim, size+(c.n+n-size+c.capacity-1)/c.capacity*c.capacity)
	if c.n > 0 {
		grown.SliceSet(c.data.Narrow(c.dim, 0, c.n), c.dim, 0)
	}
	c.data = grown
}

// Capacity returns the number of elements that fit into the memory.
func (c *Cache) Capacity() int {
	if c.data == nil {
		return 0
	}
	return c.data.Dim(c.dim)
}

// Put writes x, one element along the dim, to the position in device memory, U32 of shape [1], and returns the whole
// memory of the cache, Capacity elements. Its launches are the same for every position, so that they can be captured
// as a graph. It does not count the element, as a replay of the graph could not: Advance does. When the cache is full
// it gets new, larger memory.
func (c *Cache) Put(x, place *tensor.Tensor) *tensor.Tensor {
	c.reserve(x)
	one := make([]int, x.Rank())
	for i := range one {
		one[i] = 1
	}
	c.data.ScatterSet(place.Reshape(one...).BroadcastAs(x.Dims()...), x, c.dim)
	return c.data
}

// Reserve makes room for the elements of x, and returns the whole memory of the cache, as Put does, for a kernel that
// writes to it.
func (c *Cache) Reserve(x *tensor.Tensor) *tensor.Tensor {
	c.reserve(x)
	return c.data
}

// Advance counts n elements that Put has written.
func (c *Cache) Advance(n int) { c.n += n }

// space returns zeros like x, with n elements along dim.
func space(x *tensor.Tensor, dim, n int) *tensor.Tensor {
	shape := x.Dims()
	shape[x.NormalizeAxis(dim)] = n
	return x.Device().Zeros(x.DType(), shape...).Kept() // no scope frees it
}

// RotatingCache holds the last elements that were appended to it along a dim, in a ring buffer: new ones replace the
// oldest.
type RotatingCache struct {
	dim, size int
	n, next   int // elements appended since the last reset; the index of the next one in the ring
	data      *tensor.Tensor
}

// NewRotatingCache returns a cache of the last size elements along dim.
func NewRotatingCache(dim, size int) *RotatingCache {
	return &RotatingCache{dim: dim, size: max(size, 1)}
}

// Len returns how many elements were appended since the last Reset, replaced ones among them.
func (c *RotatingCache) Len() int { return c.n }

// Offset returns the index in the ring of the next element.
func (c *RotatingCache) Offset() int { return c.next }

// Reset forgets the elements. The memory is kept.
func (c *RotatingCache) Reset() { c.n, c.next = 0, 0 }

// Append adds the elements of x, and returns those that are kept, in the order of the ring. When x alone fills the
// cache, x itself is returned, so that the result has all of it. The result shares the memory of the cache.
func (c *RotatingCache) Append(x *tensor.Tensor) *tensor.Tensor {
	n := x.Dim(c.dim)
	if c.data == nil {
		c.data = space(x, c.dim, c.size)
	}
	c.n += n
	if n >= c.size {
		c.data.SliceSet(x.Narrow(c.dim, n-c.size, c.size), c.dim, 0)
		c.next = 0
		return x
	}
	first := min(n, c.size-c.next)
	c.data.SliceSet(x.Narrow(c.dim, 0, first), c.dim, c.next)
	if first < n {
		c.data.SliceSet(x.Narrow(c.dim, first, n-first), c.dim, 0)
	}
	c.next = (c.next + n) % c.size
	return c.data.Narrow(c.dim, 0, min(c.n, c.size))
}

// Positions returns the position, counted from the last Reset, of each element that Append will return for n more
// elements.
func (c *RotatingCache) Positions(n int) []int {
	after := c.n + n
	if n >= c.size { // Append returns its argument
		list := make([]int, n)
		for i := range list {
			list[i] = c.n + i
		}
		return list
	}
	next := (c.next + n) % c.size
	list := make([]int, min(after, c.size))
	for i := range list {
		list[i] = after + i - next
		if i >= next {
			list[i] -= c.size
		}
	}
	return list
}

// AttnMask returns a mask of the elements that Append will return for n more, as Bool of shape [n elements]: true for
// those after the position of the row, and for those that had been replaced by then. It is nil for one element, which
// sees all.
func (c *RotatingCache) AttnMask(n int, dev *tensor.Device) *tensor.Tensor {
	if n == 1 {
		return nil
	}
	extend.Room("rotating cache", tensor.I64, n)
	positions := c.Positions(n)
	mask, hidden := extend.OnHost[bool]("rotating cache", tensor.Bool, n, len(positions))
	for i := range hidden {
		at, p := c.n+i/len(positions), positions[i%len(positions)]
		hidden[i] = p > at || p+c.size <= at
	}
	return mask.ToDevice(dev)
}
