//go:build !purego

#include "textflag.h"

// CLEAR sets four sums to 0.
#define CLEAR(s0, s1, s2, s3) \
	XORPS s0, s0 \
	XORPS s1, s1 \
	XORPS s2, s2 \
	XORPS s3, s3

// ADDROW adds v, one number in memory, times the row of 16 numbers at offset o of SI to the sums s0 to
// s3. It uses X8 to X12.
#define ADDROW(v, o, s0, s1, s2, s3) \
	MOVSS  v, X8          \
	SHUFPS $0, X8, X8     \
	MOVUPS o(SI), X9      \
	MOVUPS (o+16)(SI), X10 \
	MOVUPS (o+32)(SI), X11 \
	MOVUPS (o+48)(SI), X12 \
	MULPS  X8, X9         \
	MULPS  X8, X10        \
	MULPS  X8, X11        \
	MULPS  X8, X12        \
	ADDPS  X9, s0         \
	ADDPS  X10, s1        \
	ADDPS  X11, s2        \
	ADDPS  X12, s3

// STORE writes X0 to X3 to the vector at DX.
#define STORE \
	MOVUPS X0, (DX)   \
	MOVUPS X1, 16(DX) \
	MOVUPS X2, 32(DX) \
	MOVUPS X3, 48(DX)

// func timesTransposed(m *matrix, v, out *Vector)
//
// X0 to X3 are the sums over the even rows of m, X4 to X7 those over the odd ones.
TEXT ·timesTransposed(SB), NOSPLIT, $0-24
	MOVQ  m+0(FP), SI
	MOVQ  v+8(FP), DI
	MOVQ  out+16(FP), DX
	CLEAR(X0, X1, X2, X3)
	CLEAR(X4, X5, X6, X7)
	MOVQ  $8, CX

pair:
	ADDROW((DI), 0, X0, X1, X2, X3)
	ADDROW(4(DI), 64, X4, X5, X6, X7)
	ADDQ   $8, DI
	ADDQ   $128, SI
	DECQ   CX
	JNZ    pair
	ADDPS  X4, X0
	ADDPS  X5, X1
	ADDPS  X6, X2
	ADDPS  X7, X3
	STORE
	RET

// func times(m *matrix, v, out *Vector)
//
// X0 to X3 are the sums.
TEXT ·times(SB), NOSPLIT, $0-24
	MOVQ  m+0(FP), SI
	MOVQ  v+8(FP), DI
	MOVQ  out+16(FP), DX
	CLEAR(X0, X1, X2, X3)
	MOVQ  $16, CX

row:
	ADDROW((DI), 0, X0, X1, X2, X3)
	ADDQ   $4, DI
	ADDQ   $64, SI
	DECQ   CX
	JNZ    row
	STORE
	RET

#define FOUR(name, bits) \
	DATA name<>+0(SB)/4, $bits  \
	DATA name<>+4(SB)/4, $bits  \
	DATA name<>+8(SB)/4, $bits  \
	DATA name<>+12(SB)/4, $bits \
	GLOBL name<>(SB), RODATA|NOPTR, $16

FOUR(lowest, 0xc2200000) // -40
FOUR(log2e, 0x3fb8aa3b)
FOUR(one, 0x3f800000)
FOUR(c1, 0x3f317218)
FOUR(c2, 0x3e75fdf0)
FOUR(c3, 0x3d635847)
FOUR(c4, 0x3c1d955b)
FOUR(c5, 0x3aaec3ff)
FOUR(bias, 127)

// EXP replaces x, four numbers less top, by their exponentials; see exp for the steps.
#define EXP(x) \
	MOVAPS    x, X5             \
	CMPPS     lowest<>(SB), X5, $1 \
	MULPS     log2e<>(SB), x    \
	CVTTPS2PL x, X6             \
	CVTPL2PS  X6, X7            \
	MOVAPS    x, X8             \
	CMPPS     X7, X8, $1        \
	PADDL     X8, X6            \
	ANDPS     one<>(SB), X8     \
	SUBPS     X8, X7            \
	SUBPS     X7, x             \
	MOVAPS    c5<>(SB), X8      \
	MULPS     x, X8             \
	ADDPS     c4<>(SB), X8      \
	MULPS     x, X8             \
	ADDPS     c3<>(SB), X8      \
	MULPS     x, X8             \
	ADDPS     c2<>(SB), X8      \
	MULPS     x, X8             \
	ADDPS     c1<>(SB), X8      \
	MULPS     x, X8             \
	ADDPS     one<>(SB), X8     \
	PADDL     bias<>(SB), X6    \
	PSLLL     $23, X6           \
	MULPS     X6, X8            \
	ANDNPS    X8, X5            \
	MOVAPS    X5, x

// func emit(scores, e *Vector) float32
TEXT ·emit(SB), NOSPLIT, $0-20
	MOVQ   scores+0(FP), SI
	MOVQ   e+8(FP), DX
	MOVUPS (SI), X0
	MOVUPS 16(SI), X1
	MOVUPS 32(SI), X2
	MOVUPS 48(SI), X3
	MOVAPS X0, X4
	MAXPS  X1, X4
	MAXPS  X2, X4
	MAXPS  X3, X4
	MOVAPS X4, X5
	SHUFPS $0x4e, X5, X5
	MAXPS  X5, X4
	MOVAPS X4, X5
	SHUFPS $0xb1, X5, X5
	MAXPS  X5, X4
	SUBPS  X4, X0
	SUBPS  X4, X1
	SUBPS  X4, X2
	SUBPS  X4, X3
	EXP(X0)
	EXP(X1)
	EXP(X2)
	EXP(X3)
	STORE
	MOVSS  X4, ret+16(FP)
	RET
