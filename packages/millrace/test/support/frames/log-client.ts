import { createEnvelopeDecoder, type Envelope } from '../../../src/events/index.ts'
import { createEventDecoder, DONE_DATA } from '../../../src/sse/index.ts'
import { nextChunk, type ChunkReader } from '../../../src/server/reading/chunk-source.ts'
import { createFrameReducer } from '../../../src/testing/frame-reducer.ts'
import { toView } from '../../../src/testing/transcript-view.ts'
import {
  createTranscript,
  endTranscript,
  type Transcript,
} from '../../../src/client/transcript/index.ts'

/** A received envelope, with the id of its frame. */
export interface Received {
  readonly id: number
  readonly data: string
  readonly envelope: Envelope
}

/** The content of a client that has read a log to the end. */
export interface ReadLog {
  readonly transcript: Transcript
  readonly received: readonly Received[]
}

/**
 * Reads a log to `[DONE]` by the rules of the protocol: repeated frames are dropped, a gap is a
 * fault, and after each cut, at a number of bytes of a connection, it resumes after the last id.
 */
export async function readLog(
  open: (after: number) => ChunkReader,
  { after = 0, cuts = [] }: { readonly after?: number; readonly cuts?: readonly number[] } = {},
): Promise<ReadLog> {
  let transcript = createTranscript(after)
  const reduce = createFrameReducer()
  const received: Received[] = []
  for (let connection = 0; ; connection++) {
    let isDone = false
    const decode = createEnvelopeDecoder()
    const decoder = createEventDecoder({
      onEvent: ({ id, data }) => {
        isDone = data === DONE_DATA
        if (isDone) return void (transcript = endTranscript(transcript))
        const envelope = decode(data)
        received.push({ id: Number(id), data, envelope })
        transcript = reduce(transcript, envelope, Number(id))
        if (transcript.gapAfter !== undefined) throw new Error(`A hole before ${id}: ${data}`)
      },
    })
    await feed(open(transcript.lastId), decoder, cuts[connection] ?? Infinity)
    if (isDone) return { transcript, received }
    if (connection >= cuts.length) throw new Error('The log ended without its end.')
  }
}

async function feed(
  reader: ChunkReader,
  decoder: { feed(chunk: Uint8Array): void },
  bytes: number,
): Promise<void> {
  let left = bytes
  while (left > 0) {
    const chunk = await nextChunk(reader)
    if (chunk === undefined) return
    decoder.feed(chunk.bytes.subarray(0, left))
    left -= chunk.bytes.length
  }
  reader.close()
}

/** The visible content of a transcript, and its last id. */
export function toSight(transcript: Transcript): unknown {
  const keys = [...transcript.agents].map((agent) => [...agent.blocks].map(({ key }) => key))
  return {
    ...toView(transcript),
    lastId: transcript.lastId,
    error: transcript.error ?? null,
    // A reader without void blocks counts fewer blocks; keys need only be unique. [LOG-10]
    hasUniqueKeys: keys.every((own) => new Set(own).size === own.length),
  }
}
