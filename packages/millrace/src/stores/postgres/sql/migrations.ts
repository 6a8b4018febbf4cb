import { appendSql } from './append.ts'
import { branchColumnsSql } from './branch-columns.ts'
import { branchesSql } from './branches.ts'
import { inboxSql } from './inbox.ts'
import { ownerColumnsSql } from './owner-columns.ts'
import { sessionsSql } from './sessions.ts'
import { tablesSql } from './tables.ts'

/**
 * Migrations, each from the schema version before it, with names in braces. Append to this list, never change an entry. A change of
 * functions needs a new entry too.
 */
export const migrations: readonly string[] = [
  tablesSql,
  branchColumnsSql,
  ownerColumnsSql,
  // Quiet appends: only functions change.
  '',
  // Conditional removals and forks with a lease: only functions change.
  '',
]

/** Functions of the newest version. They replace those of earlier versions. */
export const functionsSql = appendSql + sessionsSql + inboxSql + branchesSql
