//! What both databases share: statements, rows, and the traits that shared code is generic over.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::future::Future;

use futures_util::StreamExt as _;
use futures_util::stream::{self, BoxStream};
use sqlx::pool::PoolConnection;
use sqlx::postgres::{PgConnection, PgRow};
use sqlx::sqlite::{SqliteConnection, SqliteRow};
use sqlx::{Arguments as _, AssertSqlSafe, Encode, FromRow, Row as _, Transaction, Type};

use super::copy::{Kind, Table, Value};
use super::error::StoreError;
use super::mark::Mark;
use super::{postgres, sql, sqlite};

#[derive(Debug, Clone)]
pub(super) enum Bound<'a> {
    Number(Option<i64>),
    Flag(bool),
    Text(Option<Cow<'a, str>>),
    Bytes(Option<Cow<'a, [u8]>>),
}

#[derive(Debug, Clone)]
pub(super) struct Statement<'a> {
    pub(super) text: Cow<'static, str>,
    pub(super) values: Vec<Bound<'a>>,
    /// Whether to cache the prepared statement. Not worthwhile if the number of values varies.
    pub(super) is_kept: bool,
}

#[derive(Debug, Clone)]
pub(super) struct Scalar<'a>(Statement<'a>);

pub(super) trait Record:
    for<'r> FromRow<'r, SqliteRow> + for<'r> FromRow<'r, PgRow> + Send + Unpin
{
}

impl<T> Record for T where
    T: for<'r> FromRow<'r, SqliteRow> + for<'r> FromRow<'r, PgRow> + Send + Unpin
{
}

pub(super) trait Connection: Send {
    /// Lets inserted rows bring their own ids.
    const OVERRIDING: &'static str;

    const CHUNKS: &'static str;
    const GROUPS: &'static str;
    /// The items and shards of a probe run, by outcomes.
    const PROBE_SUMS: &'static str;

    fn change(
        &mut self,
        statement: Statement<'_>,
    ) -> impl Future<Output = Result<u64, sqlx::Error>> + Send;

    fn rows<T: Record>(
        &mut self,
        statement: Statement<'_>,
    ) -> impl Future<Output = Result<Vec<T>, sqlx::Error>> + Send;

    fn first<T: Record>(
        &mut self,
        statement: Statement<'_>,
    ) -> impl Future<Output = Result<Option<T>, sqlx::Error>> + Send;

    fn stream<'c, T: Record + 'c>(
        &'c mut self,
        statement: Statement<'static>,
    ) -> BoxStream<'c, Result<T, sqlx::Error>>;

    /// All rows of a table, with a value for every column.
    fn table(&mut self, table: &'static Table) -> BoxStream<'_, Result<Vec<Value>, sqlx::Error>>;

    fn number_on(&mut self) -> impl Future<Output = Result<(), StoreError>> + Send;

    fn own_faults(&mut self) -> impl Future<Output = Result<Vec<String>, StoreError>> + Send;
}

/// An open database. It has one writer at a time.
pub(super) trait Backend: Send + Sync + 'static {
    type Database: sqlx::Database<Connection: Connection>;

    fn reader(
        &self,
    ) -> impl Future<Output = Result<PoolConnection<Self::Database>, StoreError>> + Send;

    /// A read transaction, which sees the state of one moment.
    fn snapshot(
        &self,
    ) -> impl Future<Output = Result<Transaction<'static, Self::Database>, StoreError>> + Send;

    /// A read transaction for work that takes longer than a request may.
    fn long_snapshot(
        &self,
    ) -> impl Future<Output = Result<Transaction<'static, Self::Database>, StoreError>> + Send;

    /// A write transaction. Others wait until it ends.
    fn write(
        &self,
    ) -> impl Future<Output = Result<Transaction<'static, Self::Database>, StoreError>> + Send;

    /// Commits a write transaction. Its changes are durable when this returns.
    fn commit(
        &self,
        work: Transaction<'static, Self::Database>,
    ) -> impl Future<Output = Result<(), StoreError>> + Send;

    /// Like [`Backend::commit`], and invalidates earlier marks in all processes.
    fn publish(
        &self,
        work: Transaction<'static, Self::Database>,
    ) -> impl Future<Output = Result<(), StoreError>> + Send;

    fn begin_watching(&self);

    fn current_mark(&self) -> impl Future<Output = Option<Mark>> + Send;

    fn try_to_write(&self) -> impl Future<Output = Result<(), StoreError>> + Send;

    fn close_pools(&self) -> impl Future<Output = ()> + Send;
}

pub(super) fn query<'a>(text: &'static str) -> Statement<'a> {
    Statement {
        text: Cow::Borrowed(text),
        values: Vec::new(),
        is_kept: true,
    }
}

pub(super) fn query_scalar<'a>(text: &'static str) -> Scalar<'a> {
    Scalar(query(text))
}

pub(super) fn among<'a, T: Into<Bound<'a>>>(
    select: &'static str,
    values: impl Iterator<Item = T>,
) -> Statement<'a> {
    query(select).among(values)
}

impl<'a> Statement<'a> {
    /// Completes `INSERT INTO table (columns) ` with `VALUES` and one row per item.
    pub(super) fn inserting<R>(
        insert: impl Into<Cow<'static, str>>,
        rows: impl IntoIterator<Item = R>,
    ) -> Self
    where
        R: IntoIterator<Item = Bound<'a>>,
    {
        let mut statement = Self {
            text: insert.into(),
            values: Vec::new(),
            is_kept: false,
        };
        statement.push("VALUES ");
        for (at, row) in rows.into_iter().enumerate() {
            statement.push(if at == 0 { "(" } else { ", (" });
            statement.push_list(row.into_iter());
        }
        statement
    }

    pub(super) fn bind(mut self, value: impl Into<Bound<'a>>) -> Self {
        self.values.push(value.into());
        self
    }

    pub(super) fn among<T: Into<Bound<'a>>>(mut self, values: impl Iterator<Item = T>) -> Self {
        self.is_kept = false;
        self.push_list(values.map(Into::into));
        self
    }

    pub(super) fn push(&mut self, text: &str) {
        self.text.to_mut().push_str(text);
    }

    /// Numbers become part of the text, because SQLite searches all earlier placeholders for each
    /// one.
    fn push_list(&mut self, values: impl Iterator<Item = Bound<'a>>) {
        let text = self.text.to_mut();
        for (at, value) in values.enumerate() {
            text.push_str(if at == 0 { "" } else { ", " });
            if let Bound::Number(Some(number)) = value {
                let _ = write!(text, "{number}");
                continue;
            }
            self.values.push(value);
            let _ = write!(text, "${}", self.values.len());
        }
        text.push(')');
    }

    pub(super) async fn execute(
        self,
        connection: &mut impl Connection,
    ) -> Result<u64, sqlx::Error> {
        connection.change(self).await
    }

    pub(super) async fn fetch_all<T: Record>(
        self,
        connection: &mut impl Connection,
    ) -> Result<Vec<T>, sqlx::Error> {
        connection.rows(self).await
    }

    pub(super) async fn fetch_optional<T: Record>(
        self,
        connection: &mut impl Connection,
    ) -> Result<Option<T>, sqlx::Error> {
        connection.first(self).await
    }

    pub(super) async fn fetch_one<T: Record>(
        self,
        connection: &mut impl Connection,
    ) -> Result<T, sqlx::Error> {
        let row = connection.first(self).await?;
        row.ok_or(sqlx::Error::RowNotFound)
    }
}

impl<'a> Scalar<'a> {
    pub(super) fn bind(self, value: impl Into<Bound<'a>>) -> Self {
        Self(self.0.bind(value))
    }

    pub(super) async fn fetch_all<T>(
        self,
        connection: &mut impl Connection,
    ) -> Result<Vec<T>, sqlx::Error>
    where
        (T,): Record,
    {
        let rows: Vec<(T,)> = connection.rows(self.0).await?;
        Ok(rows.into_iter().map(|(value,)| value).collect())
    }

    pub(super) async fn fetch_optional<T>(
        self,
        connection: &mut impl Connection,
    ) -> Result<Option<T>, sqlx::Error>
    where
        (T,): Record,
    {
        let row: Option<(T,)> = connection.first(self.0).await?;
        Ok(row.map(|(value,)| value))
    }

    pub(super) async fn fetch_one<T>(
        self,
        connection: &mut impl Connection,
    ) -> Result<T, sqlx::Error>
    where
        (T,): Record,
    {
        let (value,): (T,) = self.0.fetch_one(connection).await?;
        Ok(value)
    }
}

macro_rules! bound {
    ($($from:ty => |$value:ident| $into:expr),* $(,)?) => {
        $(impl<'a> From<$from> for Bound<'a> {
            fn from($value: $from) -> Self {
                $into
            }
        })*
    };
}

bound! {
    i64 => |value| Self::Number(Some(value)),
    &i64 => |value| Self::Number(Some(*value)),
    Option<i64> => |value| Self::Number(value),
    Option<&i64> => |value| Self::Number(value.copied()),
    bool => |value| Self::Flag(value),
    &'a str => |value| Self::Text(Some(Cow::Borrowed(value))),
    &'a String => |value| Self::Text(Some(Cow::Borrowed(value))),
    String => |value| Self::Text(Some(Cow::Owned(value))),
    Option<&'a str> => |value| Self::Text(value.map(Cow::Borrowed)),
    &'a [u8] => |value| Self::Bytes(Some(Cow::Borrowed(value))),
    Vec<u8> => |value| Self::Bytes(Some(Cow::Owned(value))),
    Option<&'a [u8]> => |value| Self::Bytes(value.map(Cow::Borrowed)),
}

impl From<Value> for Bound<'_> {
    fn from(value: Value) -> Self {
        match value {
            Value::Number(number) => Self::Number(number),
            Value::Text(text) => Self::Text(text.map(Cow::Owned)),
            Value::Bytes(bytes) => Self::Bytes(bytes.map(Cow::Owned)),
        }
    }
}

macro_rules! statements {
    ($database:ty) => {
        async fn change(&mut self, statement: Statement<'_>) -> Result<u64, sqlx::Error> {
            let (text, is_kept) = (statement.text, statement.is_kept);
            let values = arguments::<$database>(statement.values)?;
            let query = sqlx::query_with::<$database, _>(AssertSqlSafe(text), values);
            let done = query.persistent(is_kept).execute(self).await?;
            Ok(done.rows_affected())
        }

        async fn rows<T: Record>(
            &mut self,
            statement: Statement<'_>,
        ) -> Result<Vec<T>, sqlx::Error> {
            let (text, is_kept) = (statement.text, statement.is_kept);
            let values = arguments::<$database>(statement.values)?;
            let query = sqlx::query_as_with::<$database, T, _>(AssertSqlSafe(text), values);
            query.persistent(is_kept).fetch_all(self).await
        }

        async fn first<T: Record>(
            &mut self,
            statement: Statement<'_>,
        ) -> Result<Option<T>, sqlx::Error> {
            let (text, is_kept) = (statement.text, statement.is_kept);
            let values = arguments::<$database>(statement.values)?;
            let query = sqlx::query_as_with::<$database, T, _>(AssertSqlSafe(text), values);
            query.persistent(is_kept).fetch_optional(self).await
        }

        fn stream<'c, T: Record + 'c>(
            &'c mut self,
            statement: Statement<'static>,
        ) -> BoxStream<'c, Result<T, sqlx::Error>> {
            let (text, is_kept) = (statement.text, statement.is_kept);
            match arguments::<$database>(statement.values) {
                Ok(values) => {
                    let text = AssertSqlSafe(text);
                    let query = sqlx::query_as_with::<$database, T, _>(text, values);
                    query.persistent(is_kept).fetch(self)
                }
                Err(error) => stream::once(async { Err(error) }).boxed(),
            }
        }

        fn table(
            &mut self,
            table: &'static Table,
        ) -> BoxStream<'_, Result<Vec<Value>, sqlx::Error>> {
            let value = |row: &<$database as sqlx::Database>::Row, at: usize, kind: Kind| {
                Ok(match kind {
                    Kind::Number => Value::Number(row.try_get(at)?),
                    Kind::Text => Value::Text(row.try_get(at)?),
                    Kind::Bytes => Value::Bytes(row.try_get(at)?),
                })
            };
            let rows = sqlx::query::<$database>(AssertSqlSafe(table.select()));
            let rows = rows.persistent(false).fetch(self);
            let values = move |row| {
                let columns = table.columns.iter().enumerate();
                columns
                    .map(|(at, (_, kind))| value(&row, at, *kind))
                    .collect()
            };
            rows.map(move |row| row.and_then(values)).boxed()
        }
    };
}

fn arguments<D: sqlx::Database>(values: Vec<Bound<'_>>) -> Result<D::Arguments, sqlx::Error>
where
    for<'t> Option<i64>: Encode<'t, D> + Type<D>,
    for<'t> bool: Encode<'t, D> + Type<D>,
    for<'t> Option<&'t str>: Encode<'t, D> + Type<D>,
    for<'t> Option<&'t [u8]>: Encode<'t, D> + Type<D>,
{
    let mut arguments = D::Arguments::default();
    for value in values {
        let added = match value {
            Bound::Number(number) => arguments.add(number),
            Bound::Flag(flag) => arguments.add(flag),
            Bound::Text(text) => arguments.add(text.as_deref()),
            Bound::Bytes(bytes) => arguments.add(bytes.as_deref()),
        };
        added.map_err(sqlx::Error::Encode)?;
    }
    Ok(arguments)
}

impl Connection for SqliteConnection {
    const OVERRIDING: &'static str = "";
    const CHUNKS: &'static str = sql::CHUNKS_SQLITE;
    const PROBE_SUMS: &'static str = sql::probe::SUMS_SQLITE;
    const GROUPS: &'static str = sql::GROUPS_SQLITE;

    statements!(sqlx::Sqlite);

    async fn number_on(&mut self) -> Result<(), StoreError> {
        sqlite::number_on(self).await
    }

    async fn own_faults(&mut self) -> Result<Vec<String>, StoreError> {
        sqlite::own_faults(self).await
    }
}

impl Connection for PgConnection {
    const OVERRIDING: &'static str = "OVERRIDING SYSTEM VALUE ";
    const CHUNKS: &'static str = sql::CHUNKS_POSTGRES;
    const PROBE_SUMS: &'static str = sql::probe::SUMS_POSTGRES;
    const GROUPS: &'static str = sql::GROUPS_POSTGRES;

    statements!(sqlx::Postgres);

    async fn number_on(&mut self) -> Result<(), StoreError> {
        postgres::number_on(self).await
    }

    async fn own_faults(&mut self) -> Result<Vec<String>, StoreError> {
        postgres::own_faults(self).await
    }
}
