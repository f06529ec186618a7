#!/bin/sh
# Builds gorocm and installs it with its Jupyter kernel, tells what was found on this machine, and runs a first session.
#
#   ./install.sh               install, or update an older version
#   ./install.sh --uninstall   remove the program and the kernel
#   ./install.sh --help        show this
#
# The program goes to $PREFIX/bin when PREFIX is set, else to $GOBIN when that is set, else to ~/.local/bin.
set -eu

say() { printf '%s\n' "$*"; }
fail() {
	printf 'install.sh: %s\n' "$*" >&2
	exit 1
}
step() { printf '\n== %s\n' "$*"; }

bin_folder() {
	if [ -n "${PREFIX:-}" ]; then
		say "$PREFIX/bin"
	elif [ -n "${GOBIN:-}" ]; then
		say "$GOBIN"
	elif [ -n "${HOME:-}" ]; then
		say "$HOME/.local/bin"
	else
		fail 'neither PREFIX nor HOME is set: PREFIX=/usr/local ./install.sh'
	fi
}

# find_go sets go to a Go command, also where it is installed but not on PATH.
find_go() {
	for go in go /usr/local/go/bin/go /usr/lib/go-1.26/bin/go "${HOME:-}/go/bin/go" "${HOME:-}/sdk/go/bin/go"; do
		if command -v "$go" >/dev/null 2>&1; then
			return
		fi
	done
	fail 'there is no Go here. gorocm is built with Go 1.26 or later: https://go.dev/dl has it for every system
  (download, unpack to /usr/local, put /usr/local/go/bin on PATH), then run this again.'
}

# check_go makes sure that the version is enough. Go 1.21 and later fetch the version of go.mod by themselves when they may.
check_go() {
	have=$("$go" env GOVERSION) || fail "\"$go\" cannot use the version of Go that go.mod asks for (its message is above).
  Install Go 1.26 or later from https://go.dev/dl, or let Go fetch it: GOTOOLCHAIN=auto ./install.sh"
	say "$have ($(command -v "$go"))"
	number=${have#go}
	major=${number%%.*}
	rest=${number#*.}
	minor=${rest%%[!0-9]*}
	case $major$minor in
	*[!0-9]* | '') return ;; # a development version
	esac
	if [ "$major" -lt 1 ] || { [ "$major" -eq 1 ] && [ "$minor" -lt 26 ]; }; then
		fail "this is $have, and gorocm needs Go 1.26 or later: https://go.dev/dl"
	fi
}

uninstall() {
	if [ -x "$bin/gorocm" ]; then
		"$bin/gorocm" uninstall || true # the kernel may have been removed already, which it says
		rm -f -- "$bin/gorocm"
		say "removed $bin/gorocm"
	else
		say "gorocm is not installed in $bin"
	fi
	say 'Kept: the history in ~/.local/state/gorocm and compiled kernels in ~/.cache/gorocm.'
}

first_session() {
	"$bin/gorocm" --echo -e 'dev := Device("auto")
dev' -e 'x := dev.Randn(tensor.F32, 3, 4)
x' -e 'x.MatMul(x.T()).Softmax(-1)' -e 'x.Mean(-1).ToVec1()'
}

usage() {
	say 'Builds gorocm and installs it with its Jupyter kernel, tells what was found on this machine, and runs a first session.

  ./install.sh               install, or update an older version
  ./install.sh --uninstall   remove the program and the kernel
  ./install.sh --help        show this

The program goes to $PREFIX/bin when PREFIX is set, else to $GOBIN when that is set, else to ~/.local/bin:

  PREFIX=/opt/gorocm ./install.sh

It needs Go 1.26 or later, and takes one to two minutes the first time.'
}

# check_folder fails before the build where the program could not be written after it.
check_folder() {
	mkdir -p -- "$bin" 2>/dev/null || fail "the folder $bin cannot be made. PREFIX names another one: PREFIX=\$HOME/gorocm ./install.sh"
	[ -w "$bin" ] || fail "the folder $bin cannot be written to. PREFIX names another one: PREFIX=\$HOME/gorocm ./install.sh"
	[ ! -d "$bin/gorocm" ] || fail "$bin/gorocm is a folder: the program would have its name"
}

case ${1:-} in
'' | --uninstall) ;;
-h | --help)
	usage
	exit 0
	;;
*) fail "unknown argument $1: there are --uninstall and --help" ;;
esac
[ $# -le 1 ] || fail 'too many arguments: there are --uninstall and --help'

bin=$(bin_folder)
case $bin in
/*) ;;
*) bin=$PWD/$bin ;;
esac
cd "$(dirname -- "$0")"
if [ "${1:-}" = --uninstall ]; then
	uninstall
	exit 0
fi

check_folder
step 'Go'
find_go
check_go

step 'Build (a minute or two, the first time)'
new=$bin/.gorocm.new.$$
trap 'rm -f -- "$new"' EXIT
trap 'exit 1' HUP INT TERM
source=$("$go" run ./internal/gen/source) # where its source is, so that sessions can compile modules into it
CGO_ENABLED=0 "$go" build -trimpath -ldflags "$source" -o "$new" ./cmd/gorocm
# Newer systems count all of a large piece of the page cache for each process that needs a page of it, and what was just
# written lies there in large pieces. Read anew it lies in small ones.
dd if=/dev/null of="$new" oflag=nocache conv=notrunc,fdatasync count=0 2>/dev/null || true
mv -f -- "$new" "$bin/gorocm" # at once, also while an older one runs
say "$bin/gorocm"
case :${PATH:-}: in
*:"$bin":*) ;;
*) say "$bin is not on PATH. Add it in your shell's profile:"
	say "  export PATH=\"$bin:\$PATH\"" ;;
esac

step 'Jupyter kernel'
"$bin/gorocm" install

step 'This machine'
"$bin/gorocm" doctor

step 'A first session'
first_session

step 'Done'
say 'Start a session with gorocm, or choose the kernel Go (gorocm) in Jupyter.'
