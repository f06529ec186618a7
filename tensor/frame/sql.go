package frame

import (
	"fmt"
	"reflect"
	"time"

	"github.com/gorocm/gorocm/tensor"
)

// SQLRows is a *sql.Rows of package database/sql.
type SQLRows interface {
	Columns() ([]string, error)
	Next() bool
	Scan(values ...any) error
	Err() error
	Close() error
}

// FromRows reads the rows of a query into a frame, and closes them. NULL is a missing value. A column of integers and
// floats is Float64; other types in one column are an error. In a cell:
//
//	f := frame.FromRows(db.Query("select city, fare from trips"))
func FromRows(rows SQLRows) (*Frame, error) {
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	values, places, all := make([]any, len(names)), make([]any, len(names)), make([][]any, len(names))
	for i := range places {
		places[i] = &values[i]
	}
	n := 0
	for ; rows.Next(); n++ {
		if n == maxRows {
			return nil, fmt.Errorf("frame: more than %d rows", maxRows)
		}
		if err := rows.Scan(places...); err != nil {
			return nil, err
		}
		for i, v := range values {
			if b, ok := v.([]byte); ok {
				v = string(b)
			}
			all[i] = append(all[i], v)
		}
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	var f *Frame
	err = tensor.Catch(func() error {
		cols := make([]*Column, len(names))
		for i, n := range different(names, false) {
			cols[i] = sqlColumn(n, all[i])
		}
		f = fromColumns("fromrows", cols...)
		f.rows = n
		return nil
	})
	return f, err
}

func sqlColumn(name string, values []any) *Column {
	b := newBuilder("fromrows", name, len(values))
	for _, v := range values {
		if v == nil {
			b.add(reflect.Value{})
			continue
		}
		if t, ok := v.(time.Time); ok {
			v = t.UTC()
		}
		b.add(reflect.ValueOf(v))
	}
	return b.column()
}
