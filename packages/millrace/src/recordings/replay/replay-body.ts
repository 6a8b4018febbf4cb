import { MillraceError } from '../../errors/index.ts'
import { toByteStream } from '../../streams/index.ts'
import type { Recording } from '../recording.ts'
import type { Clock } from './clock.ts'
import { type ReplayPace, toDueMs } from './replay-pace.ts'

/** How a body is replayed. */
export interface ReplayBodyOptions {
  readonly pace: ReplayPace
  readonly clock: Clock
  readonly signal: AbortSignal
}

/** Gives the chunks of a recording again, each by itself and at its time; a body that was cut fails where it was. */
export function toReplayBody(
  recording: Recording,
  { pace, clock, signal }: ReplayBodyOptions,
): ReadableStream<Uint8Array> {
  // Times count from here, so that a late timer or a slow reader does not slow the rest.
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
    // A copy: whoever reads it may do with it what they like.
    yield new Uint8Array(bytes)
  }
  await until(endMs)
  if (end !== 'complete') throw cutOff(end, chunks.length)
}

function cutOff(end: string, chunks: number): MillraceError {
  const message = `The recording ends here (${end}, after ${chunks} chunks), and so does its replay.`
  return new MillraceError('connection_lost', message)
}
