// Package encoder has the encoders of package models: BERT and its followers.
//
//	encoder.go  reading, embedding and classifying
//	config.go   config.json, and what sentence-transformers adds
//	layer.go    embeddings and layers, which the file of a family fills
//	bert.go     BERT, RoBERTa, DistilBERT
//	modern.go   ModernBERT, Nomic
package encoder
