//! Boxed kernels that call PyTorch's CPU fallback (`aten/src/ATen/native/CPUFallback.h`).

use std::collections::HashSet;

use crate::cpp::functions::{Call, Functions};
use crate::{CpuFallback, File, Registration};

/// The function of PyTorch that boxed kernels call.
const CPU_FALLBACK: &str = "cpu_fallback";

/// Finds the definitions of boxed kernels and sets [`Registration::cpu_fallback`].
pub(crate) fn find(files: &[File<'_>], registrations: &mut [Registration]) {
    let boxed = registrations.iter().filter(|found| found.boxed);
    let names: HashSet<Box<str>> = boxed
        .filter_map(|found| Some(last_part(found)?.into()))
        .collect();
    if names.is_empty() {
        return;
    }
    let functions = Functions::find(files, |name| names.contains(name)).all;
    for registration in registrations.iter_mut().filter(|found| found.boxed) {
        let Some(name) = last_part(registration) else {
            continue;
        };
        if name == CPU_FALLBACK {
            registration.cpu_fallback = Some(CpuFallback::CopiesViews);
            continue;
        }
        let mut definitions = functions.iter().filter(|function| *function.name == *name);
        registration.cpu_fallback = definitions.find_map(|function| {
            let call = function
                .calls
                .iter()
                .find(|call| *call.name == *CPU_FALLBACK)?;
            Some(views(files.get(function.file as usize)?, call))
        });
    }
}

/// The name of a kernel without its namespaces.
fn last_part(registration: &Registration) -> Option<&str> {
    registration.kernel.as_deref()?.rsplit("::").next()
}

/// What a call of the fallback says about views: its third argument, if it is `true`.
fn views(file: &File<'_>, call: &Call) -> CpuFallback {
    let after = file.bytes.get(call.at.end as usize..).unwrap_or_default();
    let end = after
        .iter()
        .position(|&byte| byte == b';')
        .unwrap_or(after.len());
    let arguments = String::from_utf8_lossy(after.get(..end).unwrap_or_default());
    let mut words = arguments.split(|c: char| !c.is_alphanumeric() && c != '_');
    if words.any(|word| word == "true") {
        CpuFallback::RefusesViews
    } else {
        CpuFallback::CopiesViews
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Macros, scan};

    fn found(call: &str) -> Option<CpuFallback> {
        let text = format!(
            "static void to_cpu(const c10::OperatorHandle& op, torch::jit::Stack* stack) {{\n\
             {call}\n}}\n\
             TORCH_LIBRARY_IMPL(_, PrivateUse1, m) {{\n\
             m.fallback(torch::CppFunction::makeFromBoxedFunction<&to_cpu>());\n}}\n"
        );
        let file = File {
            path: "fallback.cpp",
            bytes: text.as_bytes(),
        };
        let scan = scan(&[file], &Macros::default());
        assert_eq!(scan.registrations.len(), 1);
        assert!(scan.registrations[0].boxed);
        scan.registrations[0].cpu_fallback
    }

    #[test]
    fn the_body_of_a_boxed_kernel_decides() {
        let copies = Some(CpuFallback::CopiesViews);
        let refuses = Some(CpuFallback::RefusesViews);
        for (call, expected) in [
            ("at::native::cpu_fallback(op, stack);", copies),
            ("at::native::cpu_fallback(op, stack, false);", copies),
            (
                "at::native::cpu_fallback(op, stack, /*error_on_views=*/true);",
                refuses,
            ),
            ("my_own(op, stack);", None),
        ] {
            assert_eq!(found(call), expected, "{call}");
        }
    }
}
