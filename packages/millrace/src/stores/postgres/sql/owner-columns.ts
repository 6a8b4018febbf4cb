/** Version 3 of the tables: the owner of a session, null for none. Its index changes once a minute, like that of the list of all sessions. */
export const ownerColumnsSql = `
ALTER TABLE {logs} ADD owner text COLLATE "C";
CREATE INDEX "{prefix}logs_by_owner" ON {logs} (owner, minute) WHERE owner IS NOT NULL AND session IS NOT NULL;
`
