package rocm

import (
	"github.com/gorocm/gorocm/rocm/internal/group"
)

// reduceOnHost downloads the elements of all members, reduces them, and uploads the result to all members of this
// process. Those of a single member are only copied.
func (g *Group) reduceOnHost(how Reduction, elem string, n int, from, to []Place) error {
	if g.world == 1 {
		return to[0].Buffer.CopyFrom(to[0].Offset, from[0].Buffer, from[0].Offset, n*group.ElemSizes[elem])
	}
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

// parts downloads the bytes of all members, those of other processes by an exchange.
func (g *Group) parts(from []Place, bytes int) ([][]byte, error) {
	parts := make([][]byte, len(from))
	for i, p := range from {
		parts[i] = make([]byte, bytes)
		if err := p.Buffer.Download(parts[i], p.Offset); err != nil {
			return nil, err
		}
	}
	if g.others != nil {
		parts, err := g.others.Exchange(parts[0])
		return parts, public(err)
	}
	return parts, nil
}

// fetch copies the bytes of the rank root to this process's member.
func (g *Group) fetch(at Place, root, bytes int) error {
	var own []byte
	if g.rank == root {
		own = make([]byte, bytes)
		if err := at.Buffer.Download(own, at.Offset); err != nil {
			return err
		}
	}
	parts, err := g.others.Exchange(own)
	if err != nil || g.rank == root {
		return public(err)
	}
	if len(parts[root]) != bytes {
		return invalid("broadcast", "rank %d has %d bytes where rank %d has %d: all processes make the same calls",
			root, len(parts[root]), g.rank, bytes)
	}
	return at.Buffer.Upload(at.Offset, parts[root])
}
