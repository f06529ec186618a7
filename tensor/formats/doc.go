// Package formats reads and writes the files that tensors come in.
//
//	weights, err := formats.ReadSafetensors("model.safetensors", dev) // or an index of several files
//	x, err := formats.ReadNpy("x.npy", dev)
//	model, err := formats.OpenGGUF("llama-q4.gguf")
//	state, err := formats.ReadPth("checkpoint.pt", "state_dict", dev)
//	picture, err := formats.ReadImage("cat.jpg", dev)
//	sound, rate, err := formats.ReadAudio("speech.mp3", dev)
//	header, table, err := formats.ReadCSV("iris.csv", dev)
//
// safetensors and GGUF files are mapped: tensors that are not requested are not read, and those for a device are copied
// there straight from the file. Files are not trusted: every size, count and offset is checked against the length of
// the file before memory is taken for it, and an invalid file is an error that says where. Nothing in a file is ever
// run.
package formats
