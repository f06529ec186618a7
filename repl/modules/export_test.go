package modules

// Work tells how often the set has had the go command list packages, and how many packages it has parsed and checked
// whole, and without what their records tell.
func (s *Set) Work() [3]int64 {
	w := &s.records.work
	return [3]int64{w.listed.Load(), w.whole.Load(), w.outlined.Load()}
}
