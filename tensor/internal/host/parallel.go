package host

import "github.com/gorocm/gorocm/tensor/internal/team"

// grain is the fewest elements that are worth a copy in another order.
const grain = 1 << 15

// Parallel calls f for parts of 0 to n, on as many cores as are worth it. each is the work per unit, in elements: see
// team.Run.
func Parallel(n, each int, f func(lo, hi int)) { team.Run(n, each, f) }
