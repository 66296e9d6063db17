-- When a project's commits, and its revisions with their labels, last changed otherwise than by new
-- ones at the end: the stamp that the change gave the project. What was read of them at that stamp
-- or later is still the beginning of what there is.

ALTER TABLE projects ADD COLUMN commits_rearranged BIGINT NOT NULL DEFAULT 0;
ALTER TABLE projects ADD COLUMN revisions_rearranged BIGINT NOT NULL DEFAULT 0;
