package host

import "github.com/gorocm/gorocm/tensor/internal/host"

// transformColumns transforms the middle dim of src [outer n inner] to dst, which may be src.
func transformColumns[T number](dst, src []T, outer, n, inner int, f form[T]) {
	p, v := planOf[T](n), width[T]()
	all := newGroups[T](inner, &dst[0] == &src[0])
	host.Parallel(outer*all.units, 4*n*v, func(lo, hi int) {
		s := getScratch[T]()
		defer s.free()
		a, b := s.group(min(n, longestGroup))
		for i := lo; i < hi; i++ {
			o, u := i/all.units, i%all.units
			all.each(v, u, u+1, func(first, lanes int) {
				at := 2 * (o*n*inner + first)
				if p.passes == nil {
					p.gathered(dst[at:], src[at:], inner, lanes, f, s)
					return
				}
				load(f.order(a), src[at:], grid{inner, 1}, n, lanes)
				r := transform(p.passes, a, b)
				store(dst[at:], f.order(r), grid{inner, 1}, n, lanes, f.scale)
			})
		}
	})
}

// gathered transforms a group of columns that are too long for a group, as rows.
func (p *lengthPlan[T]) gathered(dst, src []T, inner, lanes int, f form[T], s *scratch[T]) {
	rows := s.row(1, lanes*p.n)
	for k := range p.n {
		from := src[2*k*inner:][:2*lanes]
		for l := range lanes {
			rows[2*(l*p.n+k)], rows[2*(l*p.n+k)+1] = from[2*l], from[2*l+1]
		}
	}
	each := p.matrix
	if p.chirp != nil {
		each = p.chirp.row
	}
	for l := range lanes {
		row := rows[2*l*p.n:][:2*p.n]
		each(row, row, f, alone)
	}
	for k := range p.n {
		to := dst[2*k*inner:][:2*lanes]
		for l := range lanes {
			to[2*l], to[2*l+1] = rows[2*(l*p.n+k)], rows[2*(l*p.n+k)+1]
		}
	}
}
