import { MillraceError } from '../../errors/index.ts'
import { isJsonObject, type JsonObject, parseJsonObject } from '../../json/index.ts'
import { type SegmentEvent, type SegmentType, segmentTypes } from '../../segments/index.ts'

const knownTypes: ReadonlySet<unknown> = new Set(segmentTypes)

/** Parses the data of a frame, which must be an object in this format. */
export function readData(data: string): JsonObject {
  const value = parseJsonObject(data)
  if (value !== undefined) return value
  throw new MillraceError(
    'protocol_violation',
    `A segment event must be a JSON object; this is ${JSON.stringify(data.slice(0, 80))}. Check the format of the stream.`,
  )
}

/** Converts an object to an event; undefined for an unknown type or missing fields. */
export function toSegmentEvent(value: JsonObject): SegmentEvent | undefined {
  const { type, segment_id: id, payload: given } = value
  if (typeof id !== 'string') return undefined
  const payload = isJsonObject(given) ? given : {}
  if (type === 'SEGMENT_START') return toStart(id, value['segment_type'], payload)
  if (type === 'SEGMENT_END') return toEnd(id, payload)
  const { delta } = payload
  const isContent = type === 'SEGMENT_CONTENT' && typeof delta === 'string' && delta !== ''
  return isContent ? { type, segment_id: id, payload: { delta } } : undefined
}

function toStart(id: string, type: unknown, payload: JsonObject): SegmentEvent | undefined {
  if (!knownTypes.has(type)) return undefined
  const metadata = metadataOf(payload) ?? {}
  // The type was checked above.
  const segment_type = type as SegmentType
  return { type: 'SEGMENT_START', segment_id: id, segment_type, payload: { metadata } }
}

function toEnd(id: string, payload: JsonObject): SegmentEvent {
  const metadata = metadataOf(payload)
  return {
    type: 'SEGMENT_END',
    segment_id: id,
    payload: {
      ...(payload['complete'] === false && { complete: false }),
      ...(payload['malformed'] === true && { malformed: true }),
      ...(payload['repaired'] === true && { repaired: true }),
      ...(payload['empty'] === true && { empty: true }),
      ...(metadata !== undefined && { metadata }),
    },
  }
}

function metadataOf({ metadata }: JsonObject): JsonObject | undefined {
  return isJsonObject(metadata) ? metadata : undefined
}
