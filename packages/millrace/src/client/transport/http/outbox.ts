import { createSessionId } from '../../session-id.ts'

/** A prompt that is being sent. The stream shows it once the server has accepted it. */
export interface OutgoingPrompt {
  readonly text: string
  /** Key by which the server recognizes a repeated prompt. */
  readonly messageId?: string
  /** `unsent`: it did not arrive, and is kept so that the user can send it again. */
  readonly state: 'sending' | 'unsent'
}

/** An answer to a tool that is pending for the browser. */
export interface Answer {
  readonly content: string
  readonly isError: boolean
}

/** Answers by tool use id. */
export type Answers = Readonly<Record<string, Answer>>

/** No answers. */
export const noAnswers: Answers = {}

const keys = new WeakMap<Answers, string>()

/** Converts answers to a request. The same answers again have the same key. */
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
