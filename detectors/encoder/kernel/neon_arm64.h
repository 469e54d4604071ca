// Instructions that Go's assembler does not have, on registers by their numbers: the result comes first. The
// floating-point ones work on 4 numbers.

#define FADD(d, n, m)  WORD $(0x4E20D400 | (m)<<16 | (n)<<5 | (d))
#define FSUB(d, n, m)  WORD $(0x4EA0D400 | (m)<<16 | (n)<<5 | (d))
#define FMUL(d, n, m)  WORD $(0x6E20DC00 | (m)<<16 | (n)<<5 | (d))
#define FDIV(d, n, m)  WORD $(0x6E20FC00 | (m)<<16 | (n)<<5 | (d))
#define FMAX(d, n, m)  WORD $(0x4E20F400 | (m)<<16 | (n)<<5 | (d))
#define FMIN(d, n, m)  WORD $(0x4EA0F400 | (m)<<16 | (n)<<5 | (d))
#define FABS(d, n)     WORD $(0x4EA0F800 | (n)<<5 | (d))
#define FSQRT(d, n)    WORD $(0x6EA1F800 | (n)<<5 | (d))
#define FCMGT(d, n, m) WORD $(0x6EA0E400 | (m)<<16 | (n)<<5 | (d))
#define FMAXV(d, n)    WORD $(0x6E30F800 | (n)<<5 | (d))   // the largest of 4
#define SCVTF(d, n)    WORD $(0x4E21D800 | (n)<<5 | (d))   // integers to numbers
#define FCVTNS(d, n)   WORD $(0x4E21A800 | (n)<<5 | (d))   // numbers to integers, half to even
#define SQXTN(d, n)    WORD $(0x0E614800 | (n)<<5 | (d))   // 4 integers of 32 bits to 16, the lower half of d
#define SQXTN2(d, n)   WORD $(0x4E614800 | (n)<<5 | (d))   // the upper half
#define CMGT(d, n, m)  WORD $(0x4EA03400 | (m)<<16 | (n)<<5 | (d))
#define ADD4(d, n, m)  WORD $(0x4EA08400 | (m)<<16 | (n)<<5 | (d))
#define SHL4(d, n, by) WORD $(0x4F005400 | (32+(by))<<16 | (n)<<5 | (d))
#define USHR8(d, n, by) WORD $(0x6F000400 | (32-(by))<<16 | (n)<<5 | (d)) // 8 integers of 16 bits
#define AND(d, n, m)   WORD $(0x4E201C00 | (m)<<16 | (n)<<5 | (d))
#define BSL(d, n, m)   WORD $(0x6E601C00 | (m)<<16 | (n)<<5 | (d))  // where d has ones that of n, else that of m
#define UZP1(d, n, m)  WORD $(0x4E001800 | (m)<<16 | (n)<<5 | (d))  // every other byte
#define EXT8(d, n)     WORD $(0x6E004000 | (n)<<16 | (n)<<5 | (d))  // the halves exchanged
#define DUP(d, n, i)   WORD $(0x4E040400 | (i)<<19 | (n)<<5 | (d))  // one of 4 numbers, everywhere

// SDOT adds to 4 sums the products of 4 times 4 bytes of n with 4 bytes of m, the i-th ones.
#define SDOT(d, n, m, i) WORD $(0x4F80E000 | ((i)&1)<<21 | ((i)>>1)<<11 | (m)<<16 | (n)<<5 | (d))
