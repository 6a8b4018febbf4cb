import { createSessionId } from '../../session-id.ts'

/** A prompt on its way: shown by the stream itself once the server has taken it. */
export interface OutgoingPrompt {
  readonly text: string
  /** The key by which the server knows it if it is sent again. */
  readonly messageId?: string
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

/** No answers. */
export const noAnswers: Answers = {}

const keys = new WeakMap<Answers, string>()

/** Answers as they are sent; the same ones again have the same key. */
export function toResults(answers: Answers): object {
  const key = keys.get(answers) ?? createSessionId()
  keys.set(answers, key)
  return {
    message_id: key,
    tool_results: Object.entries(answers).map(([tool_use_id, { content, isError }]) => ({
      tool_use_id,
      content,
      is_error: isError,
    })),
  }
}
