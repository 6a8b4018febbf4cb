import { createSseDecoder, type Transcript } from 'millrace'
import { createSession } from 'millrace/client'
import type { SeenFrame } from '../mill/follow-session.ts'
import { createCuttingFetch } from './cutting-fetch.ts'

/** The content that a reader has assembled despite interruptions. */
export interface CutReading {
  readonly frames: readonly SeenFrame[]
  /** The number of its cut connections. */
  readonly cuts: number
  /** Whether it has received the end. */
  readonly isDone: boolean
  /** The page content, if the reader produces it. */
  readonly transcript?: Transcript
}

/** The options of a reading. */
export interface CutReadingOptions {
  readonly url: string
  readonly session: string
  /** The byte at which each of the first connections is cut. */
  readonly offsets: readonly number[]
  readonly signal: AbortSignal
  /** Called when a response has arrived. */
  readonly onAnswer?: () => void
}

/** Reads a session to its end like any reader of event streams: it resumes with the id of the last complete event. */
export async function readPlainly({
  url,
  session,
  offsets,
  signal,
}: CutReadingOptions): Promise<CutReading> {
  const network = createCuttingFetch(offsets)
  const frames: SeenFrame[] = []
  let lastEventId = ''
  let isDone = false
  for (let attempt = 0; !isDone && attempt <= offsets.length; attempt++) {
    const response = await network.fetch(`${url}/agent/${session}/stream?compact=0`, {
      headers: { 'last-event-id': lastEventId },
      signal,
    })
    if (!response.ok) throw new Error(`A reader was refused with ${response.status}.`)
    const decoder = createSseDecoder({
      onEvent: ({ id, data }) => {
        if (data === '[DONE]') isDone = true
        else frames.push({ id: Number(id), data })
      },
    })
    try {
      for await (const chunk of response.body ?? []) decoder.feed(chunk)
    } catch {
      signal.throwIfAborted()
    }
    lastEventId = decoder.lastEventId || lastEventId
  }
  return { frames, cuts: network.cuts(), isDone }
}

/** Reads a session with the client of the library, which may also send the prompt. */
export async function readByClient(
  { url, session: id, offsets, signal, onAnswer = () => {} }: CutReadingOptions,
  prompt?: string,
): Promise<CutReading> {
  const network = createCuttingFetch(offsets)
  const frames: SeenFrame[] = []
  const session = createSession({
    url,
    session: id,
    fetch: async (...request) => {
      const response = await network.fetch(...request)
      onAnswer()
      return response
    },
    retryDelayMs: 0,
    onFrame: (frame) => {
      if (frame.id !== undefined) frames.push({ id: frame.id, data: frame.data })
    },
  })
  signal.addEventListener('abort', session.close)
  try {
    await (prompt === undefined ? session.watch() : session.run(prompt))
  } finally {
    signal.removeEventListener('abort', session.close)
  }
  const { transcript } = session.getSnapshot()
  const isDone = transcript.status === 'complete'
  return { frames, cuts: network.cuts(), isDone, transcript }
}
