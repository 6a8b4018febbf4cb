import type { NamedBody, SwitchCase, ToolBodies, WrapperBody } from '../../format.ts'
import { type BodyReader, type CompileBody, compileBlocks, readBlock } from '../block.ts'
import { code, foldText } from '../../characters.ts'
import { findMarker, type Opening, type Reader, type Reading } from '../reader.ts'
import { Marker, MarkerSet, toMarkers } from '../scan/marker.ts'
import { Scan } from '../scan/scan.ts'

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

type Next = 'block' | 'text' | 'end' | 'none'

/** Compiles blocks inside a block. */
export function compileWrapper(body: WrapperBody, compileBody: CompileBody): BodyReader {
  const { isLoose = false } = body
  const blocks = compileBlocks(body.blocks, compileBody)
  const close = toMarkers(body.close)
  const set = new MarkerSet([...blocks.keys(), ...close])

  /** Reads a block, text between blocks, or the end; returns `none` if none of them follows, and then nothing is read. */
  function* readNext(reader: Reader, isBegun: boolean): Reading<Next> {
    const { position } = reader
    yield* reader.skipSpace()
    const marker = yield* reader.match(set.markers)
    const isEnd = marker !== undefined && close.includes(marker)
    if (isEnd) reader.position = reader.matchEnd
    else if (marker && (yield* readBlock(reader, blocks, [marker], reader.position))) return 'block'
    const isOver = reader.input.ended && reader.position >= reader.input.end
    if (isEnd || (isOver && (isBegun || isLoose))) {
      reader.accept()
      return 'end'
    }
    if (isLoose) return (yield* passText(reader, set)) ? 'text' : 'none'
    reader.position = position
    return 'none'
  }

  return function* (reader) {
    if (isLoose) reader.accept()
    let isBegun = false
    for (;;) {
      const next: Next = yield* readNext(reader, isBegun)
      if (next === 'end') return true
      if (next === 'none') return isLoose || isBegun
      isBegun ||= next === 'block'
    }
  }
}

/** Passes text between blocks; returns false at the end of the stream. */
function* passText(reader: Reader, set: MarkerSet): Reading<boolean> {
  reader.accept()
  const scan = new Scan(set, reader.textSink)
  scan.start(reader.position)
  // The text here has just been rejected as a block.
  scan.foundAt = reader.position
  scan.reject()
  yield scan
  reader.position = scan.foundAt
  return scan.found.length > 0
}

/** Compiles a body that is selected by its first character after white space. */
export function compileSwitch(cases: readonly SwitchCase[], compileBody: CompileBody): BodyReader {
  const compiled = cases.map(({ first, body }) => ({ first, body: compileBody(body) }))
  return function* (reader, opening) {
    const unit = opening.selfClosing === true ? -1 : yield* reader.skipSpace()
    const char = unit === -1 ? '' : String.fromCharCode(unit)
    const chosen = compiled.find(({ first }) => first.test(char))
    return chosen === undefined ? false : yield* chosen.body(reader, opening)
  }
}

/** Compiles a body that is selected by the tool that an attribute of the opener names. */
export function compileTools(body: ToolBodies, compileBody: CompileBody): BodyReader {
  const otherwise = compileBody(body.otherwise)
  const projected = body.projected === undefined ? otherwise : compileBody(body.projected)
  const states = new Map(
    Object.entries(body.states ?? {}).map(([tool, state]) => [foldText(tool), compileBody(state)]),
  )
  return (reader, opening) => {
    const tool = opening.attributes.get(body.name) ?? ''
    const rest = reader.projectionOf(tool) === undefined ? otherwise : projected
    return (states.get(foldText(tool)) ?? rest)(reader, opening)
  }
}
