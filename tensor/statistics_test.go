package tensor

import (
	"math/rand/v2"
	"runtime"
	"testing"

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
	alone := survey(F64, host.BytesOf(values))
	for _, cores := range []int{2, 3, 7} {
		runtime.GOMAXPROCS(cores)
		if got := survey(F64, host.BytesOf(values)); got.mean != alone.mean || got.min != alone.min ||
			got.max != alone.max {
			t.Errorf("%d cores: mean %v, min %v, max %v; one core: %v, %v, %v", cores, got.mean, got.min, got.max,
				alone.mean, alone.min, alone.max)
		}
	}
}
