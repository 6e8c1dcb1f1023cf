// SPDX-License-Identifier: BSD-3-Clause
// The C interface called from Rust: rustc --test -L FOLDER -l dualdict smoke.rs
use std::ffi::{c_char, c_int, c_void, CStr, CString};
use std::ptr::{null, null_mut};

type Handle = *mut c_void;

extern "C" {
    fn dualdict_version() -> *const c_char;
    fn dualdict_error_message(error: *const c_void) -> *const c_char;
    fn dualdict_error_free(error: Handle);
    fn dualdict_options_new(options: *mut Handle, error: *mut Handle) -> c_int;
    fn dualdict_options_set(options: Handle, name: *const c_char, value: *const c_char, error: *mut Handle) -> c_int;
    fn dualdict_options_free(options: Handle);
    fn dualdict_learn_f64(
        samples: *const f64, n: usize, n_features: usize, options: *const c_void, hooks: *const c_void,
        model: *mut Handle, summary: *mut c_void, error: *mut Handle,
    ) -> c_int;
    fn dualdict_model_n_atoms(model: *const c_void) -> usize;
    fn dualdict_model_free(model: Handle);
    fn dualdict_encoder_new(model: *const c_void, options: *const c_void, encoder: *mut Handle, error: *mut Handle) -> c_int;
    fn dualdict_encoder_free(encoder: Handle);
    fn dualdict_score_f64(
        encoder: *const c_void, samples: *const f64, n: usize, n_features: usize, relative: c_int, errors: *mut f64,
        error: *mut Handle,
    ) -> c_int;
}

fn call(body: impl FnOnce(*mut Handle) -> c_int) -> Result<(), String> {
    let mut error: Handle = null_mut();
    if body(&mut error) == 0 {
        return Ok(());
    }
    let text = unsafe { CStr::from_ptr(dualdict_error_message(error)) }.to_string_lossy().into_owned();
    unsafe { dualdict_error_free(error) };
    Err(text)
}

fn options(settings: &[(&str, &str)]) -> Result<Handle, String> {
    let mut options: Handle = null_mut();
    call(|e| unsafe { dualdict_options_new(&mut options, e) })?;
    for (name, value) in settings {
        let (name, value) = (CString::new(*name).unwrap(), CString::new(*value).unwrap());
        call(|e| unsafe { dualdict_options_set(options, name.as_ptr(), value.as_ptr(), e) })?;
    }
    Ok(options)
}

#[test]
fn learns_and_scores() {
    const N: usize = 200;
    const D: usize = 8;
    let samples: Vec<f64> = (0..N * D).map(|i| (((i * i + 7 * i) % 23) as f64 - 11.0) * ((i / D % 3) as f64)).collect();
    let options = options(&[("atoms", "10"), ("tau", "0.5"), ("max-iterations", "20")]).unwrap();
    let (mut model, mut encoder): (Handle, Handle) = (null_mut(), null_mut());
    call(|e| unsafe { dualdict_learn_f64(samples.as_ptr(), N, D, options, null(), &mut model, null_mut(), e) }).unwrap();
    assert_eq!(unsafe { dualdict_model_n_atoms(model) }, 10);
    call(|e| unsafe { dualdict_encoder_new(model, null(), &mut encoder, e) }).unwrap();
    let mut errors = vec![-1.0; N];
    call(|e| unsafe { dualdict_score_f64(encoder, samples.as_ptr(), N, D, 1, errors.as_mut_ptr(), e) }).unwrap();
    assert!(errors.iter().all(|x| (0.0..1.5).contains(x)));
    unsafe {
        dualdict_encoder_free(encoder);
        dualdict_model_free(model);
        dualdict_options_free(options);
    }
}

#[test]
fn errors_are_data() {
    let message = options(&[("atoms", "none")]).unwrap_err();
    assert!(message.contains("atoms") && message.contains("a whole number"), "{message}");
}

#[test]
fn has_a_version() {
    assert!(!unsafe { CStr::from_ptr(dualdict_version()) }.to_bytes().is_empty());
}
