import { type Envelope, joinContinued } from '../../../envelope/index.ts'
import { note } from './agent-book.ts'
import type { AgentDraft } from './draft.ts'

/** Keeps a message until the next one of its block has come. [CHUNK-5] */
export function hold(agent: AgentDraft, envelope: Envelope): void {
  note(agent, { held: [...agent.book.held, envelope] })
}

/** Joins a message with the one that was held for it. */
export function joinHeld(agent: AgentDraft, envelope: Envelope): Envelope {
  const { held } = agent.book
  const before = held.find(({ type, id }) => type === envelope.type && id === envelope.id)
  if (!before) return envelope
  note(agent, { held: held.filter((other) => other !== before) })
  try {
    return joinContinued(before, envelope)
  } catch {
    // A piece of a field is missing: the field is lost, the rest is not.
    return envelope
  }
}
