// Package generic holds the generic functions and types of otherwise compiled packages of the standard library, each under its
// package's import path, written so that a session can lower and interpret them: without linkname, runtime calls, package
// variables and unexported names of the package that they stand in for.
package generic

import "embed"

// Source is the source of all of them.
//
//go:embed crypto database errors hash iter math reflect runtime sync unique weak
var Source embed.FS
