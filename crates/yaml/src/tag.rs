//! The tags of PyYAML's SafeLoader.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tag {
    /// `!`: the type of the spelling.
    NonSpecific,
    Null,
    Bool,
    Int,
    Float,
    Binary,
    Timestamp,
    Str,
    Seq,
    Map,
    Omap,
    Pairs,
    Set,
    Unknown,
}

impl Tag {
    /// A full name, such as `tag:yaml.org,2002:str`.
    pub fn from_name(name: &str) -> Self {
        if name == "!" {
            return Self::NonSpecific;
        }
        match name.strip_prefix("tag:yaml.org,2002:") {
            Some("null") => Self::Null,
            Some("bool") => Self::Bool,
            Some("int") => Self::Int,
            Some("float") => Self::Float,
            Some("binary") => Self::Binary,
            Some("timestamp") => Self::Timestamp,
            Some("str") => Self::Str,
            Some("seq") => Self::Seq,
            Some("map") => Self::Map,
            Some("omap") => Self::Omap,
            Some("pairs") => Self::Pairs,
            Some("set") => Self::Set,
            _ => Self::Unknown,
        }
    }

    pub fn is_scalar(self) -> bool {
        matches!(
            self,
            Self::Null
                | Self::Bool
                | Self::Int
                | Self::Float
                | Self::Binary
                | Self::Timestamp
                | Self::Str
        )
    }
}
