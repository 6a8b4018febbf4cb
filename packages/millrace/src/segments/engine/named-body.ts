import type { NamedBody } from '../format.ts'
import type { BodyReader, CompileBody } from './block.ts'
import { findMarker } from './find-marker.ts'
import { Marker } from './marker.ts'
import type { Opening } from './opening.ts'
import type { Reader } from './reader.ts'
import { MarkerSet } from './marker-set.ts'
import type { Reading } from './step.ts'

/** Compiles a body that begins with the name of the tool. */
export function compileNamed(body: NamedBody, compileBody: CompileBody): BodyReader {
  const keep = (body.keep ?? []).map((text) => new Marker(text))
  const until = new MarkerSet([...body.until.map((text) => new Marker(text)), ...keep])
  const read = compileBody(body.body)
  return function* (reader) {
    const header = yield* readHeader(reader, until, keep)
    const opening = header === undefined ? undefined : toOpening(header.trim(), body.pattern)
    return opening === undefined ? false : yield* read(reader, opening)
  }
}

function* readHeader(
  reader: Reader,
  until: MarkerSet,
  keep: readonly Marker[],
): Reading<string | undefined> {
  yield* reader.skipSpace()
  const start = reader.position
  const marker = yield* findMarker(reader, until, start + reader.limits.maxHeader + 1)
  if (marker === undefined) return undefined
  const header = reader.tape.slice(start, reader.position)
  if (!keep.includes(marker)) reader.position = reader.matchEnd
  return header
}

function toOpening(header: string, pattern: RegExp): Opening | undefined {
  const groups = pattern.exec(header)?.groups
  const { name, id } = groups ?? {}
  if (name === undefined) return undefined
  return {
    name,
    attributes: new Map(),
    ...(id !== undefined && { metadata: { call_id: id } }),
  }
}
