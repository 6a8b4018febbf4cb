import { foldText } from '../characters.ts'
import type {
  ArgumentsBody,
  FormatBlock,
  Body,
  CallsBody,
  FieldsBody,
  Mark,
  NamedBody,
  RawBody,
  SwitchCase,
  ToolBodies,
  WrapperBody,
} from '../format.ts'
import { segmentTypes } from '../segment-event.ts'
import { checkOpen, carriesName } from './check-open.ts'
import {
  checkChoice,
  checkKind,
  checkMarks,
  checkPattern,
  checkText,
  checkTexts,
  type FormatPath,
  rejectFormat,
  within,
} from './check-text.ts'

interface BodyContext {
  readonly openers: readonly string[]
  /** The tool's name is read before the body. */
  readonly hasName: boolean
  /** Checks the blocks of a wrapper. */
  readonly checkBlocks: (place: FormatPath, blocks: readonly FormatBlock[]) => void
}

const kinds = [
  'raw',
  'arguments',
  'calls',
  'fields',
  'wrapper',
  'named',
  'switch',
  'tools',
  'custom',
]

/** Rejects a body that can never be read, or never ends. */
export function checkBody(place: FormatPath, body: Body, around: BodyContext): void {
  checkKind(place, 'body', body, kinds)
  if ('raw' in body) checkRaw(place, body.raw, around)
  else if ('arguments' in body) checkArguments(place, body.arguments, around)
  else if ('calls' in body) checkCalls(place, body.calls, around)
  else if ('fields' in body) checkFields(place, body.fields, around)
  else if ('wrapper' in body) checkWrapper(place, body.wrapper, around)
  else if ('named' in body) checkNamed(place, body.named, around)
  else if ('switch' in body) checkSwitch(place, body.switch, around)
  else if ('tools' in body) checkTools(place, body.tools, around)
  else if (typeof body.custom !== 'function')
    rejectFormat(place, 'custom must be a generator function.')
}

/** A block whose closer equals its opener would end at its start, or never. */
function checkClosers(
  place: FormatPath,
  closers: readonly Mark[] = [],
  { openers }: BodyContext,
): void {
  checkMarks(place, 'The closer', closers)
  const same = openers.find((opener) => closers.includes(opener))
  if (same !== undefined)
    rejectFormat(place, `"${same}" both opens and closes the block. Give it another closer.`)
}

function requireClosers(
  place: FormatPath,
  closers: readonly Mark[] | undefined,
  what: string,
): void {
  if (closers === undefined || closers.length === 0)
    rejectFormat(place, `${what} has no end. Give at least one marker that ends it.`)
}

function checkTrim(place: FormatPath, trim: unknown): void {
  checkChoice(place, 'trim', trim, ['nothing', 'newline'])
}

function checkRaw(place: FormatPath, raw: RawBody, around: BodyContext): void {
  requireClosers(
    place,
    [...(raw.close ?? []), ...(raw.endsBefore ?? [])],
    'A raw body without a closer',
  )
  checkClosers(place, raw.close, around)
  checkMarks(place, 'A marker in endsBefore', raw.endsBefore)
  checkTexts(place, 'A marker in absorb', raw.absorb)
  checkTexts(place, 'A marker in opaque', raw.opaque)
  checkTrim(place, raw.trim)
  if (typeof raw.segment === 'object') {
    checkText(place, 'The attribute that names the segment', raw.segment.attribute)
    for (const type of Object.values(raw.segment.values)) checkSegment(place, type)
  } else checkSegment(place, raw.segment ?? '')
}

function checkSegment(place: FormatPath, type: unknown): void {
  checkChoice(place, 'segment', type, segmentTypes)
}

function requireName(place: FormatPath, given: string | undefined, { hasName }: BodyContext): void {
  if (given === undefined && !hasName)
    rejectFormat(
      place,
      'the tool has no name. Open with a tag or `assign`, put the body in `named`, or use `calls` for JSON that names the tool.',
    )
}

function checkArguments(place: FormatPath, body: ArgumentsBody, around: BodyContext): void {
  requireName(place, body.name, around)
  checkClosers(place, body.close, around)
  checkMarks(place, 'A marker in endsBefore', body.endsBefore)
}

function checkCalls(place: FormatPath, body: CallsBody, around: BodyContext): void {
  checkClosers(place, body.close, around)
  checkMarks(place, 'A marker in endsBefore', body.endsBefore)
  checkTexts(place, 'A separator', body.separators)
}

function checkFields(place: FormatPath, body: FieldsBody, around: BodyContext): void {
  requireName(place, body.name, around)
  requireClosers(place, body.end, 'A call')
  checkClosers(place, body.end, around)
  checkMarks(place, 'A marker in endsBefore', body.endsBefore)
  checkMarks(place, 'A marker in skip', body.skip)
  checkTexts(place, 'A marker in after', body.after)
  checkText(place, 'The closer of a field', body.close)
  checkTrim(place, body.trim)
  for (const pair of body.xml?.markers ?? []) checkMarkerPair(place, pair)
  if (body.field === undefined)
    rejectFormat(
      place,
      'there is no field. Give its opener, or an empty list for a tool without parameters.',
    )
  for (const field of [body.field].flat()) {
    const inner = within(place, 'field')
    checkOpen(inner, field)
    if (!carriesName(field))
      rejectFormat(inner, 'the field has no key. Open with a tag, `assign` or `pair`.')
    if (body.close === 'tag' && !('tag' in field))
      rejectFormat(inner, 'close is "tag", but the field is not opened by a tag. Give its closer.')
  }
}

function checkMarkerPair(place: FormatPath, pair: readonly unknown[]): void {
  if (pair.length !== 2)
    rejectFormat(place, 'markers come in pairs: the one that opens and the one that closes.')
  checkTexts(place, 'A marker around content', pair)
}

function checkWrapper(place: FormatPath, body: WrapperBody, around: BodyContext): void {
  requireClosers(place, body.close, 'A wrapper')
  checkClosers(place, body.close, around)
  if ((body.blocks ?? []).length === 0)
    rejectFormat(place, 'the wrapper has no blocks. Give the blocks that it may contain.')
  around.checkBlocks(within(place, 'in its wrapper'), body.blocks)
}

function checkNamed(place: FormatPath, named: NamedBody, around: BodyContext): void {
  const ends = [...(named.until ?? []), ...(named.keep ?? [])]
  if (ends.length === 0) rejectFormat(place, 'the name has no end. Give markers in until or keep.')
  checkTexts(place, 'A marker in until or keep', ends)
  checkPattern(place, 'The pattern of the name', named.pattern)
  if (!named.pattern.source.includes('(?<name>'))
    rejectFormat(
      place,
      `The pattern ${String(named.pattern)} has no group (?<name>…). Put it around the name of the tool.`,
    )
  checkBody(place, named.body, { ...around, hasName: true })
}

function checkSwitch(place: FormatPath, cases: readonly SwitchCase[], around: BodyContext): void {
  if (cases.length === 0) rejectFormat(place, 'the switch has no cases. Give at least one.')
  for (const [index, { first, body }] of cases.entries()) {
    const inner = within(place, `case ${index + 1}`)
    checkPattern(inner, 'first', first)
    checkBody(inner, body, around)
  }
}

function checkTools(place: FormatPath, body: ToolBodies, around: BodyContext): void {
  checkText(place, 'The attribute that names the tool', body.name)
  const { states = {}, projected, otherwise } = body
  const known = new Set<string>()
  for (const [tool, state] of Object.entries(states)) {
    const inner = within(place, `state of "${tool}"`)
    if (known.has(foldText(tool)))
      rejectFormat(inner, 'another state has the same name in another case. Remove one of them.')
    known.add(foldText(tool))
    checkBody(inner, state, around)
  }
  if (projected !== undefined) checkBody(within(place, 'projected'), projected, around)
  checkBody(within(place, 'otherwise'), otherwise, around)
}
