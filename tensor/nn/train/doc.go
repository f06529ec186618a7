// Package train runs trainings: data in batches, steps, evaluation, metrics, progress, and checkpoints from which a run
// resumes to the same bits. Layers, losses and optimizers are those of package nn.
//
//	data := train.NewLoader(train.Tensors(x, y), train.LoaderOptions{Batch: 32, Shuffle: true, Seed: 1})
//	history, err := train.Fit(train.Config{
//		Data: data, Params: p, Optimizer: nn.NewAdamW(p.Vars(), nn.DefaultAdamW()), Epochs: 10,
//		Loss:   func(b ...*tensor.Tensor) *tensor.Tensor { return nn.CrossEntropy(net.Forward(b[0]), b[1]) },
//		Folder: "run", Resume: true,
//	})
//
//	dataset.go, files.go    Dataset: tensors, functions of an index, images in folders, lines of text
//	loader.go, workers.go   Loader: batches of a Dataset in an order that depends on its seed alone
//	sampler.go, collate.go  which items an epoch has, and how items become a batch
//	fit.go, config.go       Fit: the loop
//	checkpoint.go, state.go folders with all that a run needs to resume; a folder gets its name when it is complete
//	watch.go, log.go        what a run reports: events, a monitor, a log in a file
//	metrics*.go             accuracy, F1, AUROC, R², perplexity and others, gathered batch by batch
//
// The numbers of a run depend on its seeds, not on the number of workers, nor on when it was interrupted.
package train
