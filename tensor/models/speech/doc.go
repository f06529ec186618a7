// Package speech has models of sound: Whisper, which writes down what is said, with the times.
//
//	m, err := speech.Open("whisper-base", dev) // a folder of Hugging Face
//	t, err := m.TranscribeFile("talk.wav")
//	fmt.Println(t.Text())
//
// A sound goes through these steps:
//
//	mel.go          samples → the logarithms of mel spectra, a frame each 10 ms
//	whisper.go      windows of 30 s of them → rows (the encoder), and rows and tokens → logits (the decoder)
//	rules.go        which tokens may follow: timestamps come in pairs, and never go back
//	window.go       a window → tokens, with a higher temperature where they seem wrong
//	transcribe.go   windows one after the other → segments
//
// The detector of speech of package models (SileroVAD) finds where there is speech at all.
package speech
