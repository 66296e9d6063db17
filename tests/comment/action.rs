//! `action.yml`
