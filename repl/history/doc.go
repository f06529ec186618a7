// Package history keeps the cells of all sessions in one database, for the terminal's arrow keys and for Jupyter's
// history requests.
//
//	s := history.Open(path, log)
//	s.Add(1, "x := 1", "")
//	cells, err := s.Tail(100)
//
// The database is SQLite with the tables of IPython's history.sqlite, so that tools for that read it. Many sessions
// write into one file at once, each a row when a cell has run: that rules out stores that one process locks for itself,
// and a log of our own would need its searches and its protection from halves of lines again. SQLite's write-ahead log
// lets readers and one writer go on side by side, and a writer waits a few milliseconds for another.
//
// Cells are written behind the session's back, so that a slow disk holds no cell up; questions wait for what is still
// to be written. A file that cannot be used is told to the log, and the history is this session's only.
package history
