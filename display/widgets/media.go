package widgets

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Image is a picture that can be changed.
type Image struct{ *Widget }

// NewImage shows a picture in its file's format, such as the bytes of a PNG file. Format is "png", "jpeg", "gif",
// "webp" or "svg+xml".
func NewImage(data []byte, format string) *Image {
	i := &Image{newWidget(controls, "Image", "", map[string]any{"value": slices.Clone(data), "format": format,
		"width": "", "height": ""})}
	i.m.text = func() string { return fmt.Sprintf("image/%s of %d bytes", i.m.get("format"), len(i.Value())) }
	return i
}

// Value is the picture's file. It must not be changed.
func (i *Image) Value() []byte { return i.m.get("value").([]byte) }

// SetValue changes the picture; the format stays.
func (i *Image) SetValue(data []byte) { i.m.set("value", slices.Clone(data)) }

// FileUpload is a button that uploads files of the user's machine.
type FileUpload struct{ *Widget }

// File is an uploaded file.
type File struct {
	Name, Type string // of the file, and its MIME type, as the browser says
	Modified   time.Time
	Content    []byte
}

// upload is a file in the state.
type upload struct {
	Name         string `json:"name"`
	Type         string `json:"type"`
	Size         int    `json:"size"`
	LastModified int64  `json:"last_modified"`
	Content      []byte `json:"content,omitempty"`
}

// UnmarshalJSON refuses a file whose content is not all there.
func (u *upload) UnmarshalJSON(raw []byte) error {
	type plain upload
	if err := json.Unmarshal(raw, (*plain)(u)); err != nil {
		return err
	}
	if len(u.Content) != u.Size {
		return fmt.Errorf("%d bytes of the %d of file %q", len(u.Content), u.Size, u.Name)
	}
	return nil
}

func withoutContent(files []upload) []upload {
	out := slices.Clone(files)
	for i := range out {
		out[i].Content = nil
	}
	return out
}

// NewFileUpload makes a button for one file, or several. Accept lists what the browser offers, as in HTML:
// ".csv,image/*"; empty for all files.
func NewFileUpload(accept string, multiple bool) *FileUpload {
	u := &FileUpload{described("FileUpload", "ButtonStyle", map[string]any{"value": []upload{}, "accept": accept,
		"multiple": multiple, "description": "Upload", "disabled": false, "icon": "upload", "button_style": "",
		"error": ""})}
	u.m.text = func() string {
		var names []string
		for _, f := range u.Value() {
			names = append(names, f.Name)
		}
		return u.describe("[%s]", strings.Join(names, ", "))
	}
	return u
}

// Value is the files that were uploaded last. Their contents must not be changed.
func (u *FileUpload) Value() []File { return filesOf(u.m.get("value")) }

// OnChange registers a function that is called with the files that the user has uploaded.
func (u *FileUpload) OnChange(f func(files []File)) {
	u.m.onChange("value", func(v any) { f(filesOf(v)) })
}

func filesOf(v any) []File {
	files := []File{}
	for _, u := range v.([]upload) {
		files = append(files, File{u.Name, u.Type, time.UnixMilli(u.LastModified), u.Content})
	}
	return files
}
