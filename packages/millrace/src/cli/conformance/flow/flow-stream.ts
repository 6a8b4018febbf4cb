import { createJoiner, decodeEnvelope, type Envelope, traitsOf } from '../../../envelope/index.ts'
import { isJsonObject, type JsonObject } from '../../../json/index.ts'
import { decodeSse, DONE_DATA } from '../../../sse/index.ts'

/** What one request was answered. */
export interface FlowStream {
  readonly status: number
  /** The messages as they came, each buffered block as one. */
  readonly messages: readonly Envelope[]
  readonly isDone: boolean
  /** What the server said instead of a stream. */
  readonly error?: JsonObject
}

/** Reads the answer to a request; each message is shown as soon as it is there. */
export async function readFlowStream(
  response: Response,
  onMessage: (message: Envelope) => void,
): Promise<FlowStream> {
  const { status, body } = response
  if (status !== 200 || body === null) {
    const answer: unknown = await response.json().catch(() => ({}))
    return { status, messages: [], isDone: false, error: isJsonObject(answer) ? answer : {} }
  }
  const messages: Envelope[] = []
  const collect = createCollector((message) => {
    messages.push(message)
    onMessage(message)
  })
  let isDone = false
  for await (const events of decodeSse(body)) {
    for (const { data } of events) {
      if (data === DONE_DATA) isDone = true
      else collect(data)
    }
  }
  return { status, messages, isDone }
}

/** Joins buffered blocks; what is shown as it comes stays in its pieces. */
export function createCollector(onMessage: (message: Envelope) => void): (line: string) => void {
  const joiner = createJoiner()
  return (line) => {
    const message = decodeEnvelope(line)
    const isShownAtOnce = traitsOf(message.type)?.emission === 'incremental'
    const whole = isShownAtOnce ? message : joiner.push(message)
    if (whole !== undefined) onMessage(whole)
  }
}
