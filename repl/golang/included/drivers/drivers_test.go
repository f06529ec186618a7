package drivers

import (
	"database/sql"
	"database/sql/driver"
	"errors"
	"testing"
)

// failing is a driver whose error tells which one it is.
type failing string

func (f failing) Open(string) (driver.Conn, error) { return nil, errors.New(string(f)) }

// withConnector is one with connectors of its own.
type withConnector struct{ failing }

func (w withConnector) OpenConnector(name string) (driver.Connector, error) {
	return opener{name, failing("connector of " + string(w.failing))}, nil
}

func TestRegisterDriver(t *testing.T) {
	compiled := failing("compiled")
	sql.Register("test-compiled", compiled)
	for _, test := range []struct {
		name string
		d    driver.Driver
		want string
	}{
		{"test-driver", failing("first"), "first"},
		{"test-driver", failing("second"), "second"},
		{"test-driver", withConnector{"third"}, "connector of third"},
		{"test-compiled", failing("other"), "compiled"},
	} {
		Register(test.name, test.d)
		db, err := sql.Open(test.name, "")
		if err != nil {
			t.Fatal(err)
		}
		if err := db.Ping(); err == nil || err.Error() != test.want {
			t.Errorf("%s: %v, want %s", test.name, err, test.want)
		}
		if _, ok := db.Driver().(*registered); ok {
			t.Errorf("%s: the database's driver is not the one that was registered", test.name)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("no panic about nil")
		}
	}()
	Register("test-nil", nil)
}
