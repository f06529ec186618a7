package host

// groups are the groups of transforms beside one another. If the last one is not complete, and they are read and
// written in different memory, it begins earlier, and computes some of those before once more: complete groups are
// faster. It belongs to the same unit of work as the group before, so that nothing is written by two goroutines.
type groups struct {
	count, units int
	overlap      bool
}

func newGroups[T number](count int, inPlace bool) groups {
	v := width[T]()
	if inPlace || count < v {
		return groups{count, (count + v - 1) / v, false}
	}
	return groups{count, count / v, count%v != 0}
}

// each calls f for the groups of units lo to hi: the first transform, and how many there are.
func (g groups) each(v, lo, hi int, f func(first, lanes int)) {
	for u := lo; u < hi; u++ {
		f(u*v, min(v, g.count-u*v))
		if g.overlap && u == g.units-1 {
			f(g.count-v, v)
		}
	}
}
