package driver

import "testing"

func TestEnvBool(t *testing.T) {
	for value, want := range map[string]bool{"": false, "0": false, "false": false, "1": true, "true": true, "yes": true} {
		t.Setenv("GOROCM_TEST_FLAG", value)
		if EnvBool("GOROCM_TEST_FLAG") != want {
			t.Errorf("flag %q is %v", value, !want)
		}
	}
}
