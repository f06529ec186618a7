package rtype

// UseStubs takes all stubs but left.
func UseStubs(left int) {
	used.Lock()
	defer used.Unlock()
	used.stubs = Stubs - left
}
