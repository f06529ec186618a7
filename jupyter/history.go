package jupyter

import (
	"fmt"
	"log/slog"
	"sync"

	"github.com/gorocm/gorocm/repl/history"
)

// past is the history, which is opened when it is first used, because kernel_info does not need a database.
type past struct {
	file string
	log  *slog.Logger

	mu    sync.Mutex
	store *history.Store
}

func (p *past) open() *history.Store {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.store == nil {
		p.store = history.Open(p.file, p.log)
	}
	return p.store
}

func (p *past) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.store != nil {
		p.store.Close()
	}
}

func (k *kernel) historyRequest(r *request) (any, error) {
	var req historyRequest
	if err := parse(r, &req); err != nil {
		return nil, err
	}
	entries, err := k.findHistory(req)
	if err != nil {
		return nil, err
	}
	list := make([]any, len(entries))
	for i, e := range entries {
		list[i] = [3]any{e.Session, e.Line, e.Input}
		if req.Output {
			output := &e.Output
			if e.Output == "" {
				output = nil
			}
			list[i] = [3]any{e.Session, e.Line, [2]any{e.Input, output}}
		}
	}
	return historyReply{statusOK, list}, nil
}

// findHistory answers a history request, oldest first.
func (k *kernel) findHistory(req historyRequest) ([]history.Entry, error) {
	switch req.Access {
	case "tail":
		return k.history.open().Tail(orAll(req.N))
	case "range":
		return k.history.open().Range(req.Session, req.Start, orAll(req.Stop))
	case "search":
		return k.history.open().Search(req.Pattern, orAll(req.N), req.Unique)
	}
	return nil, fmt.Errorf("history_request: hist_access_type is %q, it must be range, tail or search", req.Access)
}

// orAll is a limit, or none.
func orAll(n *int) int {
	if n == nil {
		return -1
	}
	return max(*n, 0)
}
