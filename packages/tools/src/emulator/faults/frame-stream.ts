import { encodeSse } from 'millrace'
import type { PacedFrame } from '../pace.ts'
import type { Fault, FaultKind } from './fault.ts'
import type { ApiError } from '../routes/api-error.ts'

/** One frame of a stream before it is encoded as bytes. */
export interface WireFrame {
  /** Event name; undefined in a protocol without event names. */
  readonly event?: string
  readonly data: string
  /** Number of tokens, which determines the time to the next frame. */
  readonly tokens: number
  /** Delay before the frame while a tool of the provider runs, scaled by the pace. */
  readonly waitMs?: number
  /** Delay before the frame that no pace shortens. */
  readonly stallMs?: number
}

/** The position at which the connection of a stream fails; later frames are never sent. */
export interface StreamBreak {
  readonly breaks: 'cut' | 'end'
}

/** A stream of an API, with the frames that faults need. */
export interface WireStream {
  readonly frames: () => Iterable<WireFrame>
  /** Creates the frames of the same answer again, with another message id. */
  readonly copyFrames: () => Iterable<WireFrame>
  readonly toErrorFrame: (error: ApiError) => WireFrame
  readonly pingFrame: WireFrame
}

/** Checks whether an item is such a position. */
export function isBreak(item: WireFrame | StreamBreak): item is StreamBreak {
  return 'breaks' in item
}

const byteOrderMark = '\ufeff'

/** A comment of the kind that an intermediary may insert between frames. */
const comment = ': a comment, which readers skip\n'

type Framing = ReadonlySet<FaultKind>

/** Encodes frames as an event stream, with the framing that the faults select. */
export function* frameStream(
  items: Iterable<WireFrame | StreamBreak>,
  faults: readonly Fault[],
): Generator<PacedFrame, void, undefined> {
  const odd: Framing = new Set(faults.map(({ kind }) => kind))
  let mark = odd.has('bom') ? byteOrderMark : ''
  let last: PacedFrame | undefined
  for (const item of items) {
    if (last !== undefined) yield last
    last = undefined
    if (isBreak(item)) {
      if (item.breaks === 'cut') yield { frame: '', tokens: 0, isCut: true }
      return
    }
    last = toPacedFrame(item, mark, odd)
    mark = ''
  }
  if (last !== undefined) yield odd.has('no_final_blank_line') ? withoutBlankLine(last) : last
}

function toPacedFrame(
  { event, data, tokens, waitMs = 0, stallMs = 0 }: WireFrame,
  mark: string,
  odd: Framing,
): PacedFrame {
  const isNamed = event !== undefined && !odd.has('no_event_names')
  const plain =
    mark + (odd.has('comments') ? comment : '') + encodeSse({ data, ...(isNamed && { event }) })
  const frame = odd.has('crlf') ? plain.replaceAll('\n', '\r\n') : plain
  return { frame, tokens, waitMs, stallMs }
}

function withoutBlankLine(last: PacedFrame): PacedFrame {
  return { ...last, frame: last.frame.replace(/(\r?\n)\r?\n$/, '$1') }
}
