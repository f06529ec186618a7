package display

import "testing"

func TestPublish(t *testing.T) {
	var got []Message
	SetPublisher(func(m Message) { got = append(got, m) })
	defer SetPublisher(nil)
	Show(1, "two")
	h := Live("waiting")
	h.Update("done")
	Clear(true)
	other := Live(0)
	want := []Message{
		{Kind: KindDisplay, Data: Bundle{MIMEText: "1"}},
		{Kind: KindDisplay, Data: Bundle{MIMEText: "two"}},
		{Kind: KindDisplay, Data: Bundle{MIMEText: "waiting"}, ID: h.id},
		{Kind: KindUpdate, Data: Bundle{MIMEText: "done"}, ID: h.id},
		{Kind: KindClear, Wait: true},
		{Kind: KindDisplay, Data: Bundle{MIMEText: "0"}, ID: other.id},
	}
	if len(got) != len(want) {
		t.Fatalf("%d messages, want %d: %+v", len(got), len(want), got)
	}
	for i, w := range want {
		if g := got[i]; g.Kind != w.Kind || g.ID != w.ID || g.Wait != w.Wait || g.Data.Text() != w.Data.Text() {
			t.Errorf("message %d: %+v, want %+v", i, g, w)
		}
	}
	if h.id == other.id || h.id == "" {
		t.Errorf("ids %q and %q", h.id, other.id)
	}
}
