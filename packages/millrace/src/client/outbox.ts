import type { Transcript } from '../transcript/index.ts'

/** A prompt on its way: shown by the stream itself once the server has taken it. */
export interface OutgoingPrompt {
  readonly text: string
  /** `unsent`: it did not arrive and is kept for the person to send again. */
  readonly state: 'sending' | 'unsent'
}

/** An answer to a tool that waits for the browser, until the stream shows it. */
export interface Answer {
  readonly content: string
  readonly isError: boolean
  /** `sent`: the server has it, and may still wait for answers to other calls. */
  readonly state: 'queued' | 'sending' | 'sent'
}

/** Answers on their way, by tool use id. */
export type Answers = Readonly<Record<string, Answer>>

/** The answers that are in one state moved to another; `undefined` takes them out. */
export function moveAnswers(
  answers: Answers,
  from: Answer['state'],
  to: Answer['state'] | undefined,
): Answers {
  const moved: Record<string, Answer> = {}
  for (const [id, answer] of Object.entries(answers)) {
    const state = answer.state === from ? to : answer.state
    if (state) moved[id] = { ...answer, state }
  }
  return moved
}

/** The answers without those that the server has and the transcript no longer waits for. */
export function openAnswers(answers: Answers, { pending }: Transcript): Answers {
  const all = Object.entries(answers)
  const open = all.filter(
    ([id, { state }]) => state !== 'sent' || pending.some((tool) => tool.toolUseId === id),
  )
  return open.length < all.length ? Object.fromEntries(open) : answers
}

/** The body of a request that sends what is queued, or undefined when nothing is. */
export function encodeAnswers(agent: string, answers: Answers): string | undefined {
  const queued = Object.entries(answers).filter(([, answer]) => answer.state === 'queued')
  if (queued.length === 0) return undefined
  return JSON.stringify({
    agent_uuid: agent,
    tool_results: queued.map(([tool_use_id, { content, isError }]) => ({
      tool_use_id,
      content,
      is_error: isError,
    })),
  })
}
