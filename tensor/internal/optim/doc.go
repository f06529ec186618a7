// Package optim changes variables by their gradients, as the rule of an optimizer says: all variables of a device and a
// type at once, in place, with each element read and written once. On a GPU that takes a launch of kernels/optim.hip
// for every 64 variables, on the host loops over blocks of elements that stay in a core's cache.
//
//	rules.go      AdamW, Adam, Lion, SGD, RMSprop and Adagrad; rules_nadam.go and rules_more.go, those of tensor/nn/optim
//	slots.go      a variable with its gradient and its state; sorting them by device and type
//	step.go       a step: what is done with gradients before it, then the rule
//	gradients.go  the norm of gradients, and scaled ones
//	gpu.go        tables and launches
//	live.go       numbers of captured steps, which change from replay to replay
//	host.go       the same on the host
//
// The host and the emulated GPU compute the same bits; GPUs do so where their division and square root are rounded
// correctly, as those of AMD and NVIDIA are.
package optim
