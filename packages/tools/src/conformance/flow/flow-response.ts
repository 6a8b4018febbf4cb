import type { Frame } from 'millrace/client'
import { isJsonObject, type JsonObject, decodeSse } from 'millrace'

/** The response to one request: a stream, or a body. */
export interface FlowResponse {
  readonly status: number
  /** The log that it names. [LOG-12] */
  readonly log?: string
  /** The frames of a stream as received, including `[DONE]`. */
  readonly frames?: readonly Frame[]
  readonly body?: JsonObject
}

/** Reads a response to its end, and passes on each frame at once. A connection failure ends it. */
export async function readResponse(
  response: Response,
  onFrame: (frame: Frame) => void,
): Promise<FlowResponse> {
  const { status, body, headers } = response
  const named = headers.get('millrace-log')
  const head = { status, ...(named !== null && { log: named }) }
  if (body === null || headers.get('content-type')?.startsWith('text/event-stream') !== true) {
    const answer: unknown = await response.json().catch(() => ({}))
    return { ...head, body: isJsonObject(answer) ? answer : {} }
  }
  const frames: Frame[] = []
  try {
    for await (const events of decodeSse(body)) {
      for (const { data, id } of events) {
        const frame = { data, id: id === undefined ? undefined : Number(id) }
        frames.push(frame)
        onFrame(frame)
      }
    }
  } catch {
    // A cut frame and a connection failure show by the missing `[DONE]`.
  }
  return { ...head, frames }
}
