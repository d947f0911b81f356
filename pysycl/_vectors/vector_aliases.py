"""The short names of vec and marray types: char2 to double16, mchar2 to mdouble16, mbool2 to mbool16."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pysycl._vectors.marray import Marray
from pysycl._vectors.vec import Vec
from pysycl._vectors.vector_types import VEC_COUNTS, WORDS

ALIASES: dict[str, Any] = {
    each.__name__: each
    for element, word in WORDS.items()
    for count in VEC_COUNTS[1:]
    for each in (
        (Marray.of(element, count),) if word == "bool" else (Vec.of(element, count), Marray.of(element, count))
    )
}
globals().update(ALIASES)

if TYPE_CHECKING:
    char2 = char3 = char4 = char8 = char16 = uchar2 = uchar3 = uchar4 = uchar8 = uchar16 = Vec
    short2 = short3 = short4 = short8 = short16 = ushort2 = ushort3 = ushort4 = ushort8 = ushort16 = Vec
    int2 = int3 = int4 = int8 = int16 = uint2 = uint3 = uint4 = uint8 = uint16 = Vec
    long2 = long3 = long4 = long8 = long16 = ulong2 = ulong3 = ulong4 = ulong8 = ulong16 = Vec
    half2 = half3 = half4 = half8 = half16 = float2 = float3 = float4 = float8 = float16 = Vec
    double2 = double3 = double4 = double8 = double16 = Vec
    mchar2 = mchar3 = mchar4 = mchar8 = mchar16 = muchar2 = muchar3 = muchar4 = muchar8 = muchar16 = Marray
    mshort2 = mshort3 = mshort4 = mshort8 = mshort16 = mushort2 = mushort3 = mushort4 = mushort8 = mushort16 = Marray
    mint2 = mint3 = mint4 = mint8 = mint16 = muint2 = muint3 = muint4 = muint8 = muint16 = Marray
    mlong2 = mlong3 = mlong4 = mlong8 = mlong16 = mulong2 = mulong3 = mulong4 = mulong8 = mulong16 = Marray
    mhalf2 = mhalf3 = mhalf4 = mhalf8 = mhalf16 = mfloat2 = mfloat3 = mfloat4 = mfloat8 = mfloat16 = Marray
    mdouble2 = mdouble3 = mdouble4 = mdouble8 = mdouble16 = mbool2 = mbool3 = mbool4 = mbool8 = mbool16 = Marray
