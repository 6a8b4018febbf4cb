import { appendSql } from './append.ts'
import { branchColumnsSql } from './branch-columns.ts'
import { branchesSql } from './branches.ts'
import { inboxSql } from './inbox.ts'
import { ownerColumnsSql } from './owner-columns.ts'
import { sessionsSql } from './sessions.ts'
import { tablesSql } from './tables.ts'

/**
 * The changes of the tables that make each version of the schema from the one before it, with names in braces: add to this list, never change
 * what stands in it. Add one also if only functions change.
 */
export const migrations: readonly string[] = [tablesSql, branchColumnsSql, ownerColumnsSql]

/** The functions of the newest version, which replace those of any earlier one. */
export const functionsSql = appendSql + sessionsSql + inboxSql + branchesSql
