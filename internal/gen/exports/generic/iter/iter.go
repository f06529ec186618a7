// Package iter is the standard library's iter, with goroutines in place of coroutines.
package iter

// Seq is iter.Seq.
type Seq[V any] func(yield func(V) bool)

// Seq2 is iter.Seq2.
type Seq2[K, V any] func(yield func(K, V) bool)

// Pull is iter.Pull. Like there, next and stop must not be called at the same time, and a panic of seq is next's or
// stop's.
func Pull[V any](seq Seq[V]) (next func() (V, bool), stop func()) {
	next2, stop := pull(func(yield func(V, struct{}) bool) {
		seq(func(v V) bool { return yield(v, struct{}{}) })
	}, "iter.Pull")
	return func() (V, bool) {
		v, _, ok := next2()
		return v, ok
	}, stop
}

// Pull2 is iter.Pull2.
func Pull2[K, V any](seq Seq2[K, V]) (next func() (K, V, bool), stop func()) {
	return pull(seq, "iter.Pull2")
}

// pull is Pull2 under a name for its panics. The goroutine of seq and that of the caller take turns: one of them runs.
func pull[K, V any](seq Seq2[K, V], name string) (next func() (K, V, bool), stop func()) {
	var (
		key       K
		value     V
		ok        bool
		started   bool
		done      bool
		yieldNext bool // next has been called, and seq has not answered
		failure   any
		resume    = make(chan struct{})
		paused    = make(chan struct{})
	)
	yield := func(k K, v V) bool {
		if done {
			return false
		}
		if !yieldNext {
			panic(name + ": yield called again before next")
		}
		yieldNext = false
		key, value, ok = k, v, true
		paused <- struct{}{}
		<-resume
		return !done
	}
	run := func() {
		defer func() {
			failure = recover()
			done = true
			close(paused)
		}()
		seq(yield)
	}
	// turn lets seq run until it yields or ends, and takes over its panic.
	turn := func() {
		if started {
			resume <- struct{}{}
		} else {
			started = true
			go run()
		}
		<-paused
		if p := failure; p != nil {
			failure = nil
			panic(p)
		}
	}
	next = func() (K, V, bool) {
		var k K
		var v V
		if done {
			return k, v, false
		}
		if yieldNext {
			panic(name + ": next called again before yield")
		}
		yieldNext = true
		key, value, ok = k, v, false
		turn()
		k, v, key, value = key, value, k, v
		return k, v, ok
	}
	stop = func() {
		if done {
			return
		}
		done = true
		if started {
			turn()
		}
	}
	return next, stop
}
