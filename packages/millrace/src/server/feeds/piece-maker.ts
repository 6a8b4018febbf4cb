import type { LogEntry } from '../../store/index.ts'
import { createViewFilter } from '../views/view-filter.ts'
import type { ViewRules } from '../views/view-rules.ts'
import type { SharedFrames } from './frame-ring.ts'
import { mergeDeltas } from './merge-deltas.ts'
import { frameSpans, type SpannedLine } from './spanned-line.ts'

/** Whom pieces are made for. */
export interface PieceMakerOptions {
  readonly session: string
  /** The cursor with which the reader came. */
  readonly after: number
  /** The last id when the reader came; up to there deltas are merged. Without it none are. [LOG-5] */
  readonly tail?: number
  /** Whether deltas may be merged at all. */
  readonly isCompact?: boolean
  readonly view?: ViewRules
  /** A reader who has not been sent anything for this long is told up to where it has everything. */
  readonly heartbeatMs: number
  readonly maxLineBytes: number
}

/** Turns messages into what one reader is sent, or into nothing where it may see none of them. */
export interface PieceMaker {
  /** What is new: as it is, and for most readers the same bytes. */
  fromFeed(shared: SharedFrames): Uint8Array | undefined
  /** What is older: merged, if the reader has much to catch up with, or has fallen behind what its feed has dropped. */
  fromStore(entries: readonly LogEntry[], dropped?: number): Uint8Array | undefined
  /** What tells the reader that it has everything up to an id, if it does not know that. */
  flush(upTo: number): Uint8Array | undefined
}

/** A reader that is only a few messages late gets them as they are. */
const FEW_MESSAGES = 8

/** Builds what makes the pieces of one reader. */
export function createPieceMaker(options: PieceMakerOptions): PieceMaker {
  const { session, after, tail = 0, isCompact = true, view, heartbeatMs, maxLineBytes } = options
  const filter = view && createViewFilter(view, after)
  /** The live edge: deltas after it are not merged. */
  const edge = tail - after > FEW_MESSAGES ? tail : 0
  let sentAt = Date.now()

  const frame = (messages: readonly SpannedLine[]): Uint8Array | undefined =>
    messages.length > 0 ? frameSpans(messages, { session, maxLineBytes }) : undefined

  const flush = (upTo: number): Uint8Array | undefined => {
    const placeholder = filter?.flush(upTo)
    return placeholder && frame([placeholder])
  }

  const merge = (messages: readonly SpannedLine[], upTo: number): readonly SpannedLine[] => {
    const older = messages.filter(({ id }) => id <= upTo)
    return [...mergeDeltas(older, maxLineBytes), ...messages.slice(older.length)]
  }

  /** Messages may be hidden one after the other for minutes, and a client takes silence for a lost connection. */
  const orSign = (piece: Uint8Array | undefined, lastId: number): Uint8Array | undefined => {
    const isSilent = piece === undefined && Date.now() - sentAt >= heartbeatMs
    const sign = isSilent ? flush(lastId) : piece
    if (sign !== undefined) sentAt = Date.now()
    return sign
  }

  const see = (entries: readonly LogEntry[]): readonly SpannedLine[] =>
    filter === undefined
      ? entries.map(({ id, line }) => ({ id, line, span: 1 }))
      : entries.flatMap((entry) => filter.take(entry))

  return {
    fromFeed: (shared) =>
      filter === undefined ? shared.bytes : orSign(frame(see(shared.entries())), shared.lastId),

    fromStore: (entries, dropped = 0) => {
      const lastId = entries.at(-1)?.id
      if (lastId === undefined) return undefined
      const seen = see(entries)
      const piece = frame(isCompact ? merge(seen, Math.max(edge, dropped)) : seen)
      return filter === undefined ? piece : orSign(piece, lastId)
    },

    flush,
  }
}
