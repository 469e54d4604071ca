//go:build !purego

#include "textflag.h"

// A tile is 1 to 6 rows of A times one panel of columns after the other. Its sums stay in registers while
// it runs along the rows; half a panel (8 columns) at a time, for 6 rows x 2 vectors of sums are all that fit.
// A vector of weights has 4 numbers of 4 columns, widened to 16 bits; VPMADDWD adds pairs of products, and
// VPHADDD, after the loop, the two pairs of a column.
//
//	DX, R9   rows 0 and 3 of A    R8   bytes from a row of A to the next
//	DI, AX   rows 0 and 3 of sums SI   bytes from a row of sums to the next
//	BX       panel                R10  bytes from a panel to the next
//	R11      bytes of a row of A  R12  panels
//	R14      weights              CX   pairs of groups left     R13  half a panel
//	R15      the next panel: each half fetches every other line of it into the cache

// ROW multiplies 4 numbers of a row with the weights of 8 columns in Y12 and Y13.
#define ROW(numbers, sum0, sum1) \
	VPBROADCASTQ numbers, Y14      \
	VPMADDWD     Y12, Y14, Y15     \
	VPADDD       Y15, sum0, sum0   \
	VPMADDWD     Y13, Y14, Y14     \
	VPADDD       Y14, sum1, sum1

#define WEIGHTS(at) \
	VPMOVSXBW at(R14), Y12    \
	VPMOVSXBW at+16(R14), Y13

#define ROW1(at) ROW(at(DX), Y0, Y1)
#define ROW2(at) ROW1(at) \
	ROW(at(DX)(R8*1), Y2, Y3)
#define ROW3(at) ROW2(at) \
	ROW(at(DX)(R8*2), Y4, Y5)
#define ROW4(at) ROW3(at) \
	ROW(at(R9), Y6, Y7)
#define ROW5(at) ROW4(at) \
	ROW(at(R9)(R8*1), Y8, Y9)
#define ROW6(at) ROW5(at) \
	ROW(at(R9)(R8*2), Y10, Y11)

// STORE stores the 8 sums of a row.
#define STORE(sum0, sum1, place) \
	VPHADDD sum1, sum0, sum0       \
	VPERMQ  $0xD8, sum0, sum0      \
	VMOVDQU sum0, place

#define STORE1 STORE(Y0, Y1, (DI))
#define STORE2 STORE1 \
	STORE(Y2, Y3, (DI)(SI*1))
#define STORE3 STORE2 \
	STORE(Y4, Y5, (DI)(SI*2))
#define STORE4 STORE3 \
	STORE(Y6, Y7, (AX))
#define STORE5 STORE4 \
	STORE(Y8, Y9, (AX)(SI*1))
#define STORE6 STORE5 \
	STORE(Y10, Y11, (AX)(SI*2))

#define CLEAR1 \
	VPXOR Y0, Y0, Y0 \
	VPXOR Y1, Y1, Y1
#define CLEAR2 CLEAR1 \
	VPXOR Y2, Y2, Y2 \
	VPXOR Y3, Y3, Y3
#define CLEAR3 CLEAR2 \
	VPXOR Y4, Y4, Y4 \
	VPXOR Y5, Y5, Y5
#define CLEAR4 CLEAR3 \
	VPXOR Y6, Y6, Y6 \
	VPXOR Y7, Y7, Y7
#define CLEAR5 CLEAR4 \
	VPXOR Y8, Y8, Y8 \
	VPXOR Y9, Y9, Y9
#define CLEAR6 CLEAR5 \
	VPXOR Y10, Y10, Y10 \
	VPXOR Y11, Y11, Y11

#define TILE(CLEAR, ROWS, STORES) \
	MOVQ sums+0(FP), DI      \
	MOVQ sumStep+8(FP), SI   \
	MOVQ a+16(FP), DX        \
	MOVQ aStep+24(FP), R8    \
	MOVQ b+32(FP), BX        \
	MOVQ stride+40(FP), R10  \
	MOVQ depth+48(FP), R11   \
	MOVQ panels+56(FP), R12  \
	ADDQ R11, R11            \
	LEAQ (R8)(R8*2), R9      \
	ADDQ DX, R9              \
	LEAQ (SI)(SI*2), AX      \
	ADDQ DI, AX              \
panel:                     \
	MOVQ BX, R14             \
	MOVQ $2, R13             \
half:                      \
	CLEAR                    \
	MOVQ R11, CX             \
	SHRQ $4, CX              \
	LEAQ (R10)(R14*2), R15   \
	SUBQ BX, R15             \
	PCALIGN $32              \
groups:                    \
	PREFETCHT0 (R15)         \
	WEIGHTS(0)               \
	ROWS(0)                  \
	WEIGHTS(64)              \
	ROWS(8)                  \
	ADDQ $128, R14           \
	ADDQ $128, R15           \
	ADDQ $16, DX             \
	ADDQ $16, R9             \
	DECQ CX                  \
	JNZ  groups              \
	STORES                   \
	SUBQ R11, DX             \
	SUBQ R11, R9             \
	ADDQ $32, DI             \
	ADDQ $32, AX             \
	LEAQ 32(BX), R14         \
	DECQ R13                 \
	JNZ  half                \
	ADDQ R10, BX             \
	DECQ R12                 \
	JNZ  panel               \
	VZEROUPPER               \
	RET

// func tile1(sums *int32, sumStep int, a *int16, aStep int, b *byte, stride, depth, panels int)
TEXT ·tile1(SB), NOSPLIT, $0-64
	TILE(CLEAR1, ROW1, STORE1)

// func tile2(sums *int32, sumStep int, a *int16, aStep int, b *byte, stride, depth, panels int)
TEXT ·tile2(SB), NOSPLIT, $0-64
	TILE(CLEAR2, ROW2, STORE2)

// func tile3(sums *int32, sumStep int, a *int16, aStep int, b *byte, stride, depth, panels int)
TEXT ·tile3(SB), NOSPLIT, $0-64
	TILE(CLEAR3, ROW3, STORE3)

// func tile4(sums *int32, sumStep int, a *int16, aStep int, b *byte, stride, depth, panels int)
TEXT ·tile4(SB), NOSPLIT, $0-64
	TILE(CLEAR4, ROW4, STORE4)

// func tile5(sums *int32, sumStep int, a *int16, aStep int, b *byte, stride, depth, panels int)
TEXT ·tile5(SB), NOSPLIT, $0-64
	TILE(CLEAR5, ROW5, STORE5)

// func tile6(sums *int32, sumStep int, a *int16, aStep int, b *byte, stride, depth, panels int)
TEXT ·tile6(SB), NOSPLIT, $0-64
	TILE(CLEAR6, ROW6, STORE6)
