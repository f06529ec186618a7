package train

import (
	"fmt"
	"iter"
	"sync"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/random"
)

// LoaderOptions are those of a Loader, with the names of PyTorch's DataLoader.
type LoaderOptions struct {
	Batch    int    // items of a batch; 0 stands for 1
	Shuffle  bool   // another random order for each epoch
	Seed     uint64 // of the orders, and of the generators of Transform
	DropLast bool   // a last batch that is smaller is left out
	// Sampler chooses the items of an epoch, in place of Shuffle.
	Sampler Sampler
	// Transform changes an item, such as an image at random. The generator depends on the seed, the epoch and the number
	// of the item alone.
	Transform func(item Item, g *random.Generator) (Item, error)
	Collate   Collate // makes a batch of its items; nil stands for Stacked
	// Workers is the number of goroutines that read items, transform and collate them, ahead of the loop. 0 does so in
	// the loop. What comes out does not depend on it.
	Workers  int
	Prefetch int            // batches that are ready at most, for each worker; 0 stands for 2
	Device   *tensor.Device // where batches go, one ahead of the loop; nil leaves them where they are
}

// Loader makes batches of the items of a Dataset. It knows where in the data it is: State and SetState go on in the
// middle of an epoch, with the batches that would have come.
type Loader struct {
	data   Dataset
	o      LoaderOptions
	stacks bool // no Collate was asked for

	mu  sync.Mutex
	at  LoaderState
	err error
	// the order of an epoch
	order      []int
	orderEpoch int
}

// LoaderState is where a Loader is: the next batch.
type LoaderState struct {
	Epoch int `json:"epoch"`
	Batch int `json:"batch"` // within the epoch
}

// NewLoader returns a Loader. It panics with ErrValue when an option makes no sense.
func NewLoader(d Dataset, o LoaderOptions) *Loader {
	fail := func(format string, args ...any) {
		panic(&tensor.Error{Op: "train loader", Kind: tensor.ErrValue, Message: fmt.Sprintf(format, args...)})
	}
	switch {
	case d == nil:
		fail("there is no dataset")
	case o.Batch < 0 || o.Workers < 0 || o.Prefetch < 0:
		fail("batches of %d by %d workers, %d ahead, make no sense", o.Batch, o.Workers, o.Prefetch)
	case o.Shuffle && o.Sampler != nil:
		fail("Shuffle and a Sampler: want one of them")
	}
	o.Batch = max(o.Batch, 1)
	if o.Prefetch == 0 {
		o.Prefetch = 2
	}
	stacks := o.Collate == nil
	if stacks {
		o.Collate = Stacked
	}
	if o.Sampler == nil {
		if o.Sampler = InOrder(d.Len()); o.Shuffle {
			o.Sampler = Shuffled(d.Len())
		}
	}
	return &Loader{data: d, o: o, stacks: stacks, orderEpoch: -1}
}

// State returns where the Loader is. In the body of a loop over Batches that is behind the batch of the body.
func (l *Loader) State() LoaderState {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.at
}

// SetState has the next loop over Batches begin there.
func (l *Loader) SetState(s LoaderState) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.at = s
}

// Err returns why the last loop over Batches has ended early, such as a file that could not be read.
func (l *Loader) Err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

// Len returns how many batches an epoch has. It is that of the next one, if the Sampler chooses different numbers.
func (l *Loader) Len() (int, error) {
	order, err := l.items(l.State().Epoch)
	return l.batches(len(order)), err
}

func (l *Loader) batches(items int) int {
	if l.o.DropLast {
		return items / l.o.Batch
	}
	return (items + l.o.Batch - 1) / l.o.Batch
}

// IDs returns the numbers of the items of a batch of an epoch.
func (l *Loader) IDs(s LoaderState) ([]int, error) {
	order, err := l.items(s.Epoch)
	if err != nil {
		return nil, err
	}
	if n := l.batches(len(order)); s.Batch < 0 || s.Batch >= n {
		return nil, fmt.Errorf("train: there is no batch %d of %d", s.Batch, n)
	}
	return order[s.Batch*l.o.Batch : min((s.Batch+1)*l.o.Batch, len(order))], nil
}

// items is the order of an epoch, which is kept.
func (l *Loader) items(epoch int) (order []int, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.orderEpoch != epoch {
		err := catch(func() error {
			l.order = l.o.Sampler(l.o.Seed, epoch)
			return checkIDs(l.order, l.data.Len())
		})
		if err != nil {
			return nil, err
		}
		l.orderEpoch = epoch
	}
	return l.order, nil
}

// Batches returns the batches from where the Loader is to the end of the epoch, by their numbers in it. The next loop
// is over the next epoch; a loop that is left early goes on with the next batch. Err says whether a loop has ended
// because of an error.
//
//	for _, b := range data.Batches() {
//		trainer.Step(b...)
//	}
func (l *Loader) Batches() iter.Seq2[int, []*tensor.Tensor] {
	return func(yield func(int, []*tensor.Tensor) bool) {
		l.mu.Lock()
		first := l.at
		l.err = nil
		l.mu.Unlock()
		order, err := l.items(first.Epoch)
		if err == nil && first.Batch > l.batches(len(order)) {
			err = fmt.Errorf("train: the loader is at batch %d of %d of an epoch: its data was another when that was "+
				"noted", first.Batch, l.batches(len(order)))
		}
		if err == nil {
			err = l.loop(first, l.batches(len(order)), yield)
		}
		if err != nil {
			l.mu.Lock()
			l.err = err
			l.mu.Unlock()
		}
	}
}

// loop calls yield for the batches from first to the end of its epoch.
func (l *Loader) loop(first LoaderState, end int, yield func(int, []*tensor.Tensor) bool) error {
	next, stop := l.serve(first, end)
	defer stop()
	ahead, err := l.onDevice(next, first.Batch < end)
	for i := first.Batch; i < end; i++ {
		if err != nil {
			return fmt.Errorf("train: epoch %d, batch %d: %w", first.Epoch, i, err)
		}
		batch := ahead
		if l.o.Device != nil { // the copy of the next batch goes on beside the step of this one
			ahead, err = l.onDevice(next, i+1 < end)
		}
		l.SetState(LoaderState{first.Epoch, i + 1})
		if i+1 == end {
			l.SetState(LoaderState{Epoch: first.Epoch + 1})
		}
		if !yield(i, batch) {
			return nil
		}
		if l.o.Device == nil {
			ahead, err = l.onDevice(next, i+1 < end)
		}
	}
	if first.Batch >= end { // of no items, or at the end already
		l.SetState(LoaderState{Epoch: first.Epoch + 1})
	}
	return nil
}

// onDevice is the next batch, on the device of the Loader; nil when there is none.
func (l *Loader) onDevice(next func() ([]*tensor.Tensor, error), more bool) (batch []*tensor.Tensor, err error) {
	if !more {
		return nil, nil
	}
	if batch, err = next(); err != nil || l.o.Device == nil {
		return batch, err
	}
	moved := make([]*tensor.Tensor, len(batch))
	for i, t := range batch {
		if moved[i], err = tensor.Try(func() *tensor.Tensor { return t.ToDevice(l.o.Device) }); err != nil {
			return nil, err
		}
	}
	return moved, nil
}

// String returns how much data there is, and where the Loader is in it.
func (l *Loader) String() string {
	at := l.State()
	return fmt.Sprintf("train.Loader: %d items in batches of %d; next is batch %d of epoch %d", l.data.Len(), l.o.Batch, at.Batch, at.Epoch)
}
