import { createPartialJson, isJsonObject, type JsonObject } from '../../json/index.ts'
import { type SegmentType, segmentTypes } from '../segment-event.ts'
import { code } from '../characters.ts'
import { Marker } from './scan/marker.ts'
import type { Opening } from './opening.ts'
import type { Reader } from './reader.ts'
import type { Reading } from './scan/step.ts'

/** Further names of segment types. */
const aliases: Readonly<Record<string, SegmentType>> = {
  tool: 'tool_call',
  edit_file: 'patch_file',
  run_terminal_cmd: 'run_bash',
}

/** Reads a JSON object and its end, as in `[[SEG_START {"type":"write_file","path":"/a"}]]`. */
export function* readHeader(reader: Reader, end: string): Reading<Opening | undefined> {
  const limit = reader.position + reader.limits.maxHeader
  if ((yield* reader.skipSpace()) !== code.openBrace) return undefined
  const header = yield* readJsonObject(reader, limit)
  if (header === undefined) return undefined
  yield* reader.skipSpace()
  if ((yield* reader.match([new Marker(end)])) === undefined) return undefined
  reader.position = reader.matchEnd
  return toOpening(header)
}

/** Validates the header as it arrives, so that an invalid one is text at its first wrong character. */
function* readJsonObject(reader: Reader, limit: number): Reading<JsonObject | undefined> {
  const json = createPartialJson({ maxDepth: reader.limits.maxDepth })
  while (reader.position < limit) {
    const unit = yield* reader.peek()
    if (unit === -1) return undefined
    json.feed(String.fromCharCode(unit))
    reader.position++
    if (json.status === 'failed') return undefined
    if (json.status === 'complete') return isJsonObject(json.value) ? json.value : undefined
  }
  return undefined
}

function toOpening(header: JsonObject): Opening | undefined {
  const { type, ...metadata } = header
  if (typeof type !== 'string') return undefined
  const name = type.trim().toLowerCase()
  const segment = Object.hasOwn(aliases, name)
    ? aliases[name]
    : segmentTypes.find((known) => known === name)
  if (segment === undefined) return undefined
  return { name, attributes: new Map(), segment, metadata }
}
