//! Rows of statements as structs.

/// Declares a struct for rows of either database. sqlx's derive macro would compile both drivers a
/// second time.
macro_rules! record {
    (
        $(#[$attribute:meta])*
        $visible:vis struct $name:ident {
            $($(#[$of_field:meta])* $field_visible:vis $field:ident: $kind:ty),+ $(,)?
        }
    ) => {
        $(#[$attribute])*
        $visible struct $name {
            $($(#[$of_field])* $field_visible $field: $kind),+
        }

        impl<'r, R: sqlx::Row> sqlx::FromRow<'r, R> for $name
        where
            &'static str: sqlx::ColumnIndex<R>,
            $($kind: sqlx::Decode<'r, R::Database> + sqlx::Type<R::Database>),+
        {
            fn from_row(row: &'r R) -> sqlx::Result<Self> {
                Ok(Self {
                    $($field: row.try_get(stringify!($field))?),+
                })
            }
        }
    };
}
