package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/gorocm/gorocm/internal/folders"
)

func configCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config [KEY]",
		Short: "Show or change the settings of the terminal session",
		Long: `Show the settings, or one of them. They are stored in one TOML file, ` + folders.ConfigVariable + `/gorocm/config.toml or $GOROCM_CONFIG.
Environment variables such as NO_COLOR override the file.`,
		Example: `  gorocm config
  gorocm config set editor "code --wait"
  gorocm config unset editor`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeKeys,
		RunE: work(func(cmd *cobra.Command, args []string) error {
			s, err := readSettings()
			if err != nil {
				return err
			}
			return showSettings(cmd, s, args)
		}),
	}
	cmd.AddCommand(
		&cobra.Command{Use: "set KEY VALUE", Short: "Write a setting into the file", Args: cobra.ExactArgs(2),
			ValidArgsFunction: completeKeys,
			RunE: work(func(_ *cobra.Command,
				args []string) error {
				return changeSetting(args[0], &args[1])
			})},
		&cobra.Command{Use: "unset KEY", Short: "Remove a setting from the file", Args: cobra.ExactArgs(1),
			ValidArgsFunction: completeKeys,
			RunE: work(func(_ *cobra.Command,
				args []string) error {
				return changeSetting(args[0], nil)
			})},
		&cobra.Command{Use: "path", Short: "Print the path of the file", Args: cobra.NoArgs,
			RunE: work(func(cmd *cobra.Command, _ []string) error {
				path, err := configFile()
				if err == nil {
					fmt.Fprintln(cmd.OutOrStdout(), path)
				}
				return err
			})},
	)
	return cmd
}

func completeKeys(_ *cobra.Command, args []string, _ string) (words []string, _ cobra.ShellCompDirective) {
	for _, f := range defaults().list() {
		switch {
		case len(args) == 0:
			words = append(words, f.key+"\t"+f.doc)
		case len(args) == 1 && args[0] == f.key:
			words = f.values
		}
	}
	return words, cobra.ShellCompDirectiveNoFileComp
}

func unknownSetting(key string) error {
	var keys []string
	for _, f := range defaults().list() {
		keys = append(keys, f.key)
	}
	return fmt.Errorf("unknown setting %s; the settings are %s", key, strings.Join(keys, ", "))
}

// showSettings writes the value of one setting, or all of them with what they are for.
func showSettings(cmd *cobra.Command, s *settings, keys []string) error {
	out := cmd.OutOrStdout()
	if len(keys) == 0 {
		w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
		for _, f := range s.list() {
			fmt.Fprintf(w, "%s = %s\t# %s\n", f.key, f.text(), f.doc)
		}
		return w.Flush()
	}
	for _, f := range s.list() {
		if f.key == keys[0] {
			fmt.Fprintln(out, f.value.Interface())
			return nil
		}
	}
	return unknownSetting(keys[0])
}

// changeSetting sets a key of the file, or removes it with nil. Everything else in the file stays, comments too.
func changeSetting(key string, value *string) error {
	path, err := configFile()
	if err != nil {
		return err
	}
	s, text := defaults(), ""
	known := false
	for _, f := range s.list() {
		if f.key != key {
			continue
		}
		known = true
		if value != nil {
			if err := f.parse(*value); err != nil {
				return err
			}
			text = f.text()
		}
	}
	if !known {
		return unknownSetting(key)
	}
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	before := defaults()
	if err := before.decode(path, data); err != nil {
		return err // it would be changed in the wrong place, maybe
	}
	if text, err = withSetting(string(data), key, text); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	after := defaults()
	if err := after.decode(path, []byte(text)); err != nil || !changedOnly(before, after, s, key) {
		return fmt.Errorf("%s is as it was: it has lines in which %s cannot be changed; an editor can", path, key)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return writeSettings(path, text)
}

// changedOnly reports whether a key of after is what it is in want, and everything else what it is in before.
func changedOnly(before, after, want *settings, key string) bool {
	old, wanted := before.list(), want.list()
	for i, f := range after.list() {
		expected := old[i]
		if f.key == key {
			expected = wanted[i]
		}
		if f.text() != expected.text() {
			return false
		}
	}
	return true
}

// writeSettings writes the file at once, so that a session that starts meanwhile reads one or the other. A link stays.
func writeSettings(path, text string) error {
	mode := fs.FileMode(0o644)
	if to, err := filepath.EvalSymlinks(path); err == nil {
		path = to
		if info, err := os.Stat(path); err == nil {
			mode = info.Mode().Perm()
		}
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".config-")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString(text)
	if err := errors.Join(err, f.Chmod(mode), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
