package assist_test

import (
	"errors"
	"os/exec"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/repl/golang"
	"github.com/gorocm/gorocm/repl/modules"
)

// TestAskThirdParty: packages from elsewhere complete and are documented as the library's are.
func TestAskThirdParty(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command")
	}
	if testing.Short() {
		t.Skip("needs the network")
	}
	e, err := golang.New(golang.Options{Modules: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := e.Get(t.Context(), "github.com/google/uuid@v1.6.0", nil); err != nil {
		var me *modules.Error
		if errors.As(err, &me) && strings.Contains(me.Message, "cannot be downloaded") {
			t.Skip("offline: ", me.Message)
		}
		t.Fatal(err)
	}
	run(t, e, 1, "import \"github.com/google/uuid\"\nid := uuid.New()")
	for _, tt := range []struct{ code, want string }{
		{"uuid.NewS|", "NewSHA1 NewString"},
		{"id.Str|", "String"},
		{"uuid.New().URN().|", ""},
		{"uuid.New().Var|", "Variant"},
		{"import \"github.com/goo|", "github.com/google/uuid"},
		{"import \"uuid|", "github.com/google/uuid"},
		{"import u \"github.com/google/uuid\"\nu.MustP|", "MustParse"},
	} {
		cursor := strings.IndexByte(tt.code, '|')
		if got := texts(e.Complete(tt.code[:cursor]+tt.code[cursor+1:], cursor), 9); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.code, got, tt.want)
		}
	}
	if text, _ := e.Inspect("id.String()", 4, 0); !strings.HasPrefix(text,
		"func (uuid uuid.UUID) String() string\n\nString returns the string form of uuid") {
		t.Error(text)
	}
}
