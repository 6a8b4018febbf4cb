import type { SessionCommand, SessionTask } from './session-command.ts'
import { type ListedSession, toStatusText } from './session-views.ts'
import { toTable } from './to-table.ts'

/** Maximum sessions in one page. */
const PAGE = 100

/** `millrace sessions list`: the sessions, most recently written first. */
export const listSessions: SessionCommand = {
  needsSession: false,
  run: async (task) => {
    const { terminal, options } = task
    const { sessions, total } = await readPages(task)
    if (options.json) terminal.print(JSON.stringify({ sessions, total }, null, 2))
    else terminal.print(total === 0 ? 'There are no sessions.' : toText(sessions, total))
    return 0
  },
}

async function readPages({ views, options: { limit, offset } }: SessionTask) {
  const sessions: ListedSession[] = []
  let total = 0
  for (;;) {
    const range = {
      limit: Math.min(PAGE, limit - sessions.length),
      offset: offset + sessions.length,
    }
    const page = await views.list(range)
    sessions.push(...page.sessions)
    total = page.total
    if (page.sessions.length < PAGE || sessions.length >= limit) return { sessions, total }
  }
}

function toText(sessions: readonly ListedSession[], total: number): string {
  const rows = sessions.map((row) => [
    row.agent_uuid,
    toStatusText(row),
    String(row.total_runs ?? 0),
    toMinute(row.updated_at),
    row.title ?? '',
  ])
  const table = toTable(['SESSION', 'STATUS', 'RUNS', 'LAST WRITTEN (UTC)', 'TITLE'], rows)
  const rest =
    sessions.length < total
      ? `\n\n${sessions.length} of ${total}; use --limit and --offset for others.`
      : ''
  return table + rest
}

/** Formats `2026-05-04T03:02:01.000Z` as `2026-05-04 03:02`. */
function toMinute(time = ''): string {
  return time.slice(0, 16).replace('T', ' ')
}
