//! All rows out of a database, and into an empty one.

use futures_util::TryStreamExt as _;
use sqlx::query_builder::QueryBuilder;
use sqlx::{AssertSqlSafe, Row as _, query, query_scalar};
use tokio::sync::mpsc::{Receiver, Sender};

use super::{Connection, Database, OVERRIDING};
use crate::store::copy::{Kind, Rows, TABLES, Table, Value};
use crate::store::error::{Conflict, StoreError};
use crate::store::sql;

type Row = <Database as sqlx::Database>::Row;

/// How many rows go together, so that a statement has at most as many values as every database
/// takes.
const ROWS: usize = 200;

/// Sends all rows, as they are at one moment.
pub(super) async fn export(
    connection: &mut Connection,
    sink: Sender<Rows>,
) -> Result<(), StoreError> {
    for (table, described) in TABLES.iter().enumerate() {
        let select = AssertSqlSafe(described.select());
        let mut stream = query(select).persistent(false).fetch(&mut *connection);
        let mut rows = Vec::with_capacity(ROWS);
        while let Some(row) = stream.try_next().await? {
            rows.push(values(described, &row)?);
            if rows.len() == ROWS {
                let rows = std::mem::take(&mut rows);
                send(&sink, Rows { table, rows }).await?;
            }
        }
        drop(stream);
        send(&sink, Rows { table, rows }).await?;
    }
    send(&sink, Rows::END).await
}

/// Takes all rows in.
pub(super) async fn import(
    connection: &mut Connection,
    mut source: Receiver<Rows>,
) -> Result<(), StoreError> {
    let present: i64 = query_scalar(sql::ANYTHING)
        .fetch_one(&mut *connection)
        .await?;
    if present > 0 {
        return Err(Conflict::NotEmpty.into());
    }
    loop {
        let Rows { table, rows } = source.recv().await.ok_or_else(cut_short)?;
        let Some(described) = TABLES.get(table) else {
            break;
        };
        if rows.is_empty() {
            continue;
        }
        let mut statement = QueryBuilder::<Database>::new(described.insert(OVERRIDING));
        statement.push_values(rows, |mut row, values| {
            for value in values {
                match value {
                    Value::Number(number) => row.push_bind(number),
                    Value::Text(text) => row.push_bind(text),
                    Value::Bytes(bytes) => row.push_bind(bytes),
                };
            }
        });
        let statement = statement.build().persistent(false);
        statement.execute(&mut *connection).await?;
    }
    super::number_on(connection).await
}

fn cut_short() -> StoreError {
    StoreError::Unavailable {
        what: "what was to be copied into it ended too early".to_owned(),
        source: None,
    }
}

async fn send(sink: &Sender<Rows>, rows: Rows) -> Result<(), StoreError> {
    sink.send(rows).await.map_err(|_| StoreError::Unavailable {
        what: "the receiver closed early".to_owned(),
        source: None,
    })
}

fn values(table: &Table, row: &Row) -> Result<Vec<Value>, StoreError> {
    let value = |(at, (_, kind)): (usize, &(&str, Kind))| {
        Ok(match kind {
            Kind::Number => Value::Number(row.try_get(at)?),
            Kind::Text => Value::Text(row.try_get(at)?),
            Kind::Bytes => Value::Bytes(row.try_get(at)?),
        })
    };
    table.columns.iter().enumerate().map(value).collect()
}
