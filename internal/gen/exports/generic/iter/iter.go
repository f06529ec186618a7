// Package iter is the standard library's iter, with goroutines in place of coroutines.
package iter

// Seq is iter.Seq.
type Seq[V any] func(yield func(V) bool)

// Seq2 is iter.Seq2.
type Seq2[K, V any] func(yield func(K, V) bool)

// Pull is iter.Pull. Like there, next and stop must not be called at the same time, and a panic of seq is next's or stop's.
func Pull[V any](seq Seq[V]) (next func() (V, bool), stop func()) {
	next2, stop := Pull2(func(yield func(V, struct{}) bool) {
		seq(func(v V) bool { return yield(v, struct{}{}) })
	})
	return func() (V, bool) {
		v, _, ok := next2()
		return v, ok
	}, stop
}

// Pull2 is iter.Pull2.
func Pull2[K, V any](seq Seq2[K, V]) (next func() (K, V, bool), stop func()) {
	var (
		key               K
		value             V
		started, finished bool
		failed            bool
		failure           any
		resume            = make(chan bool) // whether to go on
		yielded           = make(chan bool) // whether there is a value
	)
	run := func() {
		defer func() {
			if failure = recover(); failure != nil {
				failed = true
			}
			finished = true
			yielded <- false
		}()
		seq(func(k K, v V) bool {
			if finished {
				return false
			}
			key, value = k, v
			yielded <- true
			more := <-resume
			return more
		})
	}
	wait := func() bool {
		ok := <-yielded
		if failed {
			failed = false
			panic(failure)
		}
		return ok
	}
	next = func() (K, V, bool) {
		var k K
		var v V
		if finished {
			return k, v, false
		}
		if started {
			resume <- true
		} else {
			started = true
			go run()
		}
		ok := wait()
		if ok {
			k, v, key, value = key, value, k, v
		}
		return k, v, ok
	}
	stop = func() {
		if finished {
			return
		}
		finished = true
		if started {
			resume <- false
			wait()
		}
	}
	return next, stop
}
