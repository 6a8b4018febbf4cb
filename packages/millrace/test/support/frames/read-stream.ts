import { createJoiner, decodeEnvelope, type Envelope } from '../../../src/events/index.ts'
import { createSseDecoder } from '../../../src/sse/index.ts'

/** A frame with an id. */
export interface Frame {
  readonly id: number
  readonly data: string
}

/** A stream that was read to its end, or until a condition held. */
export interface ReadStream {
  readonly status: number
  readonly frames: readonly Frame[]
  readonly comments: readonly string[]
  /** Whether `[DONE]` arrived. */
  readonly isDone: boolean
}

/** Reads a stream; `until` ends it early, by cutting the connection. */
export async function readStream(
  response: Response,
  until: (stream: ReadStream) => boolean = () => false,
): Promise<ReadStream> {
  const frames: Frame[] = []
  const comments: string[] = []
  let isDone = false
  const decoder = createSseDecoder({
    onEvent: ({ id, data }) => {
      if (data === '[DONE]') isDone = true
      else frames.push({ id: Number(id), data })
    },
    onComment: (comment) => comments.push(comment),
  })
  const current = (): ReadStream => ({ status: response.status, frames, comments, isDone })
  for await (const chunk of response.body ?? []) {
    decoder.feed(chunk)
    if (until(current())) break
  }
  return current()
}

/** The joined envelopes of a stream. */
export function toMessages({ frames }: Pick<ReadStream, 'frames'>): Envelope[] {
  const joiner = createJoiner()
  return frames.flatMap(({ data }) => joiner.push(decodeEnvelope(data)) ?? [])
}

/** The types of joined envelopes, in order. */
export function typesOf(stream: Pick<ReadStream, 'frames'>): string[] {
  return toMessages(stream).map(({ type }) => type)
}

/** The `delta` of the one envelope of a type, as JSON. */
export function payloadOf(stream: Pick<ReadStream, 'frames'>, type: string): unknown {
  const [message] = toMessages(stream).filter((one) => one.type === type)
  return message === undefined ? undefined : JSON.parse(message.delta)
}
