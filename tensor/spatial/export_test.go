package spatial

// Orient and InCircle are exact.
func Orient(a, b, c [2]float64) float64      { return orient(a, b, c) }
func InCircle(a, b, c, d [2]float64) float64 { return inCircle(a, b, c, d) }
