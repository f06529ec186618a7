package resident

// ballast counts as live to the collector. Nothing is ever written to it, so it takes no memory.
var ballast []byte

// Ballast makes collections rarer while the heap is small, by as many bytes of garbage as n. Without it a session of
// small cells, which leave much garbage beside little that lives, spends a quarter of its time on collections; for a
// large heap n is nothing.
func Ballast(n int) { ballast = make([]byte, n) }

// Carried is the size of the ballast in bytes: what the runtime's figures count too much.
func Carried() int { return len(ballast) }
