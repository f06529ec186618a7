// Package sql has the generic part of the standard library's database/sql.
package sql

import (
	_ "database/sql" // convertAssign
	"database/sql/driver"
	"reflect"
	_ "unsafe" // linkname
)

// Null is sql.Null.
type Null[T any] struct {
	V     T
	Valid bool
}

// Scan implements sql.Scanner.
func (n *Null[T]) Scan(value any) error {
	if value == nil {
		n.V, n.Valid = *new(T), false
		return nil
	}
	n.Valid = true
	return convertAssign(&n.V, value)
}

// Value implements driver.Valuer.
func (n Null[T]) Value() (driver.Value, error) {
	if !n.Valid {
		return nil, nil
	}
	v := any(n.V)
	if valuer, ok := v.(driver.Valuer); ok {
		val, err := callValuerValue(valuer)
		if err != nil {
			return val, err
		}
		v = val
	}
	return driver.DefaultParameterConverter.ConvertValue(v)
}

// callValuerValue returns nil for a nil pointer whose method belongs to what it points to.
func callValuerValue(vr driver.Valuer) (driver.Value, error) {
	valuer := reflect.TypeOf((*driver.Valuer)(nil)).Elem()
	if rv := reflect.ValueOf(vr); rv.Kind() == reflect.Pointer && rv.IsNil() && rv.Type().Elem().Implements(valuer) {
		return nil, nil
	}
	return vr.Value()
}

// A session brings its own convertAssign.
//
//go:linkname convertAssign database/sql.convertAssign
func convertAssign(dest, src any) error
