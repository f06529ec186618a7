package frame

import (
	"errors"
	"iter"
	"sync"

	"github.com/gorocm/gorocm/internal/interrupt"
	"github.com/gorocm/gorocm/tensor/frame/internal/csvtext"
)

var errInterrupted = errors.New("csv: interrupted")

// ordered calls work for what next returns, until that is nil, on several goroutines, and yields the results in order.
// It reads no further than it must ahead of the consumer. A result that ends the work is the last one.
func ordered(cores int, next func() *csvtext.Text, work func(*csvtext.Text) *csvPart) iter.Seq[*csvPart] {
	return func(yield func(*csvPart) bool) {
		type job struct {
			text *csvtext.Text
			done chan *csvPart
		}
		jobs, inOrder, stop := make(chan job), make(chan job, 2*cores), make(chan struct{})
		var running sync.WaitGroup
		running.Add(1)
		go func() {
			defer running.Done()
			defer close(inOrder)
			defer close(jobs)
			for {
				text := next()
				if text == nil {
					return
				}
				j := job{text, make(chan *csvPart, 1)}
				for _, to := range []chan job{inOrder, jobs} {
					select {
					case to <- j:
					case <-stop:
						return
					}
				}
				if text.Err != nil {
					return
				}
			}
		}()
		for range cores {
			running.Add(1)
			go func() {
				defer running.Done()
				for j := range jobs {
					j.done <- work(j.text)
				}
			}()
		}
		defer running.Wait()
		defer close(stop)
		interrupted, once := make(chan struct{}), sync.Once{}
		defer interrupt.Watch(func() { once.Do(func() { close(interrupted) }) })() // by the session, if a cell reads
		for j := range inOrder {
			select {
			case part := <-j.done:
				if !yield(part) || part.err != nil || part.last {
					return
				}
			case <-interrupted:
				yield(&csvPart{err: errInterrupted})
				return
			}
		}
	}
}
