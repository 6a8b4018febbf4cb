import { isJsonObject } from '../../json/index.ts'
import type { Random } from '../random.ts'
import { askedError } from './asked-error.ts'
import { faultsOf } from './due-faults.ts'
import type { Fault, FaultPlace, IndexFault } from './fault.ts'
import { isBreak, type StreamBreak, type WireFrame, type WireStream } from './wire-frame.ts'

/** Faults that strike at an event of the stream. */
type EventFault = Extract<Fault, { at?: FaultPlace }>

type Items = Iterable<WireFrame | StreamBreak>

/** Where a fault strikes: the frame, the first one of its stream, and the stream itself. */
interface Hit {
  readonly frame: WireFrame
  readonly first: WireFrame
  readonly stream: WireStream
}

/** What is sent in place of a frame, by the kind of fault. */
const strikes: {
  readonly [Kind in EventFault['kind']]: (
    fault: Extract<EventFault, { kind: Kind }>,
    hit: Hit,
  ) => Items
} = {
  error: ({ error = askedError }, { stream }) => [stream.toErrorFrame(error), { breaks: 'end' }],
  cut: () => [{ breaks: 'cut' }],
  end: () => [{ breaks: 'end' }],
  stall: ({ waitMs = Infinity }, { frame }) => [{ ...frame, stallMs: waitMs }],
  bad_json: (_, { frame }) => [{ ...frame, data: frame.data.slice(0, -2) }],
  drop: () => [],
  repeat: (_, { frame }) => [frame, frame],
  duplicate_start: (_, { frame, first }) => [first, frame],
  spliced_start: (_, { stream }) => [...stream.retold(), { breaks: 'end' }],
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

const eventKinds = Object.keys(strikes) as EventFault['kind'][]

/**
 * A stream with its faults, one after the other: the place of each counts events as those before it left them.
 * Faults that strike after a number of bytes are left for when there are bytes.
 */
export function strikeFrames(stream: WireStream, faults: readonly Fault[], random: Random): Items {
  let items: Items = stream.frames()
  for (const fault of faultsOf(faults, ...eventKinds)) {
    if (fault.at !== undefined && 'byte' in fault.at) continue
    items = strikeOnce(items, { fault, stream, isHere: createFinder(fault, stream, random) })
  }
  return items
}

interface Blow {
  readonly fault: EventFault
  readonly stream: WireStream
  readonly isHere: (frame: WireFrame) => boolean
}

function* strikeOnce(
  items: Items,
  { fault, stream, isHere }: Blow,
): Generator<WireFrame | StreamBreak, void, undefined> {
  let first: WireFrame | undefined
  for (const item of items) {
    if (isBreak(item)) return yield item
    first ??= item
    if (!isHere(item)) yield item
    else yield* strike(fault, { frame: item, first, stream })
  }
}

function strike<Kind extends EventFault['kind']>(
  fault: Extract<EventFault, { kind: Kind }>,
  hit: Hit,
): Items {
  return strikes[fault.kind](fault, hit)
}

function moveIndex(data: string, { by = 1 }: IndexFault): string {
  const event: unknown = JSON.parse(data)
  if (!isJsonObject(event) || typeof event['index'] !== 'number') return data
  return JSON.stringify({ ...event, index: event['index'] + by })
}

/** Tells frame by frame whether it is the one that a fault is meant for. */
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

/** An index is wrong where there is one; anything else goes wrong anywhere but before the first event. */
function defaultPlace({ kind }: EventFault, { frames }: WireStream, random: Random): FaultPlace {
  if (kind === 'wrong_index') return { type: 'content_block_delta' }
  const count = Array.from(frames()).length
  return { event: random.between(Math.min(1, count - 1), count - 1) }
}
