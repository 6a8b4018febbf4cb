import type { NamedBody } from '../../format.ts'
import type { BodyReader, CompileBody } from '../block.ts'
import { code } from '../../characters.ts'
import { findMarker } from '../scan/find-marker.ts'
import { Marker, MarkerSet } from '../scan/marker.ts'
import type { Opening, Reader, Reading } from '../reader.ts'

/** The text before the body, and the start of the body. */
interface Header {
  readonly start: number
  readonly text: string
}

/** Compiles a body that begins with the name of the tool. */
export function compileNamed(body: NamedBody, compileBody: CompileBody): BodyReader {
  const { until, keep = [], pattern, isBare = false } = body
  const ends = new MarkerSet([...new Set([...until, ...keep])].map((text) => new Marker(text)))
  const read = compileBody(body.body)
  return function* (reader) {
    const header = yield* readHeader(reader, ends, keep)
    if (header === undefined || (isBare && isSpaced(reader, header))) return false
    const opening = toOpening(header.text.trim(), pattern)
    return opening === undefined ? false : yield* read(reader, opening)
  }
}

function* readHeader(
  reader: Reader,
  until: MarkerSet,
  keep: readonly string[],
): Reading<Header | undefined> {
  yield* reader.skipSpace()
  const start = reader.position
  const marker = yield* findMarker(reader, until, start + reader.limits.maxHeader + 1)
  if (marker === undefined) return undefined
  const text = reader.input.slice(start, reader.position)
  if (!keep.includes(marker.stem)) reader.position = reader.matchEnd
  return { start, text }
}

/** A word between spaces is prose: `between <tool_call> and </tool_call>`. */
function isSpaced({ input }: Reader, { start, text }: Header): boolean {
  const before = input.codeAt(start - 1)
  return before === code.space || before === code.tab || text.endsWith(' ')
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
