// Package npy reads the headers of NumPy's .npy files, for arrays of plain types and of structured ones.
//
//	header.go   the header's bytes, and what they say
//	code.go     the codes of plain types
//	literal.go  Python's literals, in which headers are written
package npy
