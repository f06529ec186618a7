package display

import (
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"
)

// sqlResult is a sql.Result.
type sqlResult interface {
	LastInsertId() (int64, error)
	RowsAffected() (int64, error)
}

// sqlRows is a *sql.Rows.
type sqlRows interface {
	Columns() ([]string, error)
	Next() bool
	Scan(values ...any) error
	Err() error
	Close() error
}

// sqlBundle renders the results of statements and queries; nil for any other value.
func sqlBundle(v any) Bundle {
	switch v := v.(type) {
	case sqlResult:
		return Bundle{MIMEText: sqlResultText(v)}
	case sqlRows:
		return sqlTable(v)
	}
	return nil
}

// sqlResultText says what the driver knows of a result.
func sqlResultText(r sqlResult) string {
	var known []string
	if n, err := r.RowsAffected(); err == nil && n == 1 {
		known = append(known, "1 row affected")
	} else if err == nil {
		known = append(known, fmt.Sprintf("%d rows affected", n))
	}
	if id, err := r.LastInsertId(); err == nil && id != 0 {
		known = append(known, fmt.Sprintf("last insert id %d", id))
	}
	if len(known) == 0 {
		return "done"
	}
	return strings.Join(known, ", ")
}

// sqlTable reads the first rows, and closes them.
func sqlTable(r sqlRows) Bundle {
	defer r.Close()
	columns, err := r.Columns()
	if err != nil {
		return Bundle{MIMEText: err.Error()}
	}
	t := &table{header: columns, number: make([]bool, len(columns))}
	for i := range t.number {
		t.number[i] = true
	}
	values, places, cell := make([]any, len(columns)), make([]any, len(columns)), cells()
	for i := range values {
		places[i] = &values[i]
	}
	for r.Next() {
		if len(t.rows) == maxRows {
			t.size = fmt.Sprintf("the first %d rows", maxRows)
			break
		}
		if err := r.Scan(places...); err != nil {
			return Bundle{MIMEText: err.Error()}
		}
		row := make([]string, len(values))
		for i, v := range values {
			row[i] = sqlCell(v, cell)
			t.number[i] = t.number[i] && (v == nil || isNumber(reflect.TypeOf(v)))
		}
		t.index, t.rows = append(t.index, ""), append(t.rows, row)
	}
	if err := r.Err(); err != nil {
		return Bundle{MIMEText: err.Error()}
	}
	if len(t.rows) == 0 {
		t.size = "no rows"
	}
	return Bundle{MIMEText: t.text(), MIMEHTML: t.html()}
}

// sqlCell is a value of a row as text.
func sqlCell(v any, cell func(reflect.Value) string) string {
	switch v := v.(type) {
	case nil:
		return "NULL"
	case []byte:
		if utf8.Valid(v) {
			return cell(reflect.ValueOf(string(v)))
		}
		return fmt.Sprintf("%d bytes", len(v))
	}
	return cell(reflect.ValueOf(v))
}
