// Package worker runs a session in a child process, so that nothing that user code does can end the front end.
//
//	client, err := worker.Start(worker.Options{Command: []string{self, "worker"}})
//	reply := client.Eval(ctx, repl.Request{Code: "1 + 1"}, draw)
//
// The child calls Serve. The two talk in frames, a length and JSON, on descriptors 3 (to the worker) and 4 (from it).
// The worker announces what it does: that its session has begun, that it has begun with a cell, and that it ends
// because a cell has called os.Exit. So a process that ends without such a word has crashed, whatever its exit status,
// and a cell that it had not begun with runs in the next one. The Go runtime writes its crash report to descriptor 5,
// too, so that nothing on standard error is taken for one: see crash.go. What anything in the worker writes to
// descriptors 1 and 2 is read by the front end; to keep it in order with what a cell shows, the worker writes a mark
// into both where that belongs, and the front end stops reading there until it has told it. A cell's value, which most
// often is the last that it shows, comes with the answer and needs no mark: the front end reads first what is in the
// pipes.
package worker
