import { MillraceError } from '../../errors/index.ts'
import { createDecoder, type Decoder, type StreamEvent } from '../../events/index.ts'
import { createSseDecoder, DONE_DATA, type SseEvent } from '../../sse/index.ts'
import { onAbort, sleep } from '../../streams/index.ts'
import type { Caller } from '../access/caller.ts'
import { openStream } from '../actions/open-stream.ts'
import { createPageReader, pinLog } from '../feeds/page-reader.ts'
import { nextChunk } from '../reading/chunk-source.ts'
import { findRunStart } from '../reading/find-start.ts'
import type { LogRange } from '../runs/run-services.ts'
import type { ServerContext } from '../server-context.ts'
import { waitForTurn } from '../timing.ts'

/** A stream of events for code in this process. */
export interface EventRange {
  readonly session: string
  /** Finds the part of the log to read. */
  readonly open: () => Promise<LogRange>
  /** Whether it stays across pauses and runs. */
  readonly follows?: boolean
  /** Whether it may begin within a block. */
  readonly isResumed?: boolean
  /** Its reader, for whom it is counted. */
  readonly caller: Pick<Caller, 'identify'>
  readonly signal?: AbortSignal | undefined
}

/** Delay before a stream is opened again after the server of its run was lost. */
const REOPEN_MS = 100

/**
 * Reads the events of a range, chunk by chunk as they are consumed. Continues after the last frame when the server of the run is lost.
 * Throws `connection_lost` when this server closes, and the reason of the signal when that aborts.
 */
export async function* readEvents(
  context: ServerContext,
  { session, open, follows = false, isResumed = false, caller, signal }: EventRange,
): AsyncGenerator<StreamEvent, void, undefined> {
  signal?.throwIfAborted()
  const { quotaKey } = await caller.identify()
  const decoder = createDecoder()
  let range = await open()
  if (isResumed) await readOpenBlocks(context, range, decoder)
  for (let isReopened = false; ; isReopened = true) {
    const frames = openFrames(context, range, quotaKey)
    const leave = onAbort(signal, frames.close)
    try {
      for (let ready = await frames.next(); ready !== undefined; ready = await frames.next()) {
        for (const { data, id } of ready) {
          if (data === DONE_DATA) return
          const event = decoder.decode(data, Number(id))
          if (event !== undefined) yield event
          // Another server may have started the next run since.
          if (isReopened && !follows && isEndOf(range, event)) return
        }
      }
    } finally {
      leave()
      frames.close()
    }
    signal?.throwIfAborted()
    const after = Math.max(decoder.lastId, range.after)
    if (context.runs.isClosing()) throw closed(session, after)
    await sleep(REOPEN_MS, signal ?? never)
    // A prompt that is still queued has no frames yet.
    range =
      decoder.lastId === 0 && range.queued !== undefined
        ? await open()
        : await openStream(context, { session, cursor: { after, log: range.log }, follows })
  }
}

function isEndOf({ session, root = session }: LogRange, event: StreamEvent | undefined): boolean {
  return event?.type === 'run_end' && event.agent === root
}

const never = new AbortController().signal

const utf8 = new TextDecoder()

/** Reads the run before a range, so that the events of its open blocks have the same keys as in every reading. */
async function readOpenBlocks(
  { store }: ServerContext,
  range: LogRange,
  decoder: Decoder,
): Promise<void> {
  const { session, log, after } = range
  const pinned = pinLog(store, log)
  const readPage = createPageReader({ store: pinned, session })
  for (let at = await findRunStart(pinned, range, after); at < after;) {
    const { entries } = await readPage(at, after)
    for (const { id, line } of entries) decoder.decode(utf8.decode(line), id)
    at = entries.at(-1)?.id ?? after
    await waitForTurn()
  }
}

/** Opens the frames of a range, up to `[DONE]` or the loss of the run. */
function openFrames({ readers }: ServerContext, range: LogRange, quotaKey: string | undefined) {
  let frames: SseEvent[] = []
  const decoder = createSseDecoder({ onEvent: (frame) => frames.push(frame) })
  const { reader, close } = readers.open(range, quotaKey)
  return {
    close,
    /** Resolves with the frames of the next chunk, or with undefined at the end. */
    next: async (): Promise<readonly SseEvent[] | undefined> => {
      const chunk = await nextChunk(reader)
      if (chunk === undefined) return undefined
      frames = []
      decoder.feed(chunk.bytes)
      return frames
    },
  }
}

function closed(session: string, after: number): MillraceError {
  return new MillraceError(
    'connection_lost',
    `This server has closed before session ${session} was read to its end. Read it on another server, after frame ${after}.`,
    { details: { after } },
  )
}
