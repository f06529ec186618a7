// Package scope says what the calling goroutine is in the middle of: a function whose operations record no gradients,
// or one whose tensors are freed when it returns. Package tensor asks it for every result.
//
// Frames belong to the goroutine that has entered them. Goroutines that it starts have none. As long as no goroutine
// has one, asking costs a load.
package scope
