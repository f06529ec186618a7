package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/gorocm/gorocm/jupyter/kernelspec"
)

func installCommand() *cobra.Command {
	var o kernelspec.Options
	cmd := &cobra.Command{
		Use:   "install [--user | --sys-prefix | --prefix DIR]",
		Short: "Install the Jupyter kernel",
		Long: `Write the kernelspec that lets Jupyter start this program as the kernel Go (gorocm), and
register its language server with jupyter-lsp. Jupyter need not be installed yet.`,
		Args: cobra.NoArgs,
		RunE: work(func(cmd *cobra.Command, _ []string) error {
			self, err := os.Executable()
			if err != nil {
				return err
			}
			o.Command, o.Server = []string{self, "kernel", "--connection-file"}, []string{self, "lsp"}
			dir, err := kernelspec.Install(o)
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "Jupyter kernel Go (gorocm) installed in %s\n", dir)
			return nil
		}),
	}
	kernelFlags(cmd, &o)
	return cmd
}

func uninstallCommand() *cobra.Command {
	var o kernelspec.Options
	cmd := &cobra.Command{
		Use:   "uninstall [--user | --sys-prefix | --prefix DIR]",
		Short: "Remove the kernel from Jupyter",
		Args:  cobra.NoArgs,
		RunE: work(func(cmd *cobra.Command, _ []string) error {
			dir, err := kernelspec.Uninstall(o)
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "Jupyter kernel removed from %s\n", dir)
			return nil
		}),
	}
	kernelFlags(cmd, &o)
	return cmd
}

// kernelFlags are the places where Jupyter looks, named as Jupyter names them.
func kernelFlags(cmd *cobra.Command, o *kernelspec.Options) {
	cmd.Flags().BoolVar(&o.User, "user", false, "for this user (the default)")
	cmd.Flags().BoolVar(&o.SysPrefix, "sys-prefix", false, "for the active Python environment")
	cmd.Flags().StringVar(&o.Prefix, "prefix", "", "in `DIR`/share/jupyter")
	cmd.MarkFlagsMutuallyExclusive("user", "sys-prefix", "prefix")
}
