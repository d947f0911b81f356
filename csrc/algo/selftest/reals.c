/* Numbers and what built-in functions make of them, rounded to double: by the C library, checked by
 * tests/python/package/test_self_test.py. Small, large and ordinary numbers stand beside each other. */
#include "algo/selftest/parts.h"

/* clang-format off */
const double syc__selftest_reals[SYC__REAL_ROWS][SYC__REAL_COLUMNS] = {
    {0x1.4484c0p-100, 0x1.8f5c28p-2, 0x1.033334p+3, 0x1.4484c0p-100, 0x1.7a1b6973cce4ep+0, 0x1.0bc233ff6dd3cp+1, 0x1.2169e9d635acdp+1},
    {0x1.93e594p+99, -0x1p+3, 0x1.47ae14p-7, -0x1.95135fcc7c53cp-1, 0x1.5fc21041027adp-12, -0x1.26bb1bd355516p+2, 0x1.1c3796d2aec02p+53},
    {0x1p-1, 0x1p+3, 0x1.200000p+3, 0x1.eaee8744b05f0p-2, 0x1.749ea7d470c6ep+11, 0x1.193ea7aad030bp+1, 0x1.486ba08000000p+25},
    {-0x1.440000p+4, 0x1p+0, 0x1p+0, -0x1.f896bf571e2d7p-1, 0x1.5bf0a8b145769p+1, 0x0.0p+0, 0x1p+0},
    {0x1.921fb6p+1, -0x1p+0, 0x1p-1, -0x1.777a5cf72cec6p-24, 0x1.78b56362cef38p-2, -0x1.62e42fefa39efp-1, 0x1p+1},
    {0x1.86a000p+16, 0x1.400000p+1, 0x1p+1, 0x1.24daa9c527e96p-5, 0x1.85d6fd931e0bbp+3, 0x1.62e42fefa39efp-1, 0x1.6a09e667f3bcdp+2},
    {-0x1.0624dep-10, -0x1.400000p+1, 0x1.a66666p+1, -0x1.0624db22fdff9p-10, 0x1.50385c094f425p-4, 0x1.31a4e6e5fcf38p+0, 0x1.9e19920bec3b9p-5},
    {0x1.f00000p+2, 0x1.0624dep-10, 0x1.930be0p-7, 0x1.fd3c0d19d91a6p-1, 0x1.0041919bb329fp+0, -0x1.197b6382e3066p+2, 0x1.fdc0ca6ca4ad6p-1},
    {-0x1.2a05f2p+33, 0x1.c66666p+2, 0x1.600000p+2, 0x1.f334c7896a4e3p-2, 0x1.2efde2a7a02e4p+10, 0x1.b46a5ef8151a0p+0, 0x1.609e546db07e8p+17},
    {0x1p+1, -0x1.333334p-2, 0x1.ecccccp+2, 0x1.d18f6ead1b446p-1, 0x1.7b4c86505ba57p-1, 0x1.0546b4f8ff175p+1, 0x1.1589c62ae7dc1p-1},
    {0x1.920000p+6, 0x1.400000p+2, 0x1p-2, -0x1.fb3f833470ff1p-6, 0x1.28d389970338fp+7, -0x1.62e42fefa39efp+0, 0x1p-10},
    {-0x1.800000p-1, -0x1.a00000p+2, 0x1.866666p+2, -0x1.5cffc16bf8f0dp-1, 0x1.8a1e18a954ffap-10, 0x1.ceec030aca9b4p+0, 0x1.07b28f30683e0p-17},
    {0x1.01b2b2p-24, 0x1.a66666p+1, 0x1.800000p+0, 0x1.01b2b1ffffffdp-24, 0x1.b1cd5d1cfd065p+4, 0x1.9f323ecbf984cp-2, 0x1.e7e0bbdefcfe2p+1},
    {0x1.921fb6p+0, -0x1.19999ap+2, 0x1.19999ap+2, 0x1.ffffffffffff7p-1, 0x1.924dc82b1ad6fp-7, 0x1.7b4a6fc5f72b8p+0, 0x1.82ad3e7dc7426p-10},
    {-0x1.043562p+68, 0x1p-1, 0x1.fae148p-1, -0x1.acd30fa0e294cp-1, 0x1.a61298e1e069cp+0, -0x1.49543f3726accp-7, 0x1.fd6efe75c6202p-1},
    {0x1.800000p+3, -0x1p-1, 0x1.028f5cp+0, -0x1.12b9af7d765a5p-1, 0x1.368b2fc6f960ap-1, 0x1.460d5885ab007p-7, 0x1.fd7583e4dd4d5p-1},
    {0x1p-4, 0x1.800000p+2, 0x1.1cccccp+3, 0x1.ffaaaeeed4edbp-5, 0x1.936dc5690c08fp+8, 0x1.17d086de708bep+1, 0x1.e5554a71153c9p+18},
    {-0x1.93e594p+99, -0x1.ecccccp+2, 0x1.1eb852p-4, 0x1.95135fcc7c53cp-1, 0x1.dad2e4febfd60p-12, -0x1.5462a1fbf33dbp+1, 0x1.747d833661192p+29},
    {0x1.900000p+4, 0x1.19999ap+0, 0x1.5bf0a8p+1, -0x1.0f0e6f31e809dp-3, 0x1.808883be1d8dcp+1, 0x1.fffffefb245eap-1, 0x1.808882e69bd9cp+1},
    {0x1.203afap-48, -0x1.e66666p+0, 0x1.333334p-2, 0x1.203afap-48, 0x1.325108bb1451ap-3, -0x1.34378f212fc79p+0, 0x1.3b3965121069dp+3},
    {-0x1.300000p+3, 0x1.100000p+2, 0x1.800000p+1, 0x1.33d1a94a4277ap-4, 0x1.186bf136d679dp+6, 0x1.193ea7aad030bp+0, 0x1.aa687163e1d86p+6},
    {0x1.f40000p+9, -0x1.ccccccp+1, 0x1.400000p+2, 0x1.a75cc150a206bp-1, 0x1.bfac0260816e8p-6, 0x1.9c041f7ed8d33p+0, 0x1.8f39a886dc2ddp-9},
    {0x1.600000p+4, 0x1.666666p-1, 0x1.99999ap-1, -0x1.220a29f6eb9f4p-7, 0x1.01c2a5dedb440p+1, -0x1.c8ff7a79a9a26p-3, 0x1.b5f5601e215d4p-1},
};
/* clang-format on */
