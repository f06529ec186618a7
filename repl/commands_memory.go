package repl

import (
	"math"
	"os"

	"github.com/gorocm/gorocm/internal/budget"
	"github.com/gorocm/gorocm/internal/meminfo"
)

// memory shows what the session takes of the host's memory, and what limits it.
func (c *Call) memory() *Error {
	if err := c.noArgs(); err != nil {
		return err
	}
	budget.Relieve() // what dropped values hold is not of interest
	values := budget.Values()
	rows := [][]string{{"Go values", size(values)}}
	for _, a := range budget.Accounts() {
		rows = append(rows, []string{a.Name(), size(a.Used())})
	}
	rows = append(rows, []string{"together", size(values + budget.Elsewhere())})
	limit, err := budget.Limit()
	switch {
	case err != nil:
		return c.failed(err)
	case limit == math.MaxInt64:
		rows = append(rows, []string{"limit", "none is known"})
	case budget.IsSet():
		by := ", by " + budget.Variable + "=" + os.Getenv(budget.Variable)
		rows = append(rows, []string{"limit", size(limit) + by})
	default:
		rows = append(rows, []string{"limit", size(limit) + ", three quarters of the smallest below"})
	}
	for _, b := range meminfo.Bounds() {
		rows = append(rows, []string{b.Name, size(b.Total) + ", " + size(b.Left) + " left"})
	}
	if n, ok := meminfo.Resident(); ok {
		rows = append(rows, []string{"resident", size(n) + ", with the program and free memory that Go keeps"})
	}
	c.session.print("%s", columns(rows))
	return nil
}
