import type { NamedBody } from '../format.ts'
import type { BodyReader, CompileBody } from './block.ts'
import { Marker } from './marker.ts'
import type { Opening } from './opening.ts'
import type { Reader } from './reader.ts'
import type { Reading } from './step.ts'

/** Compiles a body that begins with the name of the tool. */
export function compileNamed(body: NamedBody, compileBody: CompileBody): BodyReader {
  const keep = (body.keep ?? []).map((text) => new Marker(text))
  const until = [...body.until.map((text) => new Marker(text)), ...keep]
  const read = compileBody(body.body)
  return function* (reader) {
    const header = yield* readHeader(reader, until, keep)
    const opening = header === undefined ? undefined : toOpening(header.trim(), body.pattern)
    return opening === undefined ? false : yield* read(reader, opening)
  }
}

function* readHeader(
  reader: Reader,
  until: readonly Marker[],
  keep: readonly Marker[],
): Reading<string | undefined> {
  yield* reader.skipSpace()
  const start = reader.position
  const limit = start + reader.limits.maxHeader
  const firsts = new Set(until.map(({ stem }) => stem.charCodeAt(0)))
  for (; reader.position < limit; reader.position++) {
    const unit = yield* reader.peek()
    if (unit === -1) return undefined
    const marker = firsts.has(unit) ? yield* reader.match(until) : undefined
    if (marker === undefined) continue
    const header = reader.tape.slice(start, reader.position)
    if (!keep.includes(marker)) reader.position = reader.matchEnd
    return header
  }
  return undefined
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
