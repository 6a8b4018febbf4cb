import { anthropic } from 'millrace/anthropic'
import type { ModelEvent } from 'millrace/anthropic'
import { readMessages } from './read-messages.ts'
import { type CheckedRecording, type RecordingCheck, spread } from './recording-check.ts'

/** Number of cuts of a recording for each way in which a connection ends. */
const CUTS = 5
const PIECE_BYTES = 1000

const request = {
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
  maxTokens: 1,
} as const

/** Checks connections that end or fail anywhere: through the whole client, nothing is thrown, and there is one end. */
export const checkConnections: RecordingCheck = {
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

/** Only the reader of the connection knows why a message was cut. */
function toText(events: readonly ModelEvent[]): string {
  return JSON.stringify(events, (key, value: unknown) => (key === 'failure' ? undefined : value))
}
