//! Exceptions of a server's projects.

use opatlas_store::ExceptionRecord;
use opatlas_wire::exceptions::{ExceptionList, ExceptionView, ExtendedException, NewException};

use super::http::{Answer, Ask, JSON};
use super::revisions::odd;
use super::{Error, Remote};

impl Remote {
    pub(crate) async fn exceptions(&self, project: &str) -> Result<Vec<ExceptionRecord>, Error> {
        let url = self.url(project, None);
        let answer = self.http.ask(Ask::get(url, JSON)).await?;
        let list: ExceptionList = answer.value()?;
        let items = list.items.into_iter();
        items.map(|view| record(&answer, view)).collect()
    }

    /// Accepts a change; the server assigns the id and the time.
    pub(crate) async fn add_exception(
        &self,
        project: &str,
        exception: ExceptionRecord,
    ) -> Result<ExceptionRecord, Error> {
        let new = NewException {
            operator: exception.operator,
            rule: exception.rule,
            argument: exception.argument,
            reason: exception.reason,
            owner: exception.owner,
            until: exception.until_date.or(exception.until_release),
            until_date: None,
            until_release: None,
            broad: exception.broad,
        };
        let body = opatlas_wire::json::json(&new);
        let made = Ask::post(self.url(project, None), JSON, body);
        let answer = self.http.ask(made).await?;
        let made: ExceptionView = answer.value()?;
        record(&answer, made)
    }

    pub(crate) async fn extend_exception(
        &self,
        project: &str,
        id: &str,
        until: &str,
    ) -> Result<ExceptionRecord, Error> {
        let extended = ExtendedException {
            until: until.to_owned(),
        };
        let body = opatlas_wire::json::json(&extended);
        let ask = Ask::patch(self.url(project, Some(id)), JSON, body);
        let answer = self.http.ask(ask).await?;
        let view: ExceptionView = answer.value()?;
        record(&answer, view)
    }

    pub(crate) async fn delete_exception(&self, project: &str, id: &str) -> Result<(), Error> {
        let url = self.url(project, Some(id));
        self.http.ask(Ask::delete(url)).await.map(drop)
    }

    fn url(&self, project: &str, id: Option<&str>) -> String {
        let mut path = vec!["v1", "projects", project, "exceptions"];
        path.extend(id);
        self.http.base.url(&path, &[])
    }
}

fn record(answer: &Answer, view: ExceptionView) -> Result<ExceptionRecord, Error> {
    let created_at = micros(&view.created_at);
    Ok(ExceptionRecord {
        id: view.id,
        operator: view.operator,
        rule: view.rule,
        argument: view.argument,
        reason: view.reason,
        owner: view.owner,
        until_date: view.until_date,
        until_release: view.until_release,
        broad: view.broad,
        created_at: created_at.ok_or_else(|| odd(answer, "has an invalid time"))?,
    })
}

/// Microseconds since 1970-01-01 UTC; `None` if the text is not a time.
pub(super) fn micros(time: &str) -> Option<i64> {
    let time: jiff::Timestamp = time.parse().ok()?;
    Some(time.as_microsecond())
}
