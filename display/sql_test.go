package display

import (
	"errors"
	"strings"
	"testing"
)

// queried are the rows of a query that ends with an error.
type queried struct {
	columns []string
	rows    [][]any
	err     error
	closed  bool
}

func (q *queried) Columns() ([]string, error) { return q.columns, nil }
func (q *queried) Next() bool                 { return len(q.rows) > 0 }
func (q *queried) Err() error                 { return q.err }
func (q *queried) Close() error               { q.closed = true; return nil }

func (q *queried) Scan(to ...any) error {
	for i, v := range q.rows[0] {
		*to[i].(*any) = v
	}
	q.rows = q.rows[1:]
	return nil
}

// executed is the result of a statement.
type executed struct {
	rows, id int64
	err      error
}

func (e executed) RowsAffected() (int64, error) { return e.rows, e.err }
func (e executed) LastInsertId() (int64, error) { return e.id, e.err }

func TestSQL(t *testing.T) {
	columns := []string{"name", "age"}
	for _, test := range []struct {
		v    any
		text string
	}{
		{&queried{columns: columns, rows: [][]any{{"Ada", int64(36)}, {[]byte("<b>"), nil}, {[]byte{0xff, 0}, 7.25}}},
			"  name      age\n  Ada        36\n  <b>      NULL\n  2 bytes  7.25"},
		{&queried{columns: columns}, "  name  age\n(no rows)"},
		{&queried{columns: columns, err: errors.New("connection lost")}, "connection lost"},
		{executed{rows: 1}, "1 row affected"},
		{executed{rows: 3, id: 9}, "3 rows affected, last insert id 9"},
		{executed{err: errors.ErrUnsupported}, "done"},
	} {
		b := Render(test.v)
		if b[MIMEText] != test.text {
			t.Errorf("%+v:\n%s\nwant\n%s", test.v, b[MIMEText], test.text)
		}
		if q, ok := test.v.(*queried); ok && !q.closed {
			t.Errorf("%+v: not closed", q)
		}
		if strings.Contains(b[MIMEHTML], "<b>") {
			t.Errorf("not escaped: %s", b[MIMEHTML])
		}
	}
	many := &queried{columns: []string{"i"}}
	for i := range maxRows + 1 {
		many.rows = append(many.rows, []any{i})
	}
	if b := Render(many); !strings.HasSuffix(b[MIMEText], "(the first 30 rows)") || !many.closed ||
		strings.Count(b[MIMEHTML], "<tr>") != maxRows+1 {
		t.Error(b)
	}
}
