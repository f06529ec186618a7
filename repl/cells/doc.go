// Package cells reads files as lists of cells, and writes such lists.
//
// A .go file is split by lines that start with // %%; the rest of such a line is the title of the cell that follows.
// Cells titled [markdown] are text, in line comments, as jupytext and VS Code have it. Without such a line the whole
// file is one cell. What jupytext has written in this form is read as jupytext reads it: commands that it has commented
// out are commands. A first line that starts with #! is ignored. An ordinary Go program, with package main, is one cell
// and a call of its main. A .ipynb file is a Jupyter notebook, format 4.
package cells
