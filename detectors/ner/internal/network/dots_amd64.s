//go:build !purego

#include "textflag.h"

// ROW multiplies eight numbers of x, in X4, with those of a row, and adds the products to sum.
#define ROW(row, sum) \
	MOVOU   (row)(R13*1), X5 \
	PMADDWL X4, X5           \
	PADDL   X5, sum

// TOTAL stores the total of the four sums of a row.
#define TOTAL(sum, at) \
	PSHUFD $0x4e, sum, X5 \
	PADDL  X5, sum        \
	PSHUFD $0xb1, sum, X5 \
	PADDL  X5, sum        \
	MOVL   sum, at(DI)

// func productsOf(sums *int32, weights, x *int16, n, rows int)
TEXT ·productsOf(SB), NOSPLIT, $0-40
	MOVQ sums+0(FP), DI
	MOVQ weights+8(FP), SI
	MOVQ x+16(FP), DX
	MOVQ n+24(FP), R14
	MOVQ rows+32(FP), CX
	SHLQ $1, R14

rows:
	LEAQ (SI)(R14*1), R9
	LEAQ (R9)(R14*1), R10
	LEAQ (R10)(R14*1), R11
	PXOR X0, X0
	PXOR X1, X1
	PXOR X2, X2
	PXOR X3, X3
	XORQ R13, R13

columns:
	MOVOU (DX)(R13*1), X4
	ROW(SI, X0)
	ROW(R9, X1)
	ROW(R10, X2)
	ROW(R11, X3)
	ADDQ $16, R13
	CMPQ R13, R14
	JLT  columns
	TOTAL(X0, 0)
	TOTAL(X1, 4)
	TOTAL(X2, 8)
	TOTAL(X3, 12)
	ADDQ $16, DI
	LEAQ (R11)(R14*1), SI
	SUBQ $4, CX
	JNZ  rows
	RET
