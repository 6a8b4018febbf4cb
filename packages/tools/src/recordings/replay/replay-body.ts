import { MillraceError } from 'millrace'
import { toByteStream } from '../../streams/to-byte-stream.ts'
import type { Recording } from '../recording.ts'
import type { Clock } from './clock.ts'
import { type ReplayPace, toDueMs } from './replay-pace.ts'

/** Options of a replayed body. */
export interface ReplayBodyOptions {
  readonly pace: ReplayPace
  readonly clock: Clock
  readonly signal: AbortSignal
}

/** Streams the chunks of a recording, one by one at their times; a body that was cut fails at the same position. */
export function toReplayBody(
  recording: Recording,
  { pace, clock, signal }: ReplayBodyOptions,
): ReadableStream<Uint8Array> {
  // Times are relative to this moment, so that a late timer or a slow reader does not slow the rest.
  const startMs = clock.now()
  const until = async (ms: number, stop: AbortSignal): Promise<void> => {
    const waitMs = startMs + toDueMs(ms, pace) - clock.now()
    if (waitMs > 0) await clock.sleep(waitMs, stop)
  }
  return toByteStream((stop) => replayChunks(recording, (ms) => until(ms, stop)), signal)
}

async function* replayChunks(
  { chunks, end, endMs }: Recording,
  until: (ms: number) => Promise<void>,
): AsyncGenerator<Uint8Array, void, undefined> {
  for (const { ms, bytes } of chunks) {
    await until(ms)
    // A copy: a reader may modify it.
    yield new Uint8Array(bytes)
  }
  await until(endMs)
  if (end !== 'complete') throw cutOff(end, chunks.length)
}

function cutOff(end: string, chunks: number): MillraceError {
  const message = `The recording ends here (${end}, after ${chunks} chunks), and so does its replay.`
  return new MillraceError('connection_lost', message)
}
