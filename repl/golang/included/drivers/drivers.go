// Package drivers registers the database drivers of modules, interpreted or compiled into the program, in place of
// sql.Register.
package drivers

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"slices"
	"sync"

	_ "modernc.org/sqlite" // registers itself before any driver that comes here
)

// drivers are those that were registered here, in all sessions of the process, as those of package database/sql are.
var drivers = struct {
	sync.Mutex
	byName map[string]*registered
}{byName: map[string]*registered{}}

// Register is sql.Register. That panics when a name comes again, and so would a package that is imported anew
// after %reset: here the newest driver of a name serves. That of gorocm itself, sqlite, stays.
func Register(name string, d driver.Driver) {
	drivers.Lock()
	defer drivers.Unlock()
	r := drivers.byName[name]
	switch {
	case d == nil: // about which it panics
		sql.Register(name, nil)
	case r != nil:
		r.set(d)
	case !slices.Contains(sql.Drivers(), name):
		r = &registered{newest: d}
		drivers.byName[name] = r
		sql.Register(name, r)
	}
}

// registered is what package database/sql knows of a driver.
type registered struct {
	mu     sync.Mutex
	newest driver.Driver
}

func (r *registered) set(d driver.Driver) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.newest = d
}

func (r *registered) driver() driver.Driver {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.newest
}

// Open implements driver.Driver.
func (r *registered) Open(name string) (driver.Conn, error) { return r.driver().Open(name) }

// OpenConnector implements driver.DriverContext: databases know the driver itself.
func (r *registered) OpenConnector(name string) (driver.Connector, error) {
	d := r.driver()
	if c, ok := d.(driver.DriverContext); ok {
		return c.OpenConnector(name)
	}
	return opener{name, d}, nil
}

// opener is the connector of a driver without one, as in package database/sql.
type opener struct {
	name   string
	driver driver.Driver
}

func (o opener) Connect(context.Context) (driver.Conn, error) { return o.driver.Open(o.name) }
func (o opener) Driver() driver.Driver                        { return o.driver }
