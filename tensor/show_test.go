package tensor

import (
	"strings"
	"testing"
)

func TestDeviceForms(t *testing.T) {
	for _, spec := range []string{"cpu", "rocm"} {
		dev := openDevice(t, spec)
		forms := dev.MIMEBundle()
		if !strings.HasPrefix(forms["text/plain"], dev.Info()+"\n") ||
			!strings.Contains(forms["text/html"], " in use, ") {
			t.Errorf("%s: %v", spec, forms)
		}
		if hasBar := strings.Contains(forms["text/plain"], "·]"); hasBar != !dev.IsCPU() {
			t.Errorf("%s: %v", spec, forms["text/plain"])
		}
	}
}
