import { createSseDecoder } from 'millrace'
import type { Mill } from './open-mill.ts'

/** The response to a request for a stream, read to its end. */
export interface NamedLog {
  readonly status: number
  /** The log in the response. */
  readonly log: string
  readonly ids: readonly number[]
  /** The lines, or the text of an error. */
  readonly text: string
}

/** Reads a stream of a session to an end of any kind; calls back at its first frame. */
export async function readNamedLog(
  { url }: Pick<Mill, 'url'>,
  session: string,
  query: string,
  signal: AbortSignal,
  onFirst: () => void = () => {},
): Promise<NamedLog> {
  const response = await fetch(`${url}/agent/${session}/stream?compact=0&${query}`, { signal })
  const { status, headers } = response
  const log = headers.get('millrace-log') ?? ''
  if (!response.ok) return { status, log, ids: [], text: await response.text() }
  const ids: number[] = []
  let text = ''
  const decoder = createSseDecoder({
    onEvent: ({ id, data }) => {
      if (data !== '[DONE]') ids.push(Number(id))
      if (ids.length === 1) onFirst()
      text += data
    },
  })
  try {
    for await (const chunk of response.body ?? []) decoder.feed(chunk)
  } catch {
    signal.throwIfAborted()
  }
  return { status, log, ids, text }
}
