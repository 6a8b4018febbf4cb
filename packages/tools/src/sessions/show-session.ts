import { toPlainLine } from 'millrace'
import type { SessionCommand } from './session-command.ts'
import { type ShownConversation, type ShownSession, toStatusText } from './session-views.ts'
import { toTable } from './to-table.ts'

/** Maximum runs that are shown. */
const RUNS = 20

/** Replaces a value that a session without a prompt does not have. */
const NOTHING = '–'

/** `millrace sessions show ID`: the state of a session, and its last runs. */
export const showSession: SessionCommand = {
  needsSession: true,
  run: async ({ views, terminal, session, options: { json } }) => {
    const shown = await views.show(session)
    const history = await views.history(session, { limit: RUNS })
    if (json) terminal.print(JSON.stringify({ ...shown, conversations: history }, null, 2))
    else terminal.print(toText(shown, history))
    return 0
  },
}

function toText(shown: ShownSession, history: readonly ShownConversation[]): string {
  const { tail, earliest, pending, pending_approvals: approvals } = shown
  const facts: readonly (readonly [string, string])[] = [
    ['Session', shown.agent_uuid],
    ['Title', shown.title],
    ['Agent', shown.agent_type ?? NOTHING],
    ['Status', toStatusText(shown)],
    ['Created', shown.created_at ?? NOTHING],
    ['Updated', shown.updated_at ?? NOTHING],
    ['Frames', earliest > 1 ? `${tail}, kept from ${earliest} on` : String(tail)],
    ...(pending.length > 0 ? [['Waits for', `${pending.length} answers`] as const] : []),
    ...(approvals.length > 0 ? [['Waits for', `${approvals.length} approvals`] as const] : []),
  ]
  const head = facts.map(([name, value]) => `${name.padEnd(10)} ${toPlainLine(value)}`).join('\n')
  if (history.length === 0) return head
  const rows = history
    .toReversed()
    .map((run) => [
      String(run.sequence_number),
      run.stop_reason,
      String(run.total_steps),
      run.user_message,
      run.final_response,
    ])
  return `${head}\n\n${toTable(['RUN', 'END', 'STEPS', 'ASKED', 'ANSWERED'], rows)}`
}
