// Package errors has the generic part of the standard library's errors.
package errors

import "errors"

// AsType is errors.AsType.
func AsType[E error](err error) (E, bool) {
	var target, none E
	if errors.As(err, &target) {
		return target, true
	}
	return none, false
}
