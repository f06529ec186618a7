package lsp

// The parts of the Language Server Protocol 3.17 that are used, under their names.

type position struct {
	Line      int `json:"line"`
	Character int `json:"character"` // in UTF-16 code units
}

type textRange struct {
	Start position `json:"start"`
	End   position `json:"end"`
}

type location struct {
	URI   string    `json:"uri"`
	Range textRange `json:"range"`
}

type textEdit struct {
	Range   textRange `json:"range"`
	NewText string    `json:"newText"`
}

type workspaceEdit struct {
	Changes map[string][]textEdit `json:"changes"`
}

type documentID struct {
	URI     string `json:"uri"`
	Version int    `json:"version,omitempty"`
}

type textItem struct {
	URI      string `json:"uri"`
	Language string `json:"languageId"`
	Version  int    `json:"version"`
	Text     string `json:"text"`
}

type contentChange struct {
	Range *textRange `json:"range"` // nil: the whole text
	Text  string     `json:"text"`
}

// placeParams are the parameters of all questions about a place.
type placeParams struct {
	Document documentID `json:"textDocument"`
	Position position   `json:"position"`
	NewName  string     `json:"newName"` // of rename
	Context  struct {
		Declaration bool `json:"includeDeclaration"` // of references
	} `json:"context"`
}

type diagnostic struct {
	Range    textRange `json:"range"`
	Severity int       `json:"severity"`
	Source   string    `json:"source"`
	Message  string    `json:"message"`
}

// Severities of diagnostics.
const (
	severityError       = 1
	severityWarning     = 2
	severityInformation = 3
)

type diagnosticsParams struct {
	URI         string       `json:"uri"`
	Version     int          `json:"version,omitempty"`
	Diagnostics []diagnostic `json:"diagnostics"`
}

type completionList struct {
	Incomplete bool             `json:"isIncomplete"`
	Items      []completionItem `json:"items"`
}

type completionItem struct {
	Label  string     `json:"label"`
	Kind   int        `json:"kind,omitempty"`
	Detail string     `json:"detail,omitempty"`
	Doc    string     `json:"documentation,omitempty"`
	Sort   string     `json:"sortText"`
	Insert string     `json:"insertText,omitempty"`
	Edit   textEdit   `json:"textEdit"`
	Also   []textEdit `json:"additionalTextEdits,omitempty"`
}

// itemKinds are the protocol's numbers for the kinds of a session's completions.
var itemKinds = map[string]int{"method": 2, "function": 3, "field": 5, "variable": 6, "type": 7, "package": 9,
	"keyword": 14, "file": 17, "folder": 19, "constant": 21, "key": 12, "label": 18, "command": 3, "device": 12}

type hover struct {
	Contents markup `json:"contents"`
}

type markup struct {
	Kind  string `json:"kind"`
	Value string `json:"value"`
}

type signatureHelp struct {
	Signatures []signature `json:"signatures"`
	Active     int         `json:"activeSignature"`
	Parameter  int         `json:"activeParameter"`
}

type signature struct {
	Label      string      `json:"label"`
	Parameters []parameter `json:"parameters"`
}

type parameter struct {
	Label [2]int `json:"label"` // from, to in the signature's label, in UTF-16 code units
}

type highlight struct {
	Range textRange `json:"range"`
}

// Notebooks.

type notebookCell struct {
	Kind     int    `json:"kind"` // 1 markup, 2 code
	Document string `json:"document"`
}

type notebookOpen struct {
	Notebook struct {
		URI   string         `json:"uri"`
		Cells []notebookCell `json:"cells"`
	} `json:"notebookDocument"`
	Texts []textItem `json:"cellTextDocuments"`
}

type notebookChange struct {
	Notebook documentID `json:"notebookDocument"`
	Change   struct {
		Cells struct {
			Structure *struct {
				Array struct {
					Start  int            `json:"start"`
					Delete int            `json:"deleteCount"`
					Cells  []notebookCell `json:"cells"`
				} `json:"array"`
				Open  []textItem   `json:"didOpen"`
				Close []documentID `json:"didClose"`
			} `json:"structure"`
			Data  []notebookCell `json:"data"`
			Texts []struct {
				Document documentID      `json:"document"`
				Changes  []contentChange `json:"changes"`
			} `json:"textContent"`
		} `json:"cells"`
	} `json:"change"`
}

type notebookClose struct {
	Notebook documentID   `json:"notebookDocument"`
	Texts    []documentID `json:"cellTextDocuments"`
}

// capabilities are what the server can do, as the answer to initialize says it.
const capabilities = `{
	"positionEncoding": "utf-16",
	"textDocumentSync": {"openClose": true, "change": 2},
	"notebookDocumentSync": {"notebookSelector": [{"notebook": "*", "cells": [{"language": "go"}]}]},
	"completionProvider": {"triggerCharacters": [".", "\"", "/", "%"]},
	"hoverProvider": true,
	"signatureHelpProvider": {"triggerCharacters": ["(", ","]},
	"definitionProvider": true,
	"referencesProvider": true,
	"documentHighlightProvider": true,
	"renameProvider": {"prepareProvider": true}
}`
