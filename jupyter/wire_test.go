package jupyter

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

// fixedCodec makes messages that are the same every time.
func fixedCodec() *codec {
	c := newCodec("secret", nil)
	c.session = "5e55"
	c.now = func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 678901000, time.UTC) }
	return c
}

// TestSignature checks the HMAC against one made by Python's hmac module:
//
//	hmac.new(b"secret", b'{"msg_id":"1","msg_type":"t"}' + b"{}"*3, "sha256").hexdigest()
func TestSignature(t *testing.T) {
	c := fixedCodec()
	sum := c.sign([][]byte{[]byte(`{"msg_id":"1","msg_type":"t"}`), []byte("{}"), []byte("{}"), []byte("{}")})
	if got, want := fmt.Sprintf("%x", sum),
		"640eb8fbe1ae976bb1067cad16e43c7c8921011d5dfccb0a7bfe8e4d5c8fb48c"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestDecode(t *testing.T) {
	good := `{"msg_id":"1","msg_type":"t"}`
	signed := func(parts ...string) []string {
		raw := make([][]byte, len(parts))
		for i, p := range parts {
			raw[i] = []byte(p)
		}
		return append([]string{delimiter, fmt.Sprintf("%x", fixedCodec().sign(raw))}, parts...)
	}
	deep := strings.Repeat(`{"a":`, 20000) + "1" + strings.Repeat("}", 20000)
	tests := []struct {
		name   string
		frames []string
		err    string
	}{
		{"good", signed(good, "{}", "{}", "{}"), ""},
		{"routes", append([]string{"a", "b"}, signed(good, "{}", "{}", "{}")...), ""},
		{"buffers", append(signed(good, "{}", "{}", "{}"), "\x00\x01", "x"), ""},
		{"spaces", signed("  "+good, "\n{}", "{ }", "{}"), ""},
		{"nothing", nil, "no <IDS|MSG> frame"},
		{"no delimiter", []string{"a", "b", "c", "d", "e", "f", "g"}, "no <IDS|MSG> frame"},
		{"too many routes", append(make([]string, maxRoutes+1), signed(good, "{}", "{}", "{}")...),
			"no <IDS|MSG> frame"},
		{"truncated", signed(good, "{}", "{}"), "frames are missing"},
		{"only delimiter", []string{delimiter}, "frames are missing"},
		{"no signature", []string{delimiter, "", good, "{}", "{}", "{}"}, "signature is wrong"},
		{"wrong signature", []string{delimiter, strings.Repeat("0", 64), good, "{}", "{}", "{}"}, "signature is wrong"},
		{"odd signature", []string{delimiter, strings.Repeat("z", 64), good, "{}", "{}", "{}"}, "signature is wrong"},
		{"changed", append(signed(good, "{}", "{}", "{}")[:5], `{"code":"evil"}`), "signature is wrong"},
		{"header no object", signed("[]", "{}", "{}", "{}"), "header: it is not a JSON object"},
		{"header broken", signed(`{"msg_id":`, "{}", "{}", "{}"), "header: it is not valid JSON"},
		{"header of other types", signed(`{"msg_id":1,"msg_type":"t"}`, "{}", "{}", "{}"), "header: "},
		{"header not UTF-8", signed("{\"msg_id\":\"\xff\",\"msg_type\":\"t\"}", "{}", "{}", "{}"),
			"header: it is not UTF-8"},
		{"no type", signed(`{"msg_id":"1"}`, "{}", "{}", "{}"), "msg_type is missing"},
		{"large header", signed(`{"msg_id":"1","msg_type":"`+strings.Repeat("t", maxHeader)+`"}`, "{}", "{}", "{}"),
			"the header has"},
		{"empty frames", signed("", "", "", ""), "header: it is not a JSON object"},
		{"parent broken", signed(good, "x", "{}", "{}"), "parent_header: "},
		{"metadata broken", signed(good, "{}", "{", "{}"), "metadata: "},
		{"nulls", signed(good, "null", "null", "null"), ""},
		{"header null", signed("null", "{}", "{}", "{}"), "header: it is not a JSON object"},
		{"content list", signed(good, "{}", "{}", "[]"), "content: it is not a JSON object"},
		{"content deep", signed(good, "{}", "{}", deep), "content: "},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			frames := make([][]byte, len(test.frames))
			for i, f := range test.frames {
				frames[i] = []byte(f)
			}
			m, err := fixedCodec().decode(frames)
			switch {
			case test.err == "" && (err != nil || m.ID != "1" || m.Type != "t"):
				t.Errorf("%v, %v", m, err)
			case test.err != "" && (err == nil || !strings.Contains(err.Error(), test.err)):
				t.Errorf("error %v, want %q", err, test.err)
			}
		})
	}
}

func TestReplay(t *testing.T) {
	c := fixedCodec()
	c.seen = newSeenSet(2)
	var sent [][][]byte
	for range 3 {
		frames, err := c.encode(nil, "t", nil, nil, okReply{statusOK})
		if err != nil {
			t.Fatal(err)
		}
		sent = append(sent, frames)
		if _, err := c.decode(frames); err != nil {
			t.Error(err)
		}
		if _, err := c.decode(frames); !errors.Is(err, errReplay) {
			t.Errorf("played again: %v", err)
		}
	}
	if _, err := c.decode(sent[0]); err != nil {
		t.Errorf("a set of two remembers three: %v", err)
	}
	if _, err := c.decode(sent[2]); !errors.Is(err, errReplay) {
		t.Errorf("the last message is forgotten: %v", err)
	}
}

func TestNoKey(t *testing.T) {
	c := newCodec("", nil)
	frames, err := c.encode(nil, "t", nil, nil, okReply{statusOK})
	if err != nil || len(frames[1]) != 0 {
		t.Fatalf("%v, signature %q", err, frames[1])
	}
	for range 2 {
		if _, err := c.decode(frames); err != nil {
			t.Error(err)
		}
	}
}

func TestCursor(t *testing.T) {
	code := "aé日𝄞z"
	offsets := []int{0, 1, 3, 6, 10, 11}
	for points, offset := range offsets {
		if got := byteOffset(code, &points); got != offset {
			t.Errorf("byteOffset(%d) = %d, want %d", points, got, offset)
		}
		if got := codePoints(code, offset); got != points {
			t.Errorf("codePoints(%d) = %d, want %d", offset, got, points)
		}
	}
	for _, cursor := range []int{6, 1 << 30} {
		if got := byteOffset(code, &cursor); got != len(code) {
			t.Errorf("byteOffset(%d) = %d", cursor, got)
		}
	}
	if got := byteOffset(code, nil); got != len(code) {
		t.Errorf("without a cursor: %d", got)
	}
	if codePoints(code, -1) != 0 || codePoints(code, 99) != 5 {
		t.Error("offsets outside the code are not clamped")
	}
}

func TestWholeRunes(t *testing.T) {
	for text, want := range map[string]int{"": 0, "abc": 3, "a\xc3": 1, "aé": 3, "日\xe6\x97": 3, "\xf0\x9d\x84": 0,
		"𝄞": 4, "\x80\x80\x80\x80": 4, "a\xff": 2} {
		if got := wholeRunes([]byte(text)); got != want {
			t.Errorf("wholeRunes(%q) = %d, want %d", text, got, want)
		}
	}
}

// FuzzDecode: any frames give a message or an error, and what is accepted can be answered.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(delimiter), []byte("sig"), []byte(`{"msg_id":"1","msg_type":"t"}`), []byte("{}"))
	f.Add([]byte("route"), []byte(delimiter), []byte("{"), []byte("\xff"))
	f.Fuzz(func(t *testing.T, a, b, header, content []byte) {
		for _, frames := range [][][]byte{
			{a, b, header, []byte("{}"), []byte("{}"), content},
			{a, b, header, content},
			{[]byte(delimiter), nil, header, header, content, content},
			{[]byte(delimiter), b, a},
		} {
			c := newCodec("", nil)
			m, err := c.decode(frames)
			if err != nil {
				continue
			}
			answer, err := c.encode(m.routes, "t_reply", m, nil, okReply{statusOK})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := c.decode(answer); err != nil {
				t.Errorf("the answer to an accepted message is not valid: %v", err)
			}
			if _, err := newCodec("key", nil).decode(frames); err == nil {
				t.Error("accepted without a signature")
			}
		}
	})
}
