package widgets

import (
	"encoding/json"
	"fmt"
	"maps"
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

// player plays sound or a film.
type player struct{ *Widget }

func newPlayer(class, kind string, data []byte, format string, more map[string]any) player {
	state := map[string]any{"value": slices.Clone(data), "format": format, "autoplay": true, "loop": true,
		"controls": true}
	maps.Copy(state, more)
	p := player{newWidget(controls, class, "", state)}
	p.m.text = func() string { return fmt.Sprintf("%s/%s of %d bytes", kind, p.m.get("format"), len(p.Value())) }
	return p
}

// Value is the file. It must not be changed.
func (p player) Value() []byte { return p.m.get("value").([]byte) }

// SetValue changes the file; the format stays.
func (p player) SetValue(data []byte) { p.m.set("value", slices.Clone(data)) }

// SetAutoplay sets whether it plays as soon as it is shown, as it does at first where the browser allows it.
func (p player) SetAutoplay(autoplay bool) { p.m.set("autoplay", autoplay) }

// SetLoop sets whether it begins again at its end, as it does at first.
func (p player) SetLoop(loop bool) { p.m.set("loop", loop) }

// SetControls sets whether there are buttons to play and stop, as there are at first.
func (p player) SetControls(controls bool) { p.m.set("controls", controls) }

// Audio plays sound that can be changed. Package display plays what stays as it is.
type Audio struct{ player }

// NewAudio plays the bytes of a sound file. Format is "mp3", "wav", "ogg" or another one that the browser plays.
func NewAudio(data []byte, format string) *Audio {
	return &Audio{newPlayer("Audio", "audio", data, format, nil)}
}

// Video plays a film that can be changed.
type Video struct{ player }

// NewVideo plays the bytes of a film's file. Format is "mp4", "webm" or another one that the browser plays.
func NewVideo(data []byte, format string) *Video {
	return &Video{newPlayer("Video", "video", data, format, map[string]any{"width": "", "height": ""})}
}

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
