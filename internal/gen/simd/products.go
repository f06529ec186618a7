package main

func products(w width) {}
