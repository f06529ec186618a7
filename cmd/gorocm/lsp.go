package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/gorocm/gorocm/repl/lsp"
)

func lspCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "lsp",
		Short: "Serve an editor with the language server protocol (JupyterLab and VS Code start this)",
		Args:  cobra.NoArgs,
		RunE: work(func(*cobra.Command, []string) error {
			return lsp.Serve(os.Stdin, os.Stdout, version)
		}),
		FParseErrWhitelist: cobra.FParseErrWhitelist{UnknownFlags: true}, // such as --stdio
	}
}
