// Package kernel has the arithmetic of the encoder: products of matrices of small integers, and what
// happens between them. Every function has a portable form and forms in assembly, which give the same bits:
//
//   - Products are sums of products of integers, which are exact in any order.
//   - Everything else is float32, each operation rounded for itself. No operation is fused with another.
//   - Sums of float32 have a fixed order: Lanes partial sums, of every Lanes-th number, and then a tree.
//   - Exponentials and the GELU function are polynomials of this package.
//
// The form is chosen when the program starts, by what the processor can do, after it has computed a small
// example with the bits of the portable form.
package kernel
