package emulator

import (
	"errors"
	"strings"
	"testing"
)

// checked is a GPU with the kernels of testdata/races.hip that checks.
func checked(t *testing.T, c Check) *device {
	d := newDevice(t, "races", 2)
	d.SetChecks(c)
	return d
}

func TestRaces(t *testing.T) {
	d := checked(t, CheckRaces)
	x, y := put(d, randomFloats(256)), put(d, make([]float32, 256))
	zeros := put(d, make([]int32, 256))
	tests := []struct {
		kernel string
		blocks int
		args   []any
		want   []string // parts of the error; none is not an error
	}{
		{"missing_barrier", 1, []any{x, y}, []string{
			"race: work-item [32 0 0] stores shared memory at offset 0x80 that work-item [31 0 0] has loaded (races.hip:8: ds_load_b32", "without a barrier between",
			"in block [0 0 0], races.hip:7: ds_store_b32", "at missing_barrier+0x"}},
		{"with_barrier", 2, []any{x, y}, nil},
		{"missing_second_barrier", 1, []any{x, y}, []string{"work-item [32 0 0] loads shared memory", "has stored (races.hip:23: ds_store_b32", "races.hip:25: ds_load_b32"}},
		{"bytes", 1, []any{x, y}, nil},
		{"same_value", 1, []any{y}, nil},
		{"different_values", 1, []any{y}, []string{"race: work-item [1 0 0] stores", "that work-item [0 0 0] with the same instruction has stored"}},
		{"histogram", 1, []any{zeros, y, int32(1)}, nil},
		{"histogram", 1, []any{zeros, y, int32(0)}, []string{"work-item [32 0 0] modifies", "has stored (races.hip:54: ds_store_b32", "races.hip:56: ds_add_u32"}},
		{"scatter", 2, []any{zeros, y, int32(1)}, nil},
		{"scatter", 1, []any{zeros, y, int32(0)}, []string{"work-item [32 0 0] loads global memory", "that work-item [31 0 0] has stored"}},
		{"last_block", 3, []any{x, y, put(d, make([]uint32, 1)), put(d, make([]float32, 1))}, nil},
		{"branches", 1, []any{x, y}, []string{"of the same wave, in another branch"}},
	}
	for _, test := range tests {
		err := d.launch(test.kernel, test.blocks, 64, test.args...)
		if len(test.want) == 0 && err != nil {
			t.Errorf("%s: %v", test.kernel, err)
		}
		for _, part := range test.want {
			if err == nil || !strings.Contains(err.Error(), part) {
				t.Errorf("%s: error %v, want %q", test.kernel, err, part)
			}
		}
	}
}

// TestRacesOfBlocks has blocks add to one word, one work-item each.
func TestRacesOfBlocks(t *testing.T) {
	d := checked(t, CheckRaces)
	at, y := put(d, make([]int32, 64)), put(d, make([]float32, 64))
	if err := d.launch("scatter", 8, 1, at, y, int32(1)); err != nil {
		t.Error(err)
	}
	err := d.launch("scatter", 8, 1, at, y, int32(0))
	if err == nil || !strings.Contains(err.Error(), "has stored") || !strings.Contains(err.Error(), "of block [0 0 0]") {
		t.Errorf("error %v", err)
	}
	d.SetChecks(0)
	if err := d.launch("scatter", 8, 1, at, y, int32(0)); err != nil {
		t.Error(err)
	}
}

func TestInit(t *testing.T) {
	d := checked(t, CheckInit)
	y := put(d, make([]float32, 64))
	err := d.launch("unwritten", 1, 64, y)
	var e *Error
	if !errors.As(err, &e) || !strings.Contains(e.Message, "work-item [40 0 0] stores to global memory a value from shared memory near offset 0xa0 that nothing has written, loaded by races.hip:") ||
		!strings.HasPrefix(e.Source, "races.hip:") {
		t.Errorf("error %v", err)
	}
	fresh, err := d.Malloc(256)
	if err != nil {
		t.Fatal(err)
	}
	err = d.launch("with_barrier", 1, 64, fresh, y)
	if err == nil || !strings.Contains(err.Error(), "global memory at 0x") || !strings.Contains(err.Error(), "0 bytes into the buffer of 256 bytes") {
		t.Errorf("error %v", err)
	}
	if err := d.Set(fresh, 0, 256); err != nil {
		t.Fatal(err)
	}
	if err := d.launch("with_barrier", 1, 64, fresh, y); err != nil {
		t.Error(err)
	}
}

func TestFaultNamesLine(t *testing.T) {
	d := newDevice(t, "races", 1)
	x, y := put(d, make([]float32, 64)), put(d, make([]float32, 64))
	err := d.launch("beyond", 1, 64, x, y)
	var e *Error
	if !errors.As(err, &e) || e.Source != "races.hip:105" || !strings.Contains(e.Message, "global_load_b32 v") {
		t.Errorf("error %v, source %q", err, e.Source)
	}
}
