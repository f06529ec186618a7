package optim

import "strconv"

// Lateness is how many steps of an optimizer each variable has not taken because it had no gradient: corrections for
// the beginning are those of its own steps. The zero value is ready.
type Lateness struct {
	late map[int]int // steps by the index of the variable, without those of 0
	away map[int]int // the steps that variables without a gradient have taken
}

// Step returns the lateness of the n variables of an optimizer for a step. has says whether a variable has a gradient,
// skipped counts the steps that were skipped, and replayed says that steps does not count this one yet.
func (l *Lateness) Step(steps, n int, has func(i int) bool, skipped func() int, replayed bool) map[int]int {
	if replayed {
		steps++
	}
	if l.away == nil {
		l.late, l.away = map[int]int{}, map[int]int{}
	}
	for i := range n {
		taken, isAway := l.away[i]
		switch {
		case has(i) && isAway:
			delete(l.away, i)
			l.set(i, steps-1-skipped()-taken)
		case !has(i) && !isAway:
			l.away[i] = steps - 1 - skipped() - l.late[i]
		}
	}
	return l.late
}

// Of returns the lateness of variable i.
func (l *Lateness) Of(i int) int { return l.late[i] }

func (l *Lateness) set(i, late int) {
	delete(l.late, i)
	if late != 0 {
		l.late[i] = late
	}
}

// Numbers adds the lateness of variables after so many steps, which were not skipped, to numbers of a file. loaded sets
// it to what these have become.
func (l *Lateness) Numbers(numbers map[string]*float64, n, steps int) (loaded func()) {
	list := make([]float64, n)
	for i := range list {
		list[i] = float64(l.late[i])
		if taken, ok := l.away[i]; ok {
			list[i] = float64(steps - taken)
		}
		numbers[LateNumber+strconv.Itoa(i)] = &list[i]
	}
	return func() {
		l.late, l.away = map[int]int{}, map[int]int{}
		for i, v := range list {
			l.set(i, int(v))
		}
	}
}

// LateNumber begins the names of Numbers, which a file has only where they are not 0.
const LateNumber = "late."
