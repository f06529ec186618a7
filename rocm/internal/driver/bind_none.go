//go:build !darwin && !linux && !windows

package driver

import "github.com/gorocm/gorocm/internal/dl"

// BindField sets one function field; here no library has any.
func BindField(field any, symbol uintptr) { dl.Register(field, symbol) }
