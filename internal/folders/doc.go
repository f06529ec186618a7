// Package folders knows where the system wants a program's files: its configuration, and what it keeps from one session
// to the next.
package folders
