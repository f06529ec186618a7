// Package onnx imports models of ONNX files (Open Neural Network Exchange) as graphs that run on a device.
//
//	m, err := onnx.Open("resnet50.onnx", dev)
//	m.Inputs() // [x f32 [batch, 3, 224, 224]]
//	m.Forward(x)
//	m.Run(map[string]*tensor.Tensor{"input_ids": ids, "attention_mask": mask})["logits"]
//
// Operators of opset 6 to 28 are supported, as docs/onnx.md lists them. What is not supported is an error when the
// model is opened, of all such operators at once; types and attributes are errors, too, never another result.
//
// # Files
//
//	wire.go, proto.go  the messages of onnx.proto, read by hand over protowire
//	elem.go, data.go   element types and tensors; external.go: data in other files
//	compile.go         a graph becomes a program: names become numbers, functions and subgraphs programs of their own,
//	                   and what depends on constants alone is computed
//	program.go         runs a program: it frees each value after its last use
//	call.go            one execution of a node: inputs, attributes, where it computes, errors
//	value.go           what edges carry, where it is, and who has its memory
//	operators.go       the table of operators; op_*.go have its rows, by subject
//	model.go, show.go  what users call and see
//
// # Invariants
//
// A row names all attributes that its function reads; another attribute is an error when the model is opened. Small
// tensors that are on the host stay there: an operator computes on the host if all of its inputs are small and there,
// so that a GPU is not waited for where shapes are computed. Each run counts the values that share memory which it has
// made; memory that no value has left is freed. Values of a Model are never written to: several goroutines may run it.
// Sizes that a file declares are compared with its bytes before memory is taken for them, and constants that would be
// larger than maxFolded are left to the runs.
package onnx
