//! Any text as a policy and as an exception: what is accepted is the same when it is written and read
//! again, and a comparison can be judged by it.

#![no_main]

use opatlas_service::policy::{ExceptionText, PolicyText};

libfuzzer_sys::fuzz_target!(|text: &str| {
    if let Ok(policy) = serde_json::from_str::<PolicyText>(text)
        && let Ok(read) = policy.policy()
    {
        let written = serde_json::to_string(&policy).unwrap();
        let again: PolicyText = serde_json::from_str(&written).unwrap();
        assert_eq!(again.policy().as_ref(), Ok(&read));
    }
    if let Ok(exception) = serde_json::from_str::<ExceptionText>(text) {
        let _ = exception.exception("id");
    }
});
