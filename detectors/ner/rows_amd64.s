//go:build !purego

#include "textflag.h"

// HOME makes BX the address of the bucket in which the key in AX belongs. SI has the first bucket, R8
// their number.
#define HOME \
	IMUL3L $0x9e3779b1, AX, BX \
	IMULQ  R8, BX              \
	SHRQ   $32, BX             \
	SHLQ   $6, BX              \
	ADDQ   SI, BX

// KEY makes AX the key of the feature at DI.
#define KEY \
	MOVL (DI), AX \
	CMPL AX, $1   \
	ADCL $0, AX

// CLEAR makes the sums 0, and X7.
#define CLEAR \
	PXOR X0, X0 \
	PXOR X1, X1 \
	PXOR X7, X7

// ADD adds the row in X4 to the sums of 16 bits in X0 and X1. X7 is 0.
#define ADD \
	MOVO      X4, X5 \
	PUNPCKLBW X7, X4 \
	PUNPCKHBW X7, X5 \
	PADDW     X4, X0 \
	PADDW     X5, X1

// PART adds four sums of 16 bits, less those of weights that are all 0, to four numbers of the vector at
// DX. X6 has the scale.
#define PART(sums, unpack, at) \
	MOVO     sums, X3   \
	unpack   X3, X3     \
	PSRAL    $16, X3    \
	CVTPL2PS X3, X3     \
	MULPS    X6, X3     \
	MOVUPS   at(DX), X4 \
	ADDPS    X3, X4     \
	MOVUPS   X4, at(DX)

// SPREAD adds the sums in X0 and X1 to the vector at DX. X6 has the scale in its lowest number.
#define SPREAD \
	SHUFPS  $0, X6, X6        \
	PSHUFLW $0, X0, X2        \
	PSHUFD  $0, X2, X2        \
	PSUBW   X2, X0            \
	PSUBW   X2, X1            \
	PART(X0, PUNPCKLWL, 0)    \
	PART(X0, PUNPCKHWL, 16)   \
	PART(X1, PUNPCKLWL, 32)   \
	PART(X1, PUNPCKHWL, 48)

// func fetchRows(buckets *bucket, n int, features []uint32)
TEXT ·fetchRows(SB), NOSPLIT, $0-40
	MOVQ  buckets+0(FP), SI
	MOVQ  n+8(FP), R8
	MOVQ  features_base+16(FP), DI
	MOVQ  features_len+24(FP), CX
	TESTQ CX, CX
	JZ    done

feature:
	KEY
	HOME
	PREFETCHT0 (BX)
	ADDQ $4, DI
	DECQ CX
	JNZ  feature

done:
	RET

// func addRows(buckets *bucket, n int, features []uint32, scale float32, v *sequence.Vector)
TEXT ·addRows(SB), NOSPLIT, $0-56
	MOVQ  buckets+0(FP), SI
	MOVQ  n+8(FP), R8
	MOVQ  features_base+16(FP), DI
	MOVQ  features_len+24(FP), CX
	MOVSS scale+40(FP), X6
	MOVQ  v+48(FP), DX
	MOVQ  R8, R9
	SHLQ  $6, R9
	ADDQ  SI, R9           // behind the last bucket
	CLEAR
	TESTQ CX, CX
	JZ    done

feature:
	KEY
	MOVL   AX, X2
	PSHUFD $0, X2, X2
	HOME

bucket:
	MOVOU    (BX), X3
	PCMPEQL  X2, X3         // ones where the key is
	PSHUFD   $0x00, X3, X4
	MOVOU    16(BX), X5
	PAND     X5, X4
	PSHUFD   $0x55, X3, X8
	MOVOU    32(BX), X9
	PAND     X9, X8
	PSHUFD   $0xaa, X3, X10
	MOVOU    48(BX), X11
	PAND     X11, X10
	POR      X8, X4
	POR      X10, X4
	ADD

	// The row is further behind if it is not here and its key was full here.
	MOVL     12(BX), R10
	BTL      AX, R10
	SBBL     R10, R10
	MOVMSKPS X3, R11
	ANDL     $7, R11
	NEGL     R11
	SBBL     R11, R11
	NOTL     R11
	TESTL    R10, R11
	JNZ      behind
	ADDQ     $4, DI
	DECQ     CX
	JNZ      feature

done:
	SPREAD
	RET

behind:
	ADDQ $64, BX
	CMPQ BX, R9
	JNE  bucket
	MOVQ SI, BX
	JMP  bucket

// func fetchAsked(rows *row, shift uint64, features []uint32)
TEXT ·fetchAsked(SB), NOSPLIT, $0-40
	MOVQ  rows+0(FP), SI
	MOVQ  shift+8(FP), CX
	MOVQ  features_base+16(FP), DI
	MOVQ  features_len+24(FP), R8
	TESTQ R8, R8
	JZ    done

feature:
	MOVL (DI), BX
	SHRL CX, BX
	SHLQ $4, BX
	PREFETCHT0 (SI)(BX*1)
	ADDQ $4, DI
	DECQ R8
	JNZ  feature

done:
	RET

// func addAsked(rows *row, shift uint64, features []uint32, scale float32, v *sequence.Vector)
TEXT ·addAsked(SB), NOSPLIT, $0-56
	MOVQ  rows+0(FP), SI
	MOVQ  shift+8(FP), CX
	MOVQ  features_base+16(FP), DI
	MOVQ  features_len+24(FP), R8
	MOVSS scale+40(FP), X6
	MOVQ  v+48(FP), DX
	CLEAR
	TESTQ R8, R8
	JZ    done

feature:
	MOVL  (DI), BX
	SHRL  CX, BX
	SHLQ  $4, BX
	MOVOU (SI)(BX*1), X4
	ADD
	ADDQ  $4, DI
	DECQ  R8
	JNZ   feature

done:
	SPREAD
	RET
