import { chunkPayload, type Envelope, type Payload } from '../envelope/index.ts'
import { createDeltaLine, type PieceHead } from './delta-line.ts'

/** Where the messages of one event gather, in the form in which they leave. */
export interface MessageSink<Message> {
  /** What no message is longer than; infinite where messages leave whole. */
  readonly maxBytes: number
  /** Adds a payload, whole or as the next part of its block. */
  put(payload: Payload): void
  /** Prepares a block that is sent as it comes, and gives what adds its next piece. */
  stream(head: PieceHead): (delta: string) => void
  /** Hands over what has gathered. */
  take(): Message[]
}

/** Creates a sink of encoded lines, each within the limit. [CHUNK-1] */
export function createLineSink(maxBytes: number): MessageSink<string> {
  let lines: string[] = []

  function put(payload: Payload): void {
    for (const line of chunkPayload({ ...payload, maxBytes })) lines.push(line)
  }

  return {
    maxBytes,
    put,
    stream(head) {
      const toLine = createDeltaLine({ ...head, maxBytes })
      return (delta) => {
        const line = toLine(delta)
        if (line === undefined) put({ ...head, payload: delta, final: false })
        // An array that begins empty has room for many more.
        else if (lines.length === 0) lines = [line]
        else lines.push(line)
      }
    },
    take() {
      const taken = lines
      lines = []
      return taken
    },
  }
}

/** Creates a sink of messages as values, for what writes them in another format and cuts nothing. */
export function createEnvelopeSink(): MessageSink<Envelope> {
  let envelopes: Envelope[] = []

  function put({ type, agent, payload: delta, extras = {}, final = true }: Payload): void {
    envelopes.push({ ...extras, type, agent, final, delta })
  }

  return {
    maxBytes: Infinity,
    put,
    stream({ type, agent, extras }) {
      // A spread costs a delta, of which there are many, more than all the rest of its way.
      if (Object.keys(extras).length === 0) {
        return (delta) => void envelopes.push({ type, agent, final: false, delta })
      }
      return (delta) => put({ type, agent, extras, payload: delta, final: false })
    },
    take() {
      const taken = envelopes
      envelopes = []
      return taken
    },
  }
}
