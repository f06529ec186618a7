package history

import (
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"modernc.org/sqlite" // the driver, in pure Go
)

const (
	maxInput  = 1 << 20  // bytes of a cell that is kept; longer ones were not typed
	maxOutput = 64 << 10 // bytes of a value's text that are kept
	maxRows   = 200_000  // cells that the file keeps
	waiting   = 16       // questions that may wait

	openFor   = 5 * time.Second // how long to try, and how often, to open a file that others are making
	openAgain = 10 * time.Millisecond

	writeDelay = 100 * time.Millisecond // cells that follow each other so soon are written together
)

// Entry is a cell that ran.
type Entry struct {
	Session, Line int
	Input, Output string // Output is the text of the cell's value
}

// Store is the history of all sessions, and writes one of them. It is safe for concurrent use.
type Store struct {
	log  *slog.Logger
	jobs chan func(db *sql.DB) // done one after the other by one goroutine
	done chan struct{}

	door   sync.Mutex // held while a job is handed over
	closed bool

	mu      sync.Mutex
	pending []Entry // cells that are not written yet

	session int64 // of this one; 0 before its first cell. Only jobs use it
	failed  bool  // writing has failed, and that was told
}

// Open returns the store of a file, which is made if there is none. An empty path keeps this session's cells in memory.
// It returns at once.
func Open(path string, log *slog.Logger) *Store {
	s := &Store{log: log, jobs: make(chan func(*sql.DB), waiting), done: make(chan struct{})}
	go s.work(path)
	return s
}

func (s *Store) work(path string) {
	defer close(s.done)
	db, err := openFile(path)
	if err != nil {
		s.log.Warn("the history is this session's only", "file", path, "error", err)
		if db, err = open(":memory:"); err != nil {
			s.log.Warn("there is no history", "error", err)
		}
	}
	for job := range s.jobs {
		s.write(db)
		job(db)
	}
	if db != nil {
		db.Close()
	}
}

func openFile(path string) (*sql.DB, error) {
	if path == "" {
		return open(":memory:")
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600) // what was typed is nobody else's
	if err != nil {
		return nil, err
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	place := filepath.ToSlash(abs)
	if !strings.HasPrefix(place, "/") { // C:/…
		place = "/" + place
	}
	// Sessions that make the file at the same moment are in each other's way, and SQLite does not wait for all that
	// they do then.
	for end := time.Now().Add(openFor); ; time.Sleep(openAgain) {
		db, err := open((&url.URL{Scheme: "file", Path: place}).String())
		var busy *sqlite.Error
		if !errors.As(err, &busy) || busy.Code()&0xff != sqliteBusy || time.Now().After(end) {
			return db, err
		}
	}
}

// sqliteBusy is SQLite's code for a file that another process has locked.
const sqliteBusy = 5

// pragmas: wait for other sessions' writes; readers and a writer side by side; a power cut may take the last cells, but
// not the file.
const pragmas = "?_pragma=busy_timeout(5000)&_pragma=journal_mode(wal)&_pragma=synchronous(normal)&_pragma=cache_size(-512)&_txlock=immediate"

const tables = `
CREATE TABLE IF NOT EXISTS sessions (session integer primary key autoincrement, start timestamp, end timestamp, num_cmds integer, remark text);
CREATE TABLE IF NOT EXISTS history (session integer, line integer, source text, source_raw text, PRIMARY KEY (session, line));
CREATE TABLE IF NOT EXISTS output_history (session integer, line integer, output text, PRIMARY KEY (session, line));`

func open(name string) (*sql.DB, error) {
	db, err := sql.Open("sqlite", name+pragmas)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1) // one goroutine uses it, and a database in memory is one connection's
	if _, err := db.Exec(tables); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// do hands a job over. It reports false when the store is closed.
func (s *Store) do(job func(*sql.DB)) bool {
	s.door.Lock()
	defer s.door.Unlock()
	if !s.closed {
		s.jobs <- job
	}
	return !s.closed
}

// Add keeps a cell of this session. Line is its number.
func (s *Store) Add(line int, input, output string) {
	if len(input) > maxInput {
		return
	}
	if len(output) > maxOutput {
		output = ""
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pending = append(s.pending, Entry{Line: line, Input: input, Output: output})
	if len(s.pending) == 1 {
		time.AfterFunc(writeDelay, func() { s.do(func(*sql.DB) {}) })
	}
}

// write writes the cells that wait, before any other job.
func (s *Store) write(db *sql.DB) {
	s.mu.Lock()
	cells := s.pending
	s.pending = nil
	s.mu.Unlock()
	if len(cells) == 0 || db == nil {
		return
	}
	if err := s.insert(db, cells); err != nil && !s.failed {
		s.failed = true
		s.log.Warn("cells could not be added to the history", "error", err)
	}
}

func (s *Store) insert(db *sql.DB, cells []Entry) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback() // after Commit it does nothing
	session := s.session
	if session == 0 {
		r, err := tx.Exec(`INSERT INTO sessions (start, remark) VALUES (?, 'gorocm')`,
			time.Now().UTC().Format(time.DateTime))
		if err != nil {
			return err
		}
		if session, err = r.LastInsertId(); err != nil {
			return err
		}
		if _, err := tx.Exec(`DELETE FROM history WHERE rowid <= (SELECT max(rowid) FROM history) - ?`,
			maxRows); err != nil {
			return err
		}
	}
	for _, c := range cells {
		if _, err := tx.Exec(`INSERT OR REPLACE INTO history VALUES (?, ?, ?, ?)`, session, c.Line, c.Input,
			c.Input); err != nil {
			return err
		}
		if c.Output == "" {
			continue
		}
		if _, err := tx.Exec(`INSERT OR REPLACE INTO output_history VALUES (?, ?, ?)`, session, c.Line,
			c.Output); err != nil {
			return err
		}
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	s.session = session
	return nil
}

// closeTime is how long Close waits for a file that others write to.
const closeTime = 500 * time.Millisecond

// Close waits for what is still to be written, but not for ever.
func (s *Store) Close() {
	s.do(func(db *sql.DB) {
		if db != nil && s.session != 0 {
			_, err := db.Exec(`UPDATE sessions SET end = ?1, num_cmds = (SELECT count(*) FROM history WHERE session = ?2) WHERE session = ?2`,
				time.Now().UTC().Format(time.DateTime), s.session)
			if err != nil {
				s.log.Warn("the history's session was not closed", "error", err)
			}
		}
	})
	s.door.Lock()
	if !s.closed {
		s.closed = true
		close(s.jobs)
	}
	s.door.Unlock()
	select {
	case <-s.done:
	case <-time.After(closeTime):
	}
}

// query asks for cells, latest first, and returns them the other way round.
func (s *Store) query(where func() (sql string, args []any)) (list []Entry, err error) {
	done := make(chan struct{})
	asked := s.do(func(db *sql.DB) {
		defer close(done)
		if db == nil {
			return
		}
		text, args := where()
		list, err = rows(db, text, args)
	})
	if !asked {
		return nil, errors.New("history: the store is closed")
	}
	<-done
	if err != nil {
		return nil, fmt.Errorf("history: %w", err)
	}
	slices.Reverse(list)
	return list, nil
}

func rows(db *sql.DB, where string, args []any) (list []Entry, err error) {
	r, err := db.Query(`SELECT history.session, history.line, source_raw, ifnull(output, '') FROM history LEFT JOIN output_history USING (session, line) `+where, args...)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	for r.Next() {
		var e Entry
		if err := r.Scan(&e.Session, &e.Line, &e.Input, &e.Output); err != nil {
			return nil, err
		}
		list = append(list, e)
	}
	return list, r.Err()
}

const latest = ` ORDER BY history.session DESC, history.line DESC LIMIT ?`

// Tail returns the last n cells of all sessions, oldest first. A negative n stands for all.
func (s *Store) Tail(n int) ([]Entry, error) {
	return s.query(func() (string, []any) { return latest, []any{n} })
}

// Before returns the last n cells of other sessions than this one, oldest first.
func (s *Store) Before(n int) ([]Entry, error) {
	return s.query(func() (string, []any) { return `WHERE history.session <> ?` + latest, []any{s.session, n} })
}

// Range returns the cells of one session from line start up to but not including stop; a negative stop stands for the
// end. Session 0 is this one, -1 the one before.
func (s *Store) Range(session, start, stop int) ([]Entry, error) {
	return s.query(func() (string, []any) {
		id := int64(session)
		if session <= 0 {
			id += s.session
		}
		if session < 0 && s.session == 0 { // it has no number yet
			return `WHERE history.session = (SELECT max(session) FROM sessions) + 1 + ? AND history.line >= ? AND (? < 0 OR history.line < ?)` + latest, []any{session, start, stop, stop, -1}
		}
		return `WHERE history.session = ? AND history.line >= ? AND (? < 0 OR history.line < ?)` + latest,
			[]any{id, start, stop, stop, -1}
	})
}

// Search returns the last n cells that a pattern matches as a whole, oldest first: * stands for any text, ? for a
// character and [a-z] for one of some. A negative n stands for all. With unique, of cells with the same text only the
// last is there.
func (s *Store) Search(pattern string, n int, unique bool) ([]Entry, error) {
	if pattern == "" {
		pattern = "*"
	}
	return s.query(func() (string, []any) {
		if unique {
			return `WHERE history.rowid IN (SELECT max(rowid) FROM history WHERE source_raw GLOB ? GROUP BY source_raw)` + latest, []any{pattern, n}
		}
		return `WHERE source_raw GLOB ?` + latest, []any{pattern, n}
	})
}
