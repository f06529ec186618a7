// Package generic holds the generic functions and types of otherwise compiled packages of the standard library, each
// under its package's import path, written so that a session can lower and interpret them: without linkname, runtime
// calls, package variables and unexported names of the package that they stand in for. Types have the memory of those
// that they stand in for.
//
// A few functions cannot be written so. A session provides those itself and never looks at their bodies, which are for
// the tests of this package: see natives in package golang.
package generic

import "embed"

// Source is the source of all of them.
//
//go:embed crypto database errors hash iter math reflect runtime sync unique weak
var Source embed.FS
