/**
 * Version 2 of the tables. A branch has the number of its parent's log and the last frame that it shares (`base`), which is always above
 * the base of the parent. A removed session keeps its row, without `session` and with its name in `former`, if branches share its log. A
 * file has the tail of the log when it was stored; a file of version 1 has 0, so every branch shares it.
 */
export const branchColumnsSql = `
ALTER TABLE {logs} ALTER session DROP NOT NULL,
  ADD parent bigint, ADD base bigint, ADD former text COLLATE "C";
CREATE INDEX "{prefix}logs_by_parent" ON {logs} (parent, base) WHERE parent IS NOT NULL;
ALTER TABLE {files} ADD tail bigint NOT NULL DEFAULT 0;
`
