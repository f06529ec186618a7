// Sums are computed in a wider type: f32 in f64, f16, bf16 and f8e4m3 in f32, integers in i64.
template <class T> struct Sum { typedef i64 Type; };
template <> struct Sum<f64> { typedef f64 Type; };
template <> struct Sum<f16> { typedef f32 Type; };
template <> struct Sum<bf16> { typedef f32 Type; };
template <> struct Sum<f8e4m3> { typedef f32 Type; };
template <> struct Sum<f32> { typedef f64 Type; };
