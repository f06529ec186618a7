// Package resident keeps small what a process holds in memory.
package resident
