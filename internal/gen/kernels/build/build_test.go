package build

import "testing"

func TestWithoutComments(t *testing.T) {
	const source = "int a; // one\n\n/* two\n lines */ int b = 'x'; \t\nconst char *s = \"// no \\\" comment\"; // '\nchar q = '\"'; /* ' */\n"
	const want = "int a;\n  int b = 'x';\nconst char *s = \"// no \\\" comment\";\nchar q = '\"';"
	if got := withoutComments(source); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
