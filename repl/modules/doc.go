// Package modules brings third-party Go packages into a session: it finds them with the go command, chooses the files
// that can be interpreted, and type-checks them from source. It runs nothing of what it loads.
//
//	r, err := modules.Get(ctx, dir, "github.com/google/uuid@v1.6.0", progress)  // into the private module in dir
//	pkgs, err := modules.Load(ctx, dir, "github.com/google/uuid", known)        // what importing it needs, dependencies first
//	checked, err := modules.Check(fset, pkgs, library)                          // with go/types
//
// A Set does this for a session, and keeps what has been loaded.
//
// # The private module
//
// A session has a folder of its own with a go.mod and a go.sum that no one else uses (NewDir names one). A user's
// go.mod is read when a local module is asked for, and never written. The user's GOPROXY, GOPRIVATE, GOSUMDB and other
// settings hold, as do the flags in GOFLAGS except those that name a module file, a vendor folder or a work space.
//
// # Files without assembly
//
// Packages are listed with the build tags purego, noasm and safe, which make most of those with assembly use Go
// instead, and without cgo. A package that still declares functions without a body is tried once more with the files
// for the tag appengine, and with those for a 64-bit processor that hardly any package has assembly for. What remains
// calls the function that it is linked to where package linked has that, or a stand-in where an equivalent in Go is
// known; else it is given a body that panics with the reason. All of it is listed as Obstacles.
//
// # Bodies
//
// Check leaves the bodies of most functions to Body, which parses them and asks go/types again when one is needed
// (bodies.go). The values of long tables are read from Table, and not from the syntax (table.go).
//
// # What later sessions find
//
// A Set keeps files in a folder beside those of sessions (store.go): which packages a path needs (listing.go), and what
// is known of a package that was checked whole (record.go). Invariants:
//
//   - a file is named after a hash of all that its content depends on, and ends with a hash of both; one that is
//     damaged, of another key, of another user, or that everybody may write to is not there;
//   - a listing is made of packages in the module cache only, and has a hash of the files of each: what was changed in
//     spite of that is listed again;
//   - what is checked by a record has the types, the order of variables, and the positions of what is checked whole; a
//     record that does not fit the source is not there;
//   - the folder has a limit (maxStore), and what no session has used for 30 days is removed.
//
// # Errors
//
// Every error that a user can do something about is an *Error: one sentence, notes on what to do, and the go command's
// own words for whoever wants them.
package modules
