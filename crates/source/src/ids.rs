//! Macros for enums whose variants have names.

/// Makes an enum of ids. List the variants in the order of their texts: parsing is a binary search.
#[macro_export]
macro_rules! rule_ids {
    ($(#[$doc:meta])* $name:ident: $($variant:ident => $text:literal,)+) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name {
            $(
                #[doc = concat!("`", $text, "`")]
                $variant,
            )+
        }

        impl $name {
            /// All ids, in the order of their texts.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The id as users read and write it.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)+
                }
            }

            /// The id with this text.
            #[must_use]
            pub fn parse(text: &str) -> Option<Self> {
                let at = Self::ALL.binary_search_by(|id| id.as_str().cmp(text)).ok()?;
                Some(Self::ALL[at])
            }
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl PartialEq<str> for $name {
            fn eq(&self, text: &str) -> bool {
                self.as_str() == text
            }
        }

        impl PartialEq<&str> for $name {
            fn eq(&self, text: &&str) -> bool {
                self.as_str() == *text
            }
        }

        #[cfg(test)]
        mod ids {
            use super::$name;

            #[test]
            fn are_sorted_and_found_by_their_text() {
                assert!($name::ALL.is_sorted_by(|a, b| a.as_str() < b.as_str()));
                for &id in $name::ALL {
                    assert_eq!($name::parse(id.as_str()), Some(id));
                }
            }
        }
    };
}

/// Makes an enum from its variants and their names, listed in display order.
#[macro_export]
macro_rules! named_enum {
    ($(#[$meta:meta])* pub enum $enum:ident {
        $($(#[$doc:meta])* $variant:ident => $name:literal,)+
    }) => {
        $(#[$meta])*
        pub enum $enum {
            $($(#[$doc])* #[doc = concat!("`", $name, "`.")] $variant,)+
        }

        impl $enum {
            /// All of them, in display order.
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$variant),+];

            /// Its name in files and in output.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }

            /// The one with this name.
            #[must_use]
            pub fn parse(name: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|it| it.as_str() == name)
            }
        }
    };
}
