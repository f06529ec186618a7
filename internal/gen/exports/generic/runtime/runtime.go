// Package runtime has the generic part of the standard library's runtime.
package runtime

import "runtime"

// AddCleanup is runtime.AddCleanup. A session brings its own.
func AddCleanup[T, S any](ptr *T, cleanup func(S), arg S) runtime.Cleanup {
	return runtime.AddCleanup(ptr, cleanup, arg)
}
