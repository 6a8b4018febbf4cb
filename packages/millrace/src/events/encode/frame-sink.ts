import { chunkPayload, type Payload } from '../envelope/chunk.ts'
import { encodeEnvelope, type Envelope, type Extras } from '../envelope/envelope.ts'

/** The text before the delta in every line that is not final; no earlier field can contain it. [ENV-2] */
const BEFORE_DELTA = '"final":false,"delta":'
const EMPTY = '""'
/** A UTF-16 unit takes at most three bytes, so shorter lines fit with any content. */
const MAX_BYTES_PER_UNIT = 3

interface PieceHead {
  readonly type: string
  readonly agent: string
  readonly extras: Extras
}

/** Collects the frames of one event. */
export interface FrameSink<Frame> {
  /** Maximum size of a frame; infinite if frames are not split. */
  readonly maxBytes: number
  /** Adds a payload, whole or as the next part of its block. */
  put(payload: Payload): void
  /** Starts a streamed block and returns the function that adds its next part. */
  stream(head: PieceHead): (delta: string) => void
  /** Returns and removes the collected frames. */
  take(): Frame[]
}

/** Creates a sink of encoded lines, each within the limit. [CHUNK-1] */
export function createLineSink(maxBytes: number): FrameSink<string> {
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
        // A new array has less capacity than one that starts empty.
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

/** Creates a sink of frames as values, for writers of other formats. It splits nothing. */
export function createEnvelopeSink(): FrameSink<Envelope> {
  let envelopes: Envelope[] = []

  function put({ type, agent, payload: delta, extras = {}, final = true }: Payload): void {
    envelopes.push({ ...extras, type, agent, final, delta })
  }

  return {
    maxBytes: Infinity,
    put,
    stream({ type, agent, extras }) {
      // Deltas are copied by field: a spread would cost more than all their other processing.
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

interface DeltaLineOptions extends PieceHead {
  readonly maxBytes: number
}

/**
 * Creates the lines of a streamed block. The fields around the delta are encoded once, not for every token. Returns undefined for a delta
 * that may not fit.
 */
function createDeltaLine(options: DeltaLineOptions): (delta: string) => string | undefined {
  const { type, agent, extras, maxBytes } = options
  const template = encodeEnvelope({ ...extras, type, agent, final: false, delta: '' })
  const at = template.indexOf(BEFORE_DELTA) + BEFORE_DELTA.length
  const head = template.slice(0, at)
  const tail = template.slice(at + EMPTY.length)
  return (delta) => {
    if (delta.length > maxBytes) return undefined
    const line = head + JSON.stringify(delta) + tail
    return line.length * MAX_BYTES_PER_UNIT <= maxBytes ? line : undefined
  }
}
