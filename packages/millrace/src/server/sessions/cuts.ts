import { MillraceError } from '../../errors/index.ts'
import type { Part, PartChange, SessionInfo, Store } from '../../stores/port/index.ts'
import { RECORD, recordParts, type RecordWriter, toPendingPart } from './record-writer.ts'
import { encodeHead, type SessionHead, type StoredSession } from './session-record.ts'

/** The collection of cuts, at which a session can be forked, by the last frame before them. */
export const CUTS = 'cuts'

/** The data of a branch that is not shared with its parent: the head, and parts that the parent replaces. */
interface Cut {
  readonly version: 1
  readonly head: string
  readonly parts: readonly Part[]
}

/** The position of a cut, and the state there. */
interface CutPlace {
  readonly frame: number
  /** The run that ends or pauses there. */
  readonly run: Part | undefined
  readonly writer: RecordWriter
}

/** A cut and the last frame before it. */
export interface FoundCut {
  readonly frame: number
  readonly cut: Cut
}

/** Creates a cut. A run that continues beyond it is stopped in a branch. */
export function toCut(stored: StoredSession, { frame, run, writer }: CutPlace): Cut {
  const pending = toPendingPart(stored, frame)
  const stop = { collection: RECORD, number: recordParts.stop, frame, body: 'true' }
  const parts = [
    ...writer.cells(frame),
    ...(pending === undefined ? [] : [pending]),
    ...(stored.status === 'running' ? [stop] : []),
    // The parent replaces the part of a paused run when the run ends.
    ...(run !== undefined && stored.status === 'paused' ? [run] : []),
  ]
  return { version: 1, head: encodeHead(stored), parts }
}

/** Encodes a cut. */
export function encodeCut(stored: StoredSession, place: CutPlace): PartChange {
  const { frame } = place
  return { collection: CUTS, number: frame, frame, body: JSON.stringify(toCut(stored, place)) }
}

/** Creates the cut before the first frame: a branch has no messages, but agent, title and stream options. */
export function toEmptyCut({ agentType, title, history, toolInput }: SessionHead): FoundCut {
  const rest = { createdAt: 0, updatedAt: 0, startedAt: 0, recordedAt: 0, runs: 0 }
  const head = { version: 2, agentType, title, history, toolInput, ...rest } as const
  const encoded = encodeHead({ ...head, status: 'ended', stopReason: null })
  return { frame: 0, cut: { version: 1, head: encoded, parts: [] } }
}

/** Finds the cut after a frame, or the newest; throws `conflict` with the nearest ones if there is none. [BRANCH-2] */
export async function findCut(
  store: Pick<Store, 'parts'>,
  info: SessionInfo,
  frame = info.tail,
): Promise<FoundCut> {
  const found = await findCutBefore(store, info, frame)
  if (found?.frame === frame) return found
  const { session, log, earliest } = info
  const [next] = await store.parts(session, CUTS, { after: frame, limit: 1 }, log)
  const isKept = (one: number | undefined) => one !== undefined && one >= earliest - 1
  const places = [found?.frame ?? 0, next?.number].map((one) => (isKept(one) ? one : null))
  const [before = null, after = null] = places
  throw noCut(info, frame, { before, after })
}

/** Finds the newest cut that is not after a frame; undefined if there is none. */
export async function findCutBefore(
  store: Pick<Store, 'parts'>,
  { session, log }: SessionInfo,
  frame: number,
): Promise<FoundCut | undefined> {
  const range = { before: frame + 1, limit: 1 }
  const [found] = await store.parts(session, CUTS, range, log)
  return found && { frame: found.number, cut: decodeCut(found.body) }
}

function decodeCut(body: string): Cut {
  const cut = JSON.parse(body) as Cut
  if ((cut.version as number) === 1) return cut
  throw new MillraceError(
    'unsupported',
    'This cut of the session was stored by a newer version of Millrace. Update this server.',
  )
}

function noCut(
  { session, tail }: SessionInfo,
  frame: number,
  nearest: { readonly before: number | null; readonly after: number | null },
): MillraceError {
  const places = Object.values(nearest).filter((one) => one !== null)
  const advice =
    places.length === 0 ? 'Wait for the end of the run.' : `Fork it after ${places.join(' or ')}.`
  const reason =
    frame > tail ? `its last frame is ${tail}` : 'a step, or a call and its result, would be split'
  return new MillraceError(
    'conflict',
    `Session ${session} cannot be forked after frame ${frame}: ${reason}. ${advice}`,
    { details: nearest },
  )
}
