package main
func reductions(w width) {}
func rows(w width) {}
func products(w width) {}
