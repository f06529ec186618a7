package show

import (
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/host"
)

// TestSurveyOnAnyCores: which core adds what does not change a mean.
func TestSurveyOnAnyCores(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	values := make([]float64, 9*surveyRun+7)
	for i := range values {
		values[i] = r.NormFloat64() * float64(i)
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	alone := Survey(kernels.F64, host.BytesOf(values))
	for _, cores := range []int{2, 3, 7} {
		runtime.GOMAXPROCS(cores)
		if got := Survey(kernels.F64, host.BytesOf(values)); got.Mean != alone.Mean || got.Min != alone.Min ||
			got.Max != alone.Max {
			t.Errorf("%d cores: mean %v, min %v, max %v; one core: %v, %v, %v", cores, got.Mean, got.Min, got.Max,
				alone.Mean, alone.Min, alone.Max)
		}
	}
}
