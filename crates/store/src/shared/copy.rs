//! Exports all rows of a database and imports them into an empty one.

use futures_util::TryStreamExt as _;
use tokio::sync::mpsc::{Receiver, Sender};

use crate::copy::{Rows, TABLES};
use crate::database::{Connection, Statement, query_scalar};
use crate::error::{Conflict, StoreError};
use crate::sql;

/// Rows per statement, small enough for the placeholder limit of every database.
const ROWS: usize = 200;

pub(super) async fn export(
    connection: &mut impl Connection,
    sink: Sender<Rows>,
) -> Result<(), StoreError> {
    for (table, described) in TABLES.iter().enumerate() {
        let mut stream = connection.table(described);
        let mut rows = Vec::with_capacity(ROWS);
        while let Some(row) = stream.try_next().await? {
            rows.push(row);
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

pub(super) async fn import<C: Connection>(
    connection: &mut C,
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
        let rows = rows.into_iter();
        let rows = rows.map(|values| values.into_iter().map(Into::into));
        let statement = Statement::inserting(described.insert(C::OVERRIDING), rows);
        statement.execute(&mut *connection).await?;
    }
    connection.number_on().await
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
