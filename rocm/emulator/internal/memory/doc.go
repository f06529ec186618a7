// Package memory is the memory of an emulated device: an address space of its own, and the allocations that are live in
// it.
package memory
