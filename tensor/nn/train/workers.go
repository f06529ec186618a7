package train

import (
	"fmt"
	"sync"

	"github.com/gorocm/gorocm/tensor"
)

// made is a batch that a worker has made.
type made struct {
	tensors []*tensor.Tensor
	err     error
}

// serve returns the function that gives the batches from first on, in their order, and one that ends the workers and
// waits for them.
func (l *Loader) serve(first LoaderState, end int) (next func() ([]*tensor.Tensor, error), stop func()) {
	at := first.Batch
	if l.o.Workers == 0 {
		return func() ([]*tensor.Tensor, error) {
			at++
			return l.make(LoaderState{first.Epoch, at - 1})
		}, func() {}
	}
	// A batch has a channel of its own, in which its worker puts it; the channels are in the order of the batches, and
	// there are as many as may be ready.
	type job struct {
		batch int
		done  chan made
	}
	jobs, results := make(chan job), make(chan chan made, l.o.Workers*l.o.Prefetch)
	quit := make(chan struct{})
	var wait sync.WaitGroup
	wait.Go(func() {
		defer close(jobs)
		for i := first.Batch; i < end; i++ {
			j := job{i, make(chan made, 1)}
			select {
			case results <- j.done:
			case <-quit:
				return
			}
			select {
			case jobs <- j:
			case <-quit:
				return
			}
		}
	})
	for range l.o.Workers {
		wait.Go(func() {
			for j := range jobs {
				batch, err := l.make(LoaderState{first.Epoch, j.batch})
				j.done <- made{batch, err}
			}
		})
	}
	next = func() ([]*tensor.Tensor, error) {
		m := <-<-results
		return m.tensors, m.err
	}
	return next, func() { close(quit); wait.Wait() }
}

// make reads, transforms and collates the items of a batch.
func (l *Loader) make(s LoaderState) (batch []*tensor.Tensor, err error) {
	ids, err := l.IDs(s)
	if err != nil {
		return nil, err
	}
	if whole, ok := l.data.(batcher); ok && l.o.Transform == nil && l.stacks {
		return batch, catch(func() error { batch, err = whole.batch(ids); return err })
	}
	items := make([]Item, len(ids))
	for i, id := range ids {
		if items[i], err = l.item(s.Epoch, id); err != nil {
			return nil, fmt.Errorf("item %d: %w", id, err)
		}
	}
	return batch, catch(func() error { batch, err = l.o.Collate(items); return err })
}

func (l *Loader) item(epoch, id int) (item Item, err error) {
	err = catch(func() error {
		if item, err = l.data.At(id); err != nil || l.o.Transform == nil {
			return err
		}
		item, err = l.o.Transform(item, generator(l.o.Seed, uint64(epoch), uint64(id)))
		return err
	})
	return item, err
}

// catch returns what f returns, or the panic that ends it: a worker must not end the program.
func catch(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = panicked(p)
		}
	}()
	return tensor.Catch(f)
}

// panicked is a panic as an error.
func panicked(p any) error {
	if err, ok := p.(error); ok {
		return fmt.Errorf("panic: %w", err)
	}
	return fmt.Errorf("panic: %v", p)
}
