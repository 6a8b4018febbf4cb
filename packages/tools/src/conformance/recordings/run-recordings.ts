import { anthropic, type ModelEvent } from 'millrace/anthropic'
import { feedings } from '../feedings/feedings.ts'
import { checkCuts } from './check-cuts.ts'
import { checkGolden } from './check-golden.ts'
import { checkPings } from './check-pings.ts'
import { checkWire } from './check-wire.ts'
import {
  type CheckedRecording,
  frameBody,
  type Recording,
  type RecordingCheck,
  spread,
} from './recording-check.ts'
import { readMessages, readPieces } from './read-messages.ts'

/** Number of cuts of a recording for each way in which a connection ends. */
const CUTS = 5
const PIECE_BYTES = 1000

const request = {
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
  maxTokens: 1,
} as const

/** Checks connections that end or fail anywhere: through the whole client, nothing is thrown, and there is one end. */
const checkConnections: RecordingCheck = {
  name: 'cut connections, through the client',
  async run(recording) {
    const faults: string[] = []
    const cuts = spread(recording.bytes.length + 1, CUTS)
    for (const cut of cuts) {
      for (const breaks of [false, true]) {
        const fault = await faultOfCut(recording, cut, breaks)
        const way = breaks ? 'fails' : 'ends'
        if (fault !== undefined) faults.push(`the connection ${way} at byte ${cut}: ${fault}`)
      }
    }
    return { cases: cuts.length * 2, faults }
  },
}

/** Checks that all chunkings of the bytes yield the same events. */
const checkSplits: RecordingCheck = {
  name: 'byte by byte as whole',
  run({ bytes, messages }) {
    const expected = JSON.stringify(messages)
    const ways = feedings()
    const faults = ways
      .filter(({ cut }) => JSON.stringify(readPieces(cut(bytes))) !== expected)
      .map(({ name }) => `[${name}] other events`)
    return { cases: ways.length, faults }
  },
}

/** The checks of recordings, in order. */
export const recordingChecks: readonly RecordingCheck[] = [
  checkGolden,
  checkPings,
  checkCuts,
  checkSplits,
  checkConnections,
  checkWire,
]

/** The result of one check over all recordings. */
export interface CheckSummary {
  readonly name: string
  readonly files: number
  readonly cases: number
  /** The differences, by the name of the recording. */
  readonly faults: readonly { readonly file: string; readonly fault: string }[]
}

/** Runs checks on recordings. */
export async function runRecordings(
  recordings: readonly Recording[],
  {
    checks = recordingChecks,
    onProgress,
  }: {
    readonly checks?: readonly RecordingCheck[]
    readonly onProgress?: ((text: string) => void) | undefined
  } = {},
): Promise<CheckSummary[]> {
  const summaries = checks.map(({ name }) => ({
    name,
    files: 0,
    cases: 0,
    faults: [] as { file: string; fault: string }[],
  }))
  for (const [place, recording] of recordings.entries()) {
    onProgress?.(`${place + 1} of ${recordings.length}: ${recording.name}`)
    const framed = frameBody(recording.body)
    const checked = { ...recording, ...framed, messages: readMessages(framed.frames) }
    for (const [index, summary] of summaries.entries()) {
      const result = await checks[index]?.run(checked)
      if (result === undefined || result.cases === 0) continue
      summary.files++
      summary.cases += result.cases
      summary.faults.push(...result.faults.map((fault) => ({ file: recording.name, fault })))
    }
  }
  return summaries
}

async function faultOfCut({ bytes, frames, ends }: CheckedRecording, cut: number, breaks: boolean) {
  const whole = ends.filter((end) => end <= cut).length
  const [expected] = readMessages(frames.slice(0, whole))
  const body = toBody(bytes.subarray(0, cut), breaks)
  const events: ModelEvent[] = []
  try {
    const fetch = async () => new Response(body)
    const model = anthropic('recorded', { apiKey: 'none', maxRetries: 0, fetch })
    for await (const event of model.stream(request)) events.push(event)
  } catch (error) {
    return `threw ${String(error)}`
  }
  return toText(events) === toText(expected?.events ?? []) ? undefined : 'other events'
}

function toBody(bytes: Uint8Array, breaks: boolean): ReadableStream<Uint8Array> {
  let at = 0
  return new ReadableStream({
    pull(controller) {
      if (at < bytes.length) controller.enqueue(bytes.slice(at, at + PIECE_BYTES))
      else if (breaks) controller.error(new Error('The connection failed.'))
      else controller.close()
      at += PIECE_BYTES
    },
  })
}

/** Only the reader of the connection has the reason why a message was cut. */
function toText(events: readonly ModelEvent[]): string {
  return JSON.stringify(events, (key, value: unknown) => (key === 'failure' ? undefined : value))
}
