package quant

import "github.com/gorocm/gorocm/tensor/internal/team"

// parallel calls f for parts of 0…n-1 that cover it, on as many cores as n times each elements are worth: see team.Run.
func parallel(n, each int, f func(lo, hi int)) { team.Run(n, each, f) }
