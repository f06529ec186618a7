// Sums of products: with fma in the compute type of a float (f32 for f16, bf16 and f8e4m3), modulo 2^32 or 2^64 for integers, of which the
// result keeps the low bits.
template <class C> struct SumOf { typedef C Type; };
template <> struct SumOf<u8> { typedef u32 Type; };
template <> struct SumOf<i8> { typedef u32 Type; };
template <> struct SumOf<u16> { typedef u32 Type; };
template <> struct SumOf<i16> { typedef u32 Type; };
template <> struct SumOf<i32> { typedef u32 Type; };
template <> struct SumOf<i64> { typedef u64 Type; };
template <class T> using Sums = typename SumOf<Compute<T>>::Type;

DEV f32 product_sum(f32 a, f32 b, f32 sum) { return fma(a, b, sum); }
DEV f64 product_sum(f64 a, f64 b, f64 sum) { return fma(a, b, sum); }
DEV u32 product_sum(u32 a, u32 b, u32 sum) { return a * b + sum; }
DEV u64 product_sum(u64 a, u64 b, u64 sum) { return a * b + sum; }
