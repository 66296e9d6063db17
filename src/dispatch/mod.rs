//! Dispatch keys, registrations and the tables computed from them.
