//! Times one operation of bench/cpu.py on Candle's CPU backend: `candle-bench NAME COUNT SECONDS` prints the best of COUNT means,
//! each over so many seconds, in seconds, or nothing for an operation that is not here. RAYON_NUM_THREADS sets the threads.

use candle_core::{Device, Result, Tensor, D};
use std::time::Instant;

type Run = Box<dyn Fn() -> Result<Tensor>>;

fn rand(shape: &[usize]) -> Tensor {
    Tensor::randn(0f32, 1f32, shape, &Device::Cpu).unwrap()
}

fn unary(f: fn(&Tensor) -> Result<Tensor>) -> Run {
    let x = rand(&[4096, 1024]);
    Box::new(move || f(&x))
}

fn matmul(a: &[usize], b: &[usize]) -> Run {
    let (a, b) = (rand(a), rand(b));
    Box::new(move || a.matmul(&b))
}

fn conv(channels: usize, size: usize, out: usize, taps: usize, padding: usize, stride: usize) -> Run {
    let (x, w) = (rand(&[1, channels, size, size]), rand(&[out, channels, taps, taps]));
    Box::new(move || x.conv2d(&w, padding, stride, 1, 1))
}

fn operation(name: &str) -> Option<Run> {
    let rows: &[usize] = &[4096, 1024];
    Some(match name {
        "add" => {
            let (x, y) = (rand(rows), rand(rows));
            Box::new(move || &x + &y)
        }
        "broadcast_add" => {
            let (x, y) = (rand(rows), rand(&[1024]));
            Box::new(move || x.broadcast_add(&y))
        }
        "chain" => {
            let (x, y) = (rand(rows), rand(rows));
            Box::new(move || x.affine(2., 1.)?.tanh()? * &y)
        }
        "exp" => unary(Tensor::exp),
        "log" => unary(Tensor::log),
        "sin" => unary(Tensor::sin),
        "tanh" => unary(Tensor::tanh),
        "gelu" => unary(Tensor::gelu),
        "softmax" => unary(candle_nn::ops::softmax_last_dim),
        "layer_norm" => {
            let (x, w, b) = (rand(rows), rand(&[1024]), rand(&[1024]));
            Box::new(move || candle_nn::ops::layer_norm(&x, &w, &b, 1e-5))
        }
        "rms_norm" => {
            let (x, w) = (rand(rows), rand(&[1024]));
            Box::new(move || candle_nn::ops::rms_norm(&x, &w, 1e-5))
        }
        "sum_last" => unary(|x| x.sum(D::Minus1)),
        "sum_first" => unary(|x| x.sum(0)),
        "transpose_copy" => unary(|x| x.t()?.contiguous()),
        "argsort" => {
            let x = rand(&[512, 1024]);
            Box::new(move || x.arg_sort_last_dim(true))
        }
        "argmax" => unary(|x| x.argmax(D::Minus1)),
        "index_select" => {
            let (x, ids) = (rand(&[32000, 512]), Tensor::rand(0f32, 32000f32, 2048, &Device::Cpu).unwrap());
            let ids = ids.to_dtype(candle_core::DType::U32).unwrap();
            Box::new(move || x.index_select(&ids, 0))
        }
        "max_pool" => {
            let x = rand(&[1, 64, 112, 112]);
            Box::new(move || x.max_pool2d_with_stride(3, 2))
        }
        "cumsum" => unary(|x| x.cumsum(1)),
        "cat" => {
            let (x, y) = (rand(&[4096, 512]), rand(&[4096, 512]));
            Box::new(move || Tensor::cat(&[&x, &y], 1))
        }
        "matmul_128" => matmul(&[128, 128], &[128, 128]),
        "matmul_512" => matmul(&[512, 512], &[512, 512]),
        "matmul_1024" => matmul(&[1024, 1024], &[1024, 1024]),
        "matmul_batch" => matmul(&[32, 128, 64], &[32, 64, 128]),
        "matvec" => matmul(&[1, 4096], &[4096, 4096]),
        "conv_7x7" => conv(3, 224, 64, 7, 3, 2),
        "conv_3x3_56" => conv(64, 56, 64, 3, 1, 1),
        "conv_3x3_14" => conv(256, 14, 256, 3, 1, 1),
        "conv_1x1_7" => conv(512, 7, 2048, 1, 0, 1),
        _ => return None,
    })
}

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().collect();
    let (count, seconds): (usize, f64) = (args[2].parse().unwrap(), args[3].parse().unwrap());
    let Some(run) = operation(&args[1]) else { return Ok(()) };
    for _ in 0..3 {
        run()?;
    }
    let (mut best, mut n, mut left) = (f64::INFINITY, 1, count);
    while left > 0 {
        let start = Instant::now();
        for _ in 0..n {
            run()?;
        }
        let took = start.elapsed().as_secs_f64();
        if took < seconds {
            n = (n + 1).max((n as f64 * 1.1 * seconds / took.max(1e-9)) as usize);
            continue;
        }
        best = best.min(took / n as f64);
        left -= 1;
    }
    println!("{best:e}");
    Ok(())
}
