//go:build !unix && !windows

package term

import (
	"errors"
	"image"
	"io"
	"os"
	"time"
)

type mode int

const (
	savedMode mode = iota
	rawMode
	runMode
)

// tty is not known here: sessions read lines as from a pipe.
type tty struct{ guard *guard }

type guard struct{}

func startGuard(*os.File) *guard { return nil }

func (g *guard) dismiss() {}

func openTTY(*os.File, io.Writer) (*tty, error) {
	return nil, errors.New("the line editor needs a Unix terminal")
}

func cellOf(*os.File) image.Point { return image.Point{} }

func (t *tty) input() io.Reader            { return nil }
func (t *tty) write(string)                {}
func (t *tty) enter(mode)                  {}
func (t *tty) readable(time.Duration) bool { return true }
func (t *tty) stop()                       {}
func (t *tty) watch(*editor)               {}
func (t *tty) close()                      {}

func understandsEscapes(*os.File) bool { return true }

const defaultUnicode = false
