-- What steps say is packed: facts and says are bytes that the service alone understands
-- (src/service/history/). Steps in the former form are deleted and computed anew when their timeline is
-- asked for; the stamps tell readers that the steps that they know are gone.

UPDATE projects SET stamp = stamp + 1, commits_rearranged = stamp + 1, revisions_rearranged = stamp + 1;

DELETE FROM step_operators;
DELETE FROM steps;

ALTER TABLE steps ALTER COLUMN facts TYPE BYTEA USING convert_to(facts, 'UTF8');
ALTER TABLE step_operators ALTER COLUMN says TYPE BYTEA USING convert_to(says, 'UTF8');
