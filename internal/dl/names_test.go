package dl

import (
	"slices"
	"testing"
)

// TestDLLNames: the names on Windows of the libraries in the tables.
func TestDLLNames(t *testing.T) {
	for _, c := range []struct{ names, want []string }{
		{[]string{"libamdhip64.so", "libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5"}, []string{"amdhip64_7.dll", "amdhip64_6.dll", "amdhip64.dll"}},
		{[]string{"libhiprtc.so", "libhiprtc.so.6.2"}, []string{"hiprtc0602.dll", "hiprtc06??.dll"}},
		{[]string{"libhiprtc.so", "libhiprtc.so.10", "libhiprtc.so.7"}, []string{"hiprtc10??.dll", "hiprtc07??.dll"}},
		{[]string{"libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so.11.1"}, []string{"nvrtc64_130_0.dll", "nvrtc64_120_0.dll", "nvrtc64_112_0.dll",
			"nvrtc64_111_0.dll"}},
		{[]string{"librocblas.so.5", "librocblas.so.4"}, []string{"rocblas.dll"}},
		{[]string{"libhipblaslt.so.1"}, []string{"hipblaslt.dll", "libhipblaslt.dll"}},
		{[]string{"libMIOpen.so.1"}, []string{"MIOpen.dll"}},
		{[]string{"libcuda.so.1"}, []string{"nvcuda.dll"}},
		{[]string{"libnvidia-ml.so.1"}, []string{"nvml.dll"}},
		{[]string{"libcublas.so.13", "libcublasLt.so.12"}, []string{"cublas64_13.dll", "cublasLt64_12.dll"}},
		{[]string{"libcudnn.so.9"}, []string{"cudnn64_9.dll"}},
		{[]string{"libnvJitLink.so.13"}, []string{"nvJitLink_130_0.dll"}},
		{[]string{"other.dll"}, []string{"other.dll"}},
	} {
		if got := dllNames(c.names...); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.names, got, c.want)
		}
	}
}
