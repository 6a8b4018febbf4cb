import type { Body, Format, RawBody } from '../format.ts'
import { compileArguments } from './bodies/arguments-body.ts'
import { type BodyReader, type CompileBody, compileBlocks, type OpenerTable } from './block.ts'
import { compileCalls } from './bodies/calls-body.ts'
import type { CodeRules } from './scan/code-regions.ts'
import { compileFields } from './bodies/fields-reader.ts'
import { Marker, MarkerSet } from './scan/marker.ts'
import {
  compileNamed,
  compileSwitch,
  compileTools,
  compileWrapper,
} from './bodies/nested-bodies.ts'
import { compileRaw, compileReasoning, type Interruptions } from './bodies/raw-body.ts'
import { checkFormats } from '../check-format.ts'

interface CompileOptions {
  readonly rules: CodeRules
  /** Whether a block that opens inside reasoning ends it. */
  readonly toolInReasoning: 'interrupt' | 'ignore'
}

/** The compiled formats of a parser. */
export interface Grammar {
  readonly rules: CodeRules
  readonly openers: OpenerTable
  /** Closing markers that are dropped without their openers, with those openers. */
  readonly orphans: ReadonlyMap<Marker, readonly Marker[]>
  /** Every marker that counts in text. */
  readonly set: MarkerSet
  /** Reads reasoning whose opener was in the prompt. */
  readonly reasoning: BodyReader | undefined
}

function compileFormats(formats: readonly Format[], options: CompileOptions): Grammar {
  // Formats share blocks, such as a call outside its wrapper.
  const blocks = [...new Set(formats.flatMap(({ blocks: own }) => own))]
  const none: OpenerTable = new Map()
  let interrupting = none
  const interruptions = (): Interruptions => ({ openers: interrupting, rules: options.rules })
  const compileBody = (body: Body): BodyReader => compile(body, compileBody, interruptions)
  const compiled = blocks.map((block) => ({
    block,
    table: compileBlocks([block], compileBody),
  }))
  const openers = new Map(compiled.flatMap(({ table }) => [...table]))
  if (options.toolInReasoning === 'interrupt') {
    const others = compiled.filter(({ block }) => !isReasoning(block.body))
    interrupting = new Map(others.flatMap(({ table }) => [...table]))
  }
  const orphans = new Map(
    compiled.flatMap(({ block, table }) =>
      (block.orphans ?? []).map(
        (text) =>
          [new Marker(text, { control: block.control ?? false }), [...table.keys()]] as const,
      ),
    ),
  )
  const first = blocks.find(({ body }) => isReasoning(body))
  return {
    rules: options.rules,
    openers,
    orphans,
    set: new MarkerSet([...openers.keys(), ...orphans.keys()]),
    reasoning: first === undefined ? undefined : compileBody(first.body),
  }
}

function isReasoning(body: Body): body is { raw: RawBody } {
  return 'raw' in body && body.raw.segment === 'reasoning'
}

function compile(
  body: Body,
  compileBody: CompileBody,
  interruptions: () => Interruptions,
): BodyReader {
  if (isReasoning(body)) return compileReasoning(body.raw, interruptions)
  if ('raw' in body) return compileRaw(body.raw)
  if ('arguments' in body) return compileArguments(body.arguments)
  if ('calls' in body) return compileCalls(body.calls)
  if ('fields' in body) return compileFields(body.fields)
  if ('wrapper' in body) return compileWrapper(body.wrapper, compileBody)
  if ('named' in body) return compileNamed(body.named, compileBody)
  if ('switch' in body) return compileSwitch(body.switch, compileBody)
  if ('tools' in body) return compileTools(body.tools, compileBody)
  return body.custom
}

/** Maximum number of cached grammars; the oldest is evicted. An application uses few combinations of formats. */
const MAX_KEPT = 32

const numbers = new WeakMap<Format, number>()
const kept = new Map<string, Grammar>()
let count = 0

/** Returns the grammar of formats, compiled once for each combination, because a parser is created for every response. */
export function grammarOf(formats: readonly Format[], options: CompileOptions): Grammar {
  const { rules, toolInReasoning } = options
  const key = [rules.fences, rules.inline, toolInReasoning, ...formats.map(numberOf)].join()
  const known = kept.get(key)
  if (known !== undefined) return known
  checkFormats(formats)
  const grammar = compileFormats(formats, options)
  const [oldest] = kept.keys()
  if (kept.size >= MAX_KEPT && oldest !== undefined) kept.delete(oldest)
  kept.set(key, grammar)
  return grammar
}

function numberOf(format: Format): number {
  const known = numbers.get(format)
  if (known !== undefined) return known
  numbers.set(format, ++count)
  return count
}
