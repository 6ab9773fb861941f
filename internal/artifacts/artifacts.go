// Package artifacts reads the files that XLA writes beside a module: buffer assignments, thunk sequences, PTX and its
// registers, flags and devices, drawings of a module. Every reader takes the whole content of a file and returns exact numbers. It returns
// an error with the line for what it cannot read, never a zero.
package artifacts
