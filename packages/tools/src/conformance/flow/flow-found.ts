import {
  createJoiner,
  decodeEnvelope,
  DONE_DATA,
  type Envelope,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  traitsOf,
} from 'millrace'
import type { FlowOutput } from './flow-output.ts'
import type { FlowInput } from './flow-input.ts'

/** One stream of a case, or the error response instead of it. */
export interface FoundStream {
  readonly status: number
  /** The envelopes as received, each buffered block as one. */
  readonly messages: readonly Envelope[]
  /** The encoded envelopes. */
  readonly lines: readonly string[]
  readonly done: boolean
  readonly error?: JsonObject
}

/** The output of a flow with its frames decoded. */
export interface FlowFound extends FlowOutput {
  readonly streams: readonly FoundStream[]
  /** The whole log, each buffered block as one envelope. */
  readonly log: readonly Envelope[]
}

/** Decodes the frames of a flow's output. */
export function toFound(output: FlowOutput): FlowFound {
  const streams = output.responses.flatMap(toStream)
  return { ...output, streams, log: messagesIn(linesIn(output.frames)) }
}

function toStream({ status, frames, body }: FlowOutput['responses'][number]): FoundStream[] {
  if (frames === undefined) {
    const error = body?.['error']
    if (!isJsonObject(error)) return []
    return [{ status, messages: [], lines: [], done: false, error }]
  }
  const lines = linesIn(frames)
  return [{ status, messages: messagesIn(lines), lines, done: frames.at(-1)?.data === DONE_DATA }]
}

function linesIn(frames: FlowOutput['frames']): string[] {
  return frames.map(({ data }) => data).filter((data) => data !== DONE_DATA)
}

function messagesIn(lines: readonly string[]): Envelope[] {
  const messages: Envelope[] = []
  const collect = createCollector((message) => messages.push(message))
  for (const line of lines) if (isMessage(line)) collect(line)
  return messages
}

/** A line that is not an envelope is reported as a violation of the protocol. */
function isMessage(line: string): boolean {
  try {
    decodeEnvelope(line)
    return true
  } catch {
    return false
  }
}

/** Creates a collector that joins buffered blocks; incremental ones stay in chunks. */
export function createCollector(onMessage: (message: Envelope) => void): (line: string) => void {
  const joiner = createJoiner()
  return (line) => {
    const message = decodeEnvelope(line)
    const isShownAtOnce = traitsOf(message.type)?.emission === 'incremental'
    const whole = isShownAtOnce ? message : joiner.push(message)
    if (whole !== undefined) onMessage(whole)
  }
}

/** Checks one expectation of a case; returns the differences. */
export type FlowExpectation = (wanted: JsonValue, found: FlowFound, input: FlowInput) => string[]
