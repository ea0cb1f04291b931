//! Which vector instructions the processor has: asked once, carried as a proof.

/// Which instructions to use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Vectors {
    /// Those that every target has.
    Plain,
    /// 256-bit integers.
    #[cfg(target_arch = "x86_64")]
    Avx2(Detected),
    /// The same, with more registers and operations of three operands.
    #[cfg(target_arch = "x86_64")]
    Avx512(Detected, Detected512),
}

#[cfg(target_arch = "x86_64")]
/// The proof that the processor has been asked for AVX2, BMI1, BMI2 and POPCNT: only [`Vectors::best`] makes one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Detected(());

#[cfg(target_arch = "x86_64")]
/// The same for AVX-512 F, VL, BW and DQ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Detected512(());

impl Vectors {
    /// The best that this processor has.
    pub(super) fn best() -> Vectors {
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx2")
                && is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("bmi2")
                && is_x86_feature_detected!("popcnt")
            {
                let wide = is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512vl")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512dq");
                return if wide { Vectors::Avx512(Detected(()), Detected512(())) } else { Vectors::Avx2(Detected(())) };
            }
        }
        Vectors::Plain
    }

    /// All that this processor has.
    #[cfg(test)]
    pub(super) fn all() -> Vec<Vectors> {
        match Vectors::best() {
            Vectors::Plain => vec![Vectors::Plain],
            #[cfg(target_arch = "x86_64")]
            Vectors::Avx2(proof) => vec![Vectors::Plain, Vectors::Avx2(proof)],
            #[cfg(target_arch = "x86_64")]
            Vectors::Avx512(proof, more) => vec![Vectors::Plain, Vectors::Avx2(proof), Vectors::Avx512(proof, more)],
        }
    }
}
