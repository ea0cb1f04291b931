//! The vector instructions of the processor: detected once, carried as a proof.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Vectors {
    Plain,
    #[cfg(target_arch = "x86_64")]
    Avx2(Detected),
    /// AVX-512 adds registers and three-operand logic; vectors stay 256 bits wide.
    #[cfg(target_arch = "x86_64")]
    Avx512(Detected, Detected512),
}

#[cfg(target_arch = "x86_64")]
/// Proof that AVX2, BMI1, BMI2 and POPCNT were detected: only [`Vectors::best`] makes one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Detected(());

#[cfg(target_arch = "x86_64")]
/// Proof for AVX-512 F, VL, BW and DQ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Detected512(());

impl Vectors {
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
