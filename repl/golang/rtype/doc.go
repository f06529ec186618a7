// Package rtype builds run-time types for types that exist only as go/types types: those that the cells of a session
// declare.
//
// The interpreter cannot give such a type a name or methods that compiled code sees. This package writes what the
// compiler would have written: the type's descriptor with its name, package path, field names, tags and embedding, and
// a table of methods. So fmt finds String and Error, encoding/json finds tags and MarshalJSON, sort.Sort takes a
// session's type, errors.As and type switches tell session types apart, and reflect answers as it does for compiled
// types.
//
//	w := rtype.New(rtype.Config{Compiled: compiled, Method: method})
//	inner := w.Inner(t)              // type Weekday int: int
//	outer := w.Outer(t)              // main.Weekday, with its methods
//	v := rtype.Retype(x, outer)      // the same memory with the other type
//	fmt.Println(v.Interface())       // calls Weekday.String
//
// # Two types for one
//
// Interpreted code holds values of a type's Inner form, in which every struct field can be set through reflect and
// there are no methods. Interfaces hold values of its Outer form. The forms of a type have the same kind, size,
// alignment, pointers, equality and hash, all the way down, so a value of one is a value of the other after [Retype],
// and so is what it points to: a map made with one form can be read through the other.
//
//   - Basic types and compiled types are their own Inner and Outer form. So are composites of them.
//   - Interface types have one form, with methods in Outer types. Their methods count as exported for reflect, whatever
//     the spelling of their names, so that the interpreter can call them.
//   - The Inner form of a defined type is that of its underlying type, unless the type contains itself: then it is a
//     defined type of its own.
//   - The Inner form of a struct has every field exported and none embedded. A blank field has a name of its own
//     (see [World.Field]) and a type that takes no part in equality and hashing; it is to be left alone.
//
// # Versions
//
// A run-time type is fixed once compiled code has seen it: the runtime remembers for ever that a type lacks a method.
// When a type gets a method later, [World.Changed] makes the next Outer form a new type. Values that interfaces already
// hold keep their old one. Interface types, and the parameters and results of methods, stay with the first version of a
// type, so that every version of every type implements the interfaces that its methods satisfy.
//
// # Methods
//
// A method table holds plain code addresses, so each method takes one or two of a fixed number of stubs ([Stubs]) for
// as long as the process lives. Stubs exist for amd64 and arm64; types on other architectures have no methods. The
// table has what go/types finds, promoted methods included. Of a compiled type's methods that are not exported it has
// those without parameters and results, which mark a type for an interface of its package.
//
// # Invariants
//
// Descriptors mirror internal/abi of the Go release that go.mod names. [Check] compares them with the running program's
// and must be called, and heeded, before anything else. Descriptors are never freed: whatever compiled code has
// remembered of a type, such as the method table of an interface value, stays true.
package rtype
