// Package typing knows the types of a session as lowered code has them.
//
//   - types.go replaces type parameters by the types of an instance, and instances of compiled generic types by those
//     of their source.
//   - source.go has the packages that are lowered from source: those with an embedded one, and third parties'.
//   - compiled.go finds the run-time types and symbols of compiled packages.
//   - keys.go tells types and objects apart that print alike.
//
// It prints nothing. What it notes changes under Scope.Mu only, but for the keys of objects.
package typing
