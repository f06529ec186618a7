package train_test

import (
	"fmt"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn/train"
)

// TestLoaderShown: a Loader is shown on a line, and looking at it changes nothing.
func TestLoaderShown(t *testing.T) {
	l := train.NewLoader(train.Tensors(tensor.Zeros(5, 2)), train.LoaderOptions{Batch: 2})
	for range l.Batches() {
		break
	}
	for range 2 {
		if got := fmt.Sprint(l); got != "train.Loader: 5 items in batches of 2; next is batch 1 of epoch 0" {
			t.Error(got)
		}
	}
}
