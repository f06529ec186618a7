package budget

import "testing"

func TestSizes(t *testing.T) {
	for _, tt := range []struct {
		text string
		n    uint64
	}{
		{"1073741824", 1 << 30}, {"4GiB", 4 << 30}, {"4 GB", 4 << 30}, {"4g", 4 << 30}, {"512M", 512 << 20},
		{"1.5GiB", 3 << 29}, {"100 bytes", 100}, {"64KiB", 64 << 10}, {"2T", 2 << 40},
	} {
		if n, err := ParseSize(tt.text); err != nil || n != tt.n {
			t.Errorf("%q is %d, %v, want %d", tt.text, n, err, tt.n)
		}
		if n, err := ParseSize(SizeText(tt.n)); err != nil || n != tt.n {
			t.Errorf("%s is read as %d, %v", SizeText(tt.n), n, err)
		}
	}
	for _, bad := range []string{"", "x", "4Q", "-1", "0", "GiB", "4 GiBs", "1e3", "9999999999T"} {
		if n, err := ParseSize(bad); err == nil {
			t.Errorf("%q is read as %d", bad, n)
		}
	}
}
