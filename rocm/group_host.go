package rocm

import (
	"github.com/gorocm/gorocm/rocm/internal/group"
)

// reduceOnHost brings the elements of all members to the host, makes one of each place, and takes the result back. Elements are added in the order of
// the members; f16 and bf16 are added in f32, as in kernels.
func (g *Group) reduceOnHost(how Reduction, elem string, n int, from, to []Place) error {
	parts, err := g.parts(from, n*group.ElemSizes[elem])
	if err != nil {
		return err
	}
	result := group.Reduce(group.Reduction(how), elem, parts)
	for _, p := range to {
		if err := p.Buffer.Upload(p.Offset, result); err != nil {
			return err
		}
	}
	return nil
}

// parts brings the bytes of all members to the host.
func (g *Group) parts(from []Place, bytes int) ([][]byte, error) {
	parts := make([][]byte, len(from))
	for i, p := range from {
		parts[i] = make([]byte, bytes)
		if err := p.Buffer.Download(parts[i], p.Offset); err != nil {
			return nil, err
		}
	}
	if g.files != nil {
		parts, err := g.files.Exchange(parts[0])
		return parts, public(err)
	}
	return parts, nil
}

// fetch brings the bytes of a member of another process here.
func (g *Group) fetch(at Place, root, bytes int) error {
	var own []byte
	if g.rank == root {
		own = make([]byte, bytes)
		if err := at.Buffer.Download(own, at.Offset); err != nil {
			return err
		}
	}
	parts, err := g.files.Exchange(own)
	if err != nil || g.rank == root {
		return public(err)
	}
	if len(parts[root]) != bytes {
		return invalid("broadcast", "rank %d has %d bytes where rank %d has %d: all processes make the same calls", root, len(parts[root]), g.rank, bytes)
	}
	return at.Buffer.Upload(at.Offset, parts[root])
}
