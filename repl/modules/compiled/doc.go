// Package compiled makes programs that are gorocm with modules compiled in: a session whose worker is such a program
// imports their packages as it does those of the standard library. Values are the same Go values, since there is one
// program; assembly and go:linkname work; nothing is parsed, checked or interpreted.
//
//	key := compiled.Key(dir, roots)       // what a session with the private module in dir imports
//	file := compiled.Find(store, key)     // the program, if there is one
//	err := compiled.Start(store, …)       // makes one in the background
//
// # What a program is made of
//
// Its source is written to a folder (tree.go) and built with the go command alone, without a network. It has
//
//   - gorocm's own packages, from the folder that it was installed from. Nothing is made if these files are not those
//     of the running program, or the go command has another version than the one it was built with;
//   - the modules that gorocm needs, under other import paths, so that no version of a session's module changes;
//   - the packages that the imports of a session need, at the versions of its go.mod, with the files that go build
//     would choose. Each has one file more, which adds its exported names to a table.
//
// All that the imports need is compiled in, or there is no program (plan.go).
//
// # The store
//
// A program is in a folder named after a hash of all that it is made from (store.go). One that is damaged, that belongs
// to another user, or that everybody may write to is not run. A build that has failed is noted there, and not tried
// again.
package compiled
