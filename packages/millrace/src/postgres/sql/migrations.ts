import { appendSql } from './append.ts'
import { inboxSql } from './inbox.ts'
import { sessionsSql } from './sessions.ts'
import { tablesSql } from './tables.ts'

/**
 * What makes each version of the schema from the one before it, with names in braces: add to this list, never change what stands in it.
 */
export const migrations: readonly string[] = [tablesSql + appendSql + sessionsSql + inboxSql]
