// Package pty opens pseudo terminals, for tests of what runs on a terminal.
package pty
