// Package deps keeps the import rules of ARCHITECTURE.md, as a test.
package deps
