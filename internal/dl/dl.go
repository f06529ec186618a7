// Package dl loads shared libraries. On systems where purego has no loader every call fails with an error, so that
// programs build there and find no library.
package dl
