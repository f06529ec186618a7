package jupyter

import (
	"bytes"
	"crypto/hmac"
	"crypto/md5"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-zeromq/zmq4"
)

// TestHostileMessages: messages over a good connection that are forged, broken, or odd. Each is dropped with a line in
// the log that says why, or it is signed and answered, and then the next good request is answered.
func TestHostileMessages(t *testing.T) {
	k := startKernel(t, setup{})
	c := dial(t, k)
	const empty = "{}"
	next := 0
	named := func(kind string) string {
		next++
		return fmt.Sprintf(`{"msg_id":"hostile %d","msg_type":%q}`, next, kind)
	}
	signed := func(parts ...string) []string {
		raw := make([][]byte, len(parts))
		for i, p := range parts {
			raw[i] = []byte(p)
		}
		sum := c.codec.sign(raw[:min(4, len(raw))])
		return append([]string{delimiter, hex.EncodeToString(sum[:])}, parts...)
	}
	forged := func(signature string) []string {
		frames := signed(named("shutdown_request"), empty, empty, `{"restart":false}`)
		frames[1] = signature
		return frames
	}
	otherKey := forged(func() string {
		sum := newCodec("another key", nil).sign([][]byte{[]byte(named("shutdown_request")), []byte(empty), []byte(empty),
			[]byte(empty)})
		return hex.EncodeToString(sum[:])
	}())
	md5Scheme := func() []string {
		header := named("shutdown_request")
		mac := hmac.New(md5.New, c.codec.key)
		mac.Write([]byte(header + empty + empty + empty))
		return []string{delimiter, hex.EncodeToString(mac.Sum(nil)), header, empty, empty, empty}
	}()
	replayed := signed(named("kernel_info_request"), empty, empty, empty)
	upper := signed(named("kernel_info_request"), empty, empty, empty)
	upper[1] = strings.ToUpper(upper[1])
	moved := signed(named("execute_request"), empty, empty, `{"code":"print moved"}`)
	moved[3], moved[5] = moved[5], moved[3]
	deep := `{"code":` + strings.Repeat("[", 200000) + strings.Repeat("]", 200000) + "}"
	deepEnough := `{"code":"","x":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + "}"
	tests := []struct {
		name   string
		frames []string
		log    string // why it is dropped
		reply  string // status of the reply to a message that is not dropped; "none" for those that have no reply
	}{
		{"nothing but an empty frame", []string{""}, errDelimiter.Error(), ""},
		{"no delimiter", []string{"a", "b", "c", "d", "e", "f"}, errDelimiter.Error(), ""},
		{"delimiter only", []string{delimiter}, errShort.Error(), ""},
		{"delimiters only", slices.Repeat([]string{delimiter}, 7), errSignature.Error(), ""},
		{"too many routes", append(slices.Repeat([]string{"route"}, maxRoutes+1),
			signed(named("kernel_info_request"), empty, empty, empty)...), errDelimiter.Error(), ""},
		{"too few parts", signed(named("kernel_info_request"), empty, empty), errShort.Error(), ""},
		{"empty parts", signed("", "", "", ""), "it is not a JSON object", ""},
		{"no signature", forged(""), errSignature.Error(), ""},
		{"zeros for a signature", forged(strings.Repeat("0", 64)), errSignature.Error(), ""},
		{"noise for a signature", forged(strings.Repeat("\xff", 64)), errSignature.Error(), ""},
		{"half a signature", forged(forged("")[1] + "abcd"), errSignature.Error(), ""},
		{"another key", otherKey, errSignature.Error(), ""},
		{"another scheme", md5Scheme, errSignature.Error(), ""},
		{"parts moved", moved, errSignature.Error(), ""},
		{"sent first", replayed, "", "ok"},
		{"sent again", replayed, errReplay.Error(), ""},
		{"upper case signature", upper, "", "ok"},
		{"header of a list", signed("[1,2]", empty, empty, empty), "header: it is not a JSON object", ""},
		{"header of other types", signed(`{"msg_id":{},"msg_type":[]}`, empty, empty, empty), "header: ", ""},
		{"header of null types", signed(`{"msg_id":null,"msg_type":null}`, empty, empty, empty), "is missing", ""},
		{"header without an ID", signed(`{"msg_type":"kernel_info_request"}`, empty, empty, empty), "is missing", ""},
		{"header cut", signed(named("kernel_info_request")[:20], empty, empty, empty), "it is not valid JSON", ""},
		{"header too large", signed(named(strings.Repeat("k", maxHeader)), empty, empty, empty), "the header has", ""},
		{"header not UTF-8", signed("{\"msg_id\":\"\xff\",\"msg_type\":\"kernel_info_request\"}", empty, empty, empty),
			"it is not UTF-8", ""},
		{"content not UTF-8", signed(named("execute_request"), empty, empty, "{\"code\":\"\xc3\x28\"}"),
			"it is not UTF-8", ""},
		{"content cut", signed(named("execute_request"), empty, empty, `{"code":"print`), "it is not valid JSON", ""},
		{"content a list", signed(named("execute_request"), empty, empty, `["print"]`),
			"content: it is not a JSON object", ""},
		{"content too deep", signed(named("execute_request"), empty, empty, deep), "it is not valid JSON", ""},
		{"content deep", signed(named("execute_request"), empty, empty, deepEnough), "", "ok"},
		{"content of other types", signed(named("execute_request"), empty, empty, `{"code":{"a":[1]}}`), "", "error"},
		{"code of half a surrogate", signed(named("execute_request"), empty, empty, `{"code":"print \ud800"}`), "",
			"ok"},
		{"code with NUL", signed(named("execute_request"), empty, empty, `{"code":"print \u0000"}`), "", "ok"},
		{"numbers without bounds", signed(named("complete_request"), empty, empty, `{"code":"pri","cursor_pos":1e400}`),
			"", "error"},
		{"the same key twice", signed(named("execute_request"), empty, empty, `{"code":"print a","code":"print b"}`),
			"", "ok"},
		{"unknown type", signed(named("frobnicate_request"), empty, empty, empty), "unknown message type", "none"},
		{"type in capitals", signed(named("EXECUTE_REQUEST"), empty, empty, empty), "unknown message type", "none"},
		{"a reply as a request", signed(named("execute_reply"), empty, empty, `{"status":"ok"}`),
			"unknown message type", "none"},
		{"many buffers", append(signed(named("kernel_info_request"), empty, empty, empty),
			slices.Repeat([]string{"\x00\xff"}, 200)...), "", "ok"},
		{"parent of other types", signed(named("kernel_info_request"), `{"msg_id":7,"msg_type":[]}`, empty, empty), "",
			"ok"},
		{"parent and metadata null", signed(named("kernel_info_request"), "null", "null", empty), "", "ok"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			before := strings.Count(k.log.String(), test.log)
			frames := make([][]byte, len(test.frames))
			for i, f := range test.frames {
				frames[i] = []byte(f)
			}
			if err := c.shell.SendMulti(zmq4.NewMsgFrom(frames...)); err != nil {
				t.Fatal(err)
			}
			if test.reply != "" && test.reply != "none" {
				r := c.next(c.shell)
				if !bytes.Contains(frames[2], []byte(r.parent.ID)) || r.content["status"] != test.reply {
					t.Errorf("answered with %s of %q: %v", r.Type, r.parent.ID, r.content)
				}
			}
			id := c.send(c.shell, "kernel_info_request", nil)
			if r := c.next(c.shell); r.parent.ID != id {
				t.Errorf("answered with %s of %q: %v", r.Type, r.parent.ID, r.content)
			}
			if test.log != "" && strings.Count(k.log.String(), test.log) != before+1 {
				t.Errorf("the log does not say %q", test.log)
			}
			alive(t, c)
		})
	}
}
