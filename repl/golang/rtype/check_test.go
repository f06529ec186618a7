package rtype_test

import (
	"testing"

	"github.com/gorocm/gorocm/repl/golang/rtype"
)

func TestCheck(t *testing.T) {
	if err := rtype.Check(); err != nil {
		t.Fatal(err)
	}
}
