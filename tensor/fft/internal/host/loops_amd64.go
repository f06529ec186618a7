package host

import "github.com/gorocm/gorocm/tensor/internal/simd"

//go:generate go run -C ../../../../internal/gen/simd ./fourier -out ../../../tensor/fft/internal/host/gen_amd64.s -stubs ../../../tensor/fft/internal/host/gen_amd64.go -pkg host

var (
	avx2 = loops[float32]{
		pass: passLoops[float32]{2: pass2x32AVX2, 3: pass3x32AVX2, 4: pass4x32AVX2, 5: pass5x32AVX2, 7: pass7x32AVX2,
			8: pass8x32AVX2, 11: pass11x32AVX2, 13: pass13x32AVX2},
		multiply: multiply32AVX2, multiplyBoth: multiplyBoth32AVX2, weigh: weigh32AVX2,
		loadColumns:  loadColumns32AVX2,
		storeColumns: storeColumns32AVX2, loadRows: loadRows32AVX2, storeRows: storeRows32AVX2, fold: fold32AVX2,
	}
	avx2Doubles = loops[float64]{
		pass: passLoops[float64]{2: pass2x64AVX2, 3: pass3x64AVX2, 4: pass4x64AVX2, 5: pass5x64AVX2, 7: pass7x64AVX2,
			8: pass8x64AVX2, 11: pass11x64AVX2, 13: pass13x64AVX2},
		multiply: multiply64AVX2, multiplyBoth: multiplyBoth64AVX2, weigh: weigh64AVX2,
		loadColumns:  loadColumns64AVX2,
		storeColumns: storeColumns64AVX2, loadRows: loadRows64AVX2, storeRows: storeRows64AVX2, fold: fold64AVX2,
	}
	avx512 = loops[float32]{
		pass: passLoops[float32]{2: pass2x32AVX512, 3: pass3x32AVX512, 4: pass4x32AVX512, 5: pass5x32AVX512,
			7: pass7x32AVX512, 8: pass8x32AVX512, 11: pass11x32AVX512, 13: pass13x32AVX512},
		multiply: multiply32AVX512, multiplyBoth: multiplyBoth32AVX512, weigh: weigh32AVX512,
		loadColumns:  loadColumns32AVX2,
		storeColumns: storeColumns32AVX2, loadRows: loadRows32AVX2, storeRows: storeRows32AVX2, fold: fold32AVX2,
	}
	avx512Doubles = loops[float64]{
		pass: passLoops[float64]{2: pass2x64AVX512, 3: pass3x64AVX512, 4: pass4x64AVX512, 5: pass5x64AVX512,
			7: pass7x64AVX512, 8: pass8x64AVX512, 11: pass11x64AVX512, 13: pass13x64AVX512},
		multiply: multiply64AVX512, multiplyBoth: multiplyBoth64AVX512, weigh: weigh64AVX512,
		loadColumns:  loadColumns64AVX2,
		storeColumns: storeColumns64AVX2, loadRows: loadRows64AVX2, storeRows: storeRows64AVX2, fold: fold64AVX2,
	}
)

func levels() []level {
	switch simd.Fast.Name {
	case "AVX-512":
		return []level{{"AVX-512", avx512, avx512Doubles}, {"AVX2", avx2, avx2Doubles}}
	case "AVX2":
		return []level{{"AVX2", avx2, avx2Doubles}}
	}
	return nil
}
