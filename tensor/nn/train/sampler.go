package train

import (
	"fmt"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/random"
)

// Sampler chooses the numbers of the items of an epoch, in their order. It must choose the same for the same numbers:
// a run that is resumed calls it again.
type Sampler func(seed uint64, epoch int) []int

// InOrder is all n items in their order.
func InOrder(n int) Sampler {
	return func(uint64, int) []int {
		ids := make([]int, n)
		for i := range ids {
			ids[i] = i
		}
		return ids
	}
}

// Shuffled is all n items in another random order for each epoch.
func Shuffled(n int) Sampler {
	return func(seed uint64, epoch int) []int { return permutation(n, seed, epoch) }
}

// ByWeight is count items drawn with probabilities proportional to weights, one for each item, as PyTorch's
// WeightedRandomSampler draws them: with replacement, or each at most once. Weights of one over the number of items of
// a class balance classes. It panics with ErrValue for other weights than numbers from 0 on, and when there are less
// than count above 0 without replacement.
func ByWeight(weights []float64, count int, replace bool) Sampler {
	return func(seed uint64, epoch int) []int {
		w := tensor.CPU().New(weights)
		return ints(generator(seed, uint64(epoch)).Multinomial(w, count, replace))
	}
}

// permutation is the numbers below n in the random order of an epoch.
func permutation(n int, seed uint64, epoch int) []int {
	return ints(generator(seed, uint64(epoch)).Permutation(n, tensor.CPU()))
}

func ints(t *tensor.Tensor) []int {
	list := make([]int, t.ElemCount())
	for i, id := range tensor.ToVec1[uint32](t) {
		list[i] = int(id)
	}
	return list
}

// generator draws random numbers for a purpose that numbers name, such as the order of an epoch.
func generator(seed uint64, names ...uint64) *random.Generator {
	for _, n := range names { // as SplitMix64 does
		seed += 0x9e3779b97f4a7c15 * (n + 1)
		seed = (seed ^ seed>>30) * 0xbf58476d1ce4e5b9
		seed = (seed ^ seed>>27) * 0x94d049bb133111eb
		seed ^= seed >> 31
	}
	return random.New(seed)
}

// checkIDs says what is wrong with the choice of a Sampler.
func checkIDs(ids []int, n int) error {
	for i, id := range ids {
		if id < 0 || id >= n {
			return fmt.Errorf("train: the sampler has chosen item %d at position %d, and there are %d", id, i, n)
		}
	}
	return nil
}
