// Package checkpoint writes the values of a session's variables to a file, and reads them into those of another one.
//
// What pointers, slices and maps share is shared again: the memory that they refer to is collected first, and written
// as objects, each once; a pointer is written as an object and an offset in it, so that it may point to a variable, a
// field or an element. Types are not written: the reader has the same ones, from the same declarations, and numbers
// them in the same order. A file whose types have other parts is refused.
//
// Structs of this module, and some of Go's library, are kept with the fields that they do not export (opened), or as
// values of another type where they hold functions or locks (package internal/keep), which also knows how functions of
// this module were made, such as the schedules of a training. Where such a type has other fields in the version of
// gorocm that reads, what leads to its values is left out.
//
// What belongs to a variable of the standard library (io.EOF, http.DefaultClient) is written as the variable's name
// (packages.go): it is the variable of the process that reads.
//
// A value that has no meaning in another process (a function, a channel, an open file) makes Writer.Add return an
// error, which says what it is; the variable is left out.
//
// A file is checked by its sum, and all that it says is checked again: where it has been made by somebody else, reading
// it ends with an error, or gives values of the right types.
package checkpoint
