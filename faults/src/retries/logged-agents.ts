import { decodeEnvelope, type Envelope } from 'millrace'
import { withoutIds } from './shown-run.ts'
import { ROLES } from './planned-fault.ts'

/** Their totals include sub-agents, and therefore the cost of retries. */
const familyTotals: ReadonlySet<string> = new Set(['meta_end', 'meta_final'])

/**
 * The frames of each agent in a log, by role, as texts that are the same in every run without faults. Blocks are not ordered, because the
 * order of two results depends on timing.
 */
export function toLoggedAgents(log: readonly string[], session: string): readonly string[] {
  const envelopes = log.map((line) => decodeEnvelope(line))
  return ROLES.map((role) => {
    const agent = role === 0 ? session : `${session}.${role}`
    const own = envelopes.filter((envelope) => envelope.agent === agent)
    return describeMessages(role === 0 ? own.filter(isNoTotal) : own, session)
  })
}

/** The number of steps that were rolled back. */
export function countRollbacks(log: readonly string[]): number {
  return log.filter((line) => decodeEnvelope(line).type === 'rollback').length
}

function isNoTotal({ type }: Envelope): boolean {
  return !familyTotals.has(type)
}

function describeMessages(messages: readonly Envelope[], session: string): string {
  const calls = messages.filter(({ type }) => type === 'tool_call').map(({ id }) => String(id))
  const blocks = new Map<string, string>()
  for (const message of messages) {
    const text = nameCalls(withoutRunIds(JSON.stringify(message), session), calls)
    const key = nameCalls(`${message.type} ${message.id ?? ''}`, calls)
    blocks.set(key, `${blocks.get(key) ?? ''}\n${text}`)
  }
  return [...blocks.values()].toSorted().join('')
}

function withoutRunIds(text: string, session: string): string {
  return withoutIds(text, session).replaceAll(/run_id\\":\\"[\da-f-]+/g, 'run_id')
}

/** Ids are assigned in the order of the calls, so they are named by their position among those of the agent. */
function nameCalls(text: string, calls: readonly string[]): string {
  return text.replaceAll(/functions_[a-z_]+_\d+/g, (id) => {
    const place = calls.indexOf(id)
    return place < 0 ? id.replace(/\d+$/, '') : `CALL-${place}`
  })
}
