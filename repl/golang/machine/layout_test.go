package machine

import "testing"

func TestLayout(t *testing.T) {
	if err := Check(); err != nil {
		t.Fatal(err)
	}
}
