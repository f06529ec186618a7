package csr

// ForLibrary sets the number of products from which on libraries multiply.
func ForLibrary(n int) { forLibrary = n }
