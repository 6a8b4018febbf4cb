import type { Transcript } from '../transcript/index.ts'

/** A prompt on its way: shown by the stream itself once the server has taken it. */
export interface OutgoingPrompt {
  readonly text: string
  /** `unsent`: it did not arrive and is kept for the person to send again. */
  readonly state: 'sending' | 'unsent'
}

/** An answer to a tool that waits for the browser. */
export interface Answer {
  readonly content: string
  readonly isError: boolean
}

/** Answers by tool use id. */
export type Answers = Readonly<Record<string, Answer>>

/** The answers to calls that still wait. */
export function openAnswers(answers: Answers, { pending }: Transcript): Answers {
  const all = Object.entries(answers)
  const open = all.filter(([id]) => pending.some(({ toolUseId }) => toolUseId === id))
  return open.length < all.length ? Object.fromEntries(open) : answers
}

/** Answers as a request carries them. */
export function encodeAnswers(answers: Answers): readonly object[] {
  return Object.entries(answers).map(([tool_use_id, { content, isError }]) => ({
    tool_use_id,
    content,
    is_error: isError,
  }))
}
