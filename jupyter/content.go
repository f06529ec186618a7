package jupyter

import (
	"encoding/json"
	"strings"

	"github.com/gorocm/gorocm/display"
)

// The contents of messages, as the messaging specification names them. Requests first.

type executeRequest struct {
	Code            string            `json:"code"`
	Silent          bool              `json:"silent"`
	StoreHistory    *bool             `json:"store_history"` // true unless silent
	UserExpressions map[string]string `json:"user_expressions"`
	AllowStdin      bool              `json:"allow_stdin"`
	StopOnError     *bool             `json:"stop_on_error"` // true
}

type completeRequest struct {
	Code   string `json:"code"`
	Cursor *int   `json:"cursor_pos"` // in code points; the end of the code where it is missing
}

type inspectRequest struct {
	Code   string `json:"code"`
	Cursor *int   `json:"cursor_pos"`
	Detail int    `json:"detail_level"`
}

type isCompleteRequest struct {
	Code string `json:"code"`
}

type historyRequest struct {
	Output  bool   `json:"output"`
	Access  string `json:"hist_access_type"` // range, tail or search
	Session int    `json:"session"`
	Start   int    `json:"start"`
	Stop    *int   `json:"stop"`
	N       *int   `json:"n"`
	Pattern string `json:"pattern"`
	Unique  bool   `json:"unique"`
}

type inputReply struct {
	Value string `json:"value"`
}

type shutdownRequest struct {
	Restart bool `json:"restart"`
}

type commInfoRequest struct {
	Target string `json:"target_name"` // only comms of this one; empty: all
}

type subshellRequest struct {
	ID string `json:"subshell_id"`
}

type debugRequest struct {
	Seq     int    `json:"seq"`
	Command string `json:"command"`
}

// Replies.

const (
	statusOK      = "ok"
	statusError   = "error"
	statusAborted = "aborted"
)

type okReply struct {
	Status string `json:"status"`
}

type errorReply struct {
	Status    string   `json:"status"`
	Name      string   `json:"ename"`
	Value     string   `json:"evalue"`
	Traceback []string `json:"traceback"`
}

type executeReply struct {
	Status          string         `json:"status"`
	Count           int            `json:"execution_count"`
	UserExpressions map[string]any `json:"user_expressions"`
	Payload         []any          `json:"payload"`
}

type executeError struct {
	errorReply
	Count           int            `json:"execution_count"`
	UserExpressions map[string]any `json:"user_expressions"`
	Payload         []any          `json:"payload"`
}

type askExit struct {
	Source     string `json:"source"`
	KeepKernel bool   `json:"keepkernel"`
}

// page is displayed in the pager, apart from the cell's output.
type page struct {
	Source string   `json:"source"`
	Data   mimeData `json:"data"`
	Start  int      `json:"start"`
}

// nextInput puts text into the cell that asked, or into the next one.
type nextInput struct {
	Source  string `json:"source"`
	Text    string `json:"text"`
	Replace bool   `json:"replace"`
}

type completeReply struct {
	Status   string         `json:"status"`
	Matches  []string       `json:"matches"`
	Start    int            `json:"cursor_start"`
	End      int            `json:"cursor_end"`
	Metadata map[string]any `json:"metadata"`
}

// typedMatch is an entry of the metadata _jupyter_types_experimental.
type typedMatch struct {
	Text      string `json:"text"`
	Type      string `json:"type"`
	Start     int    `json:"start"`
	End       int    `json:"end"`
	Signature string `json:"signature,omitempty"`
}

type inspectReply struct {
	Status   string         `json:"status"`
	Found    bool           `json:"found"`
	Data     mimeData       `json:"data"`
	Metadata map[string]any `json:"metadata"`
}

type isCompleteReply struct {
	Status string  `json:"status"`
	Indent *string `json:"indent,omitempty"` // only of incomplete code
}

type historyReply struct {
	Status  string `json:"status"`
	History []any  `json:"history"`
}

type kernelInfoReply struct {
	Status          string       `json:"status"`
	ProtocolVersion string       `json:"protocol_version"`
	Implementation  string       `json:"implementation"`
	Version         string       `json:"implementation_version"`
	Language        languageInfo `json:"language_info"`
	Banner          string       `json:"banner"`
	Debugger        bool         `json:"debugger"`
	HelpLinks       []helpLink   `json:"help_links"`
	// Features are the optional parts of the protocol that the kernel supports.
	Features []string `json:"supported_features"`
}

type languageInfo struct {
	Name         string `json:"name"`
	Version      string `json:"version"`
	MIME         string `json:"mimetype"`
	Extension    string `json:"file_extension"`
	Lexer        string `json:"pygments_lexer"`
	CodeMirror   string `json:"codemirror_mode"`
	NBConvertExp string `json:"nbconvert_exporter"`
}

type helpLink struct {
	Text string `json:"text"`
	URL  string `json:"url"`
}

type connectReply struct {
	Status    string `json:"status"`
	Shell     int    `json:"shell_port"`
	IOPub     int    `json:"iopub_port"`
	Stdin     int    `json:"stdin_port"`
	Heartbeat int    `json:"hb_port"`
	Control   int    `json:"control_port"`
}

type commInfoReply struct {
	Status string              `json:"status"`
	Comms  map[string]commInfo `json:"comms"`
}

type commInfo struct {
	Target string `json:"target_name"`
}

type shutdownReply struct {
	Status  string `json:"status"`
	Restart bool   `json:"restart"`
}

type subshellReply struct {
	Status string `json:"status"`
	ID     string `json:"subshell_id"`
}

type subshellList struct {
	Status string   `json:"status"`
	IDs    []string `json:"subshell_id"`
}

// usageReply is what ipykernel answers. Fields that the system does not tell are left out.
type usageReply struct {
	Hostname string  `json:"hostname"`
	PID      int     `json:"pid"`
	CPUs     int     `json:"cpu_count"`
	CPU      float64 `json:"kernel_cpu"`                 // of the kernel's processes, in percent of one CPU
	Memory   int     `json:"kernel_memory,omitempty"`    // of the kernel's processes, in bytes
	HostCPU  float64 `json:"host_cpu_percent,omitempty"` // in percent of all CPUs
	// Host is the memory of the machine, with psutil's names.
	Host *hostMemory `json:"host_virtual_memory,omitempty"`
}

type hostMemory struct {
	Total     int     `json:"total"`
	Available int     `json:"available"`
	Percent   float64 `json:"percent"`
	Used      int     `json:"used"`
	Free      int     `json:"free"`
}

// debugFailure is the reply to a debug request that reached no debugger: an error both to Jupyter and to a client that
// reads it as a response of the debug adapter protocol.
type debugFailure struct {
	errorReply
	Type       string `json:"type"`
	RequestSeq int    `json:"request_seq"`
	Success    bool   `json:"success"`
	Command    string `json:"command"`
	Message    string `json:"message"`
}

// Messages on iopub.

type statusContent struct {
	State string `json:"execution_state"`
}

type streamContent struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

type executeInput struct {
	Code  string `json:"code"`
	Count int    `json:"execution_count"`
}

type displayContent struct {
	Data      mimeData       `json:"data"`
	Metadata  map[string]any `json:"metadata"`
	Transient transient      `json:"transient"`
}

type transient struct {
	ID string `json:"display_id,omitempty"`
}

type resultContent struct {
	Count    int            `json:"execution_count"`
	Data     mimeData       `json:"data"`
	Metadata map[string]any `json:"metadata"`
}

type errorContent struct {
	Name      string   `json:"ename"`
	Value     string   `json:"evalue"`
	Traceback []string `json:"traceback"`
}

type clearContent struct {
	Wait bool `json:"wait"`
}

// inputRequest asks the user, on the stdin socket.
type inputRequest struct {
	Prompt   string `json:"prompt"`
	Password bool   `json:"password"`
}

// Messages between the two ends of a comm; both sides send them.

type commOpen struct {
	ID     string          `json:"comm_id"`
	Target string          `json:"target_name"`
	Data   json.RawMessage `json:"data"`
}

type commMessage struct { // comm_msg and comm_close
	ID   string          `json:"comm_id"`
	Data json.RawMessage `json:"data"`
}

// mimeData is a bundle as clients expect it: JSON types as values, all others as strings.
type mimeData map[string]any

func mime(b display.Bundle) mimeData {
	data := make(mimeData, len(b))
	for kind, text := range b {
		data[kind] = text
		if kind == display.MIMEJSON || strings.HasSuffix(kind, "+json") {
			if json.Valid([]byte(text)) {
				data[kind] = json.RawMessage(text)
			}
		}
	}
	return data
}

// orEmpty gives clients that index into metadata an object rather than null.
func orEmpty(m map[string]any) map[string]any {
	if m == nil {
		return map[string]any{}
	}
	return m
}
