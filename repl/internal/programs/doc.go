// Package programs ends the programs that cells have started: with the interrupt of their cell, and with the process
// that runs the cells, however that ends.
//
// A program is found again by its environment, which its own children inherit: the variable GOROCM_PROGRAM names the
// session and the program. So children are found whose parent has ended, and no process group is needed, which would
// take the terminal away from them. A process in a new session (setsid) is free: it is what a daemon does. Free is a
// program that Release was called for, too.
//
// When the process that runs the cells is gone, a keeper ends what it has left: a small process that is started with
// the first program, and that notices the end of its standard input. Nothing else outlives kill -9 of that process and
// of its front end.
package programs
