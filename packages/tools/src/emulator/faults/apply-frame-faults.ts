import { isJsonObject } from 'millrace'
import type { Random } from '../random.ts'
import { defaultError, faultsOf, type Fault, type FaultPlace, type IndexFault } from './fault.ts'
import { isBreak, type StreamBreak, type WireFrame, type WireStream } from './frame-stream.ts'

/** Faults with an event as their place. */
type EventFault = Extract<Fault, { at?: FaultPlace }>

type Items = Iterable<WireFrame | StreamBreak>

/** The target of a fault: the frame, the first frame of the stream, and the stream. */
interface FaultTarget {
  readonly frame: WireFrame
  readonly first: WireFrame
  readonly stream: WireStream
}

const replacements: {
  readonly [Kind in EventFault['kind']]: (
    fault: Extract<EventFault, { kind: Kind }>,
    target: FaultTarget,
  ) => Items
} = {
  error: ({ error = defaultError }, { stream }) => [stream.toErrorFrame(error), { breaks: 'end' }],
  cut: () => [{ breaks: 'cut' }],
  end: () => [{ breaks: 'end' }],
  stall: ({ waitMs = Infinity }, { frame }) => [{ ...frame, stallMs: waitMs }],
  bad_json: (_, { frame }) => [{ ...frame, data: frame.data.slice(0, -2) }],
  drop: () => [],
  repeat: (_, { frame }) => [frame, frame],
  duplicate_start: (_, { frame, first }) => [first, frame],
  spliced_start: (_, { stream }) => [...stream.copyFrames(), { breaks: 'end' }],
  wrong_index: (fault, { frame }) => [{ ...frame, data: moveIndex(frame.data, fault) }],
  pings: ({ count = 1 }, { frame, stream }) => [
    ...Array.from({ length: count }, () => stream.pingFrame),
    frame,
  ],
  insert: ({ event }, { frame }) => [
    { event: String(event['type']), data: JSON.stringify(event), tokens: 0 },
    frame,
  ],
}

const eventKinds = Object.keys(replacements) as EventFault['kind'][]

/**
 * Applies faults to a stream, one after another: the place of each counts the events that the previous faults
 * left. Faults with a byte position are skipped here and applied to bytes.
 */
export function applyFrameFaults(
  stream: WireStream,
  faults: readonly Fault[],
  random: Random,
): Items {
  let items: Items = stream.frames()
  for (const fault of faultsOf(faults, ...eventKinds)) {
    if (fault.at !== undefined && 'byte' in fault.at) continue
    items = applyFault(items, { fault, stream, isHere: createFinder(fault, stream, random) })
  }
  return items
}

interface PlacedFault {
  readonly fault: EventFault
  readonly stream: WireStream
  readonly isHere: (frame: WireFrame) => boolean
}

function* applyFault(
  items: Items,
  { fault, stream, isHere }: PlacedFault,
): Generator<WireFrame | StreamBreak, void, undefined> {
  let first: WireFrame | undefined
  for (const item of items) {
    if (isBreak(item)) return yield item
    first ??= item
    if (!isHere(item)) yield item
    else yield* replaceFrame(fault, { frame: item, first, stream })
  }
}

function replaceFrame<Kind extends EventFault['kind']>(
  fault: Extract<EventFault, { kind: Kind }>,
  target: FaultTarget,
): Items {
  return replacements[fault.kind](fault, target)
}

function moveIndex(data: string, { by = 1 }: IndexFault): string {
  const event: unknown = JSON.parse(data)
  if (!isJsonObject(event) || typeof event['index'] !== 'number') return data
  return JSON.stringify({ ...event, index: event['index'] + by })
}

/** Creates a predicate that finds the frame to which a fault applies. */
function createFinder(
  fault: EventFault,
  stream: WireStream,
  random: Random,
): (frame: WireFrame) => boolean {
  if (fault.kind === 'pings' && fault.at === undefined) return () => true
  const place = fault.at ?? defaultPlace(fault, stream, random)
  let left = 'event' in place ? place.event : 0
  if ('nth' in place) left = place.nth
  const type = 'type' in place ? place.type : undefined
  return ({ event }) => (type === undefined || event === type) && left-- === 0
}

/** Returns the default place: the first indexed event for an index fault, otherwise any event but the first. */
function defaultPlace({ kind }: EventFault, { frames }: WireStream, random: Random): FaultPlace {
  if (kind === 'wrong_index') return { type: 'content_block_delta' }
  const count = Array.from(frames()).length
  return { event: random.between(Math.min(1, count - 1), count - 1) }
}
