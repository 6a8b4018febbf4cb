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
  readonly state: 'sending' | 'sent'
}

/** Answers on their way, by tool use id. */
export type Answers = Readonly<Record<string, Answer>>

/** No answers. */
export const noAnswers: Answers = {}

/** An answer as a request carries it. */
export interface ToolResult {
  readonly tool_use_id: string
  readonly content: string
  readonly is_error: boolean
}

/** The answers that the server does not have yet. */
export function unsentResults(answers: Answers): readonly ToolResult[] {
  return Object.entries(answers).flatMap(([tool_use_id, { content, isError, state }]) =>
    state === 'sent' ? [] : { tool_use_id, content, is_error: isError },
  )
}

/** The answers after the server has taken some of them, or refused them, so that they may be given again. */
export function settleAnswers(
  answers: Answers,
  results: readonly ToolResult[],
  isTaken: boolean,
): Answers {
  const settled: Record<string, Answer> = { ...answers }
  for (const { tool_use_id: id } of results) {
    if (isTaken) settled[id] = { ...answers[id]!, state: 'sent' }
    else delete settled[id]
  }
  return settled
}
