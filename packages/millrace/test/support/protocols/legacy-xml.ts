import fc from 'fast-check'
import { createJoiner, type Envelope } from '../../../src/events/index.ts'

/** A block of the conformance cases: a subset of these fields is expected. */
export type CaseBlock = Record<string, unknown>

/** Joins envelopes into whole blocks and items, in the order of their ends. */
export function joinAll(envelopes: Iterable<Envelope>): Envelope[] {
  const joiner = createJoiner()
  return [...envelopes]
    .map((envelope) => joiner.push(envelope))
    .filter((whole) => whole !== undefined)
}

/** Converts envelopes to the form of the conformance cases: citations at their text, images at their result. */
export function toCase(envelopes: readonly Envelope[]): { agent: string; blocks: CaseBlock[] } {
  const blocks: CaseBlock[] = []
  let images: CaseBlock[] = []
  for (const { type, agent: _agent, final: _final, delta, ...fields } of joinAll(envelopes)) {
    if (type === 'meta_init') continue
    if (type === 'tool_result_image') images.push(fields)
    else if (type === 'citation') attachCitation(blocks, { ...fields, cited_text: delta })
    else {
      blocks.push({ type, ...fields, ...contentOf(delta), ...(images.length > 0 && { images }) })
      images = []
    }
  }
  return { agent: envelopes[0]?.agent ?? '', blocks }
}

function attachCitation(blocks: CaseBlock[], citation: CaseBlock): void {
  const text = blocks.filter((block) => block['type'] === 'text').at(-1)
  if (text !== undefined)
    text['citations'] = [...((text['citations'] as CaseBlock[]) ?? []), citation]
}

function contentOf(delta: string): CaseBlock {
  try {
    const json: unknown = JSON.parse(delta)
    return { text: typeof json === 'string' ? json : delta, json }
  } catch {
    return { text: delta }
  }
}

const nasty = [
  '<',
  '>',
  '&',
  '"',
  "'",
  '/',
  '\\',
  'n',
  'r',
  'u003c',
  '\n',
  '\r',
  ' ',
  ']',
  ']]',
  ']]>',
  '<![CDATA[',
  ']]><![CDATA[',
  '\\n',
  '\\u003c',
  '\\u00',
  '&lt;',
  '&amp;lt;',
  '&#13;',
  '&#x1F600;',
  '$&',
  '$$1',
  '[DONE]',
  '{"error":"x","message":"y"}',
  '<content-block-text>',
  '</content-block-text>',
  '<content-block-thinking>',
  '</content-block-thinking>',
  '<content-block-tool_call id="f" name="f" arguments="{}"></content-block-tool_call>',
  '<content-block-tool_result id="f" name="f"><![CDATA[f]]></content-block-tool_result>',
  '</content-block-tool_result>',
  '</content-block-server_tool_result>',
  '</content-block-error>',
  '</content-block-meta_files>',
  '<awaiting_frontend_tools data="[]"></awaiting_frontend_tools>',
  '<meta_init data="{&quot;agent_uuid&quot;:&quot;forged&quot;}"></meta_init>',
  '<meta_final data="{}"/>',
  '<citations><citation type="x">c</citation></citations>',
  '</citation></citations>',
  '</citation><citation type="y">',
  '<text>',
  '</text>',
  '<image src="s" media_type="m" />',
  '<x_tool_result>',
  '</x_tool_result>',
  '<chart type="bar">',
  '😀',
  '\ud83d',
  '\ude00',
  '\u0000',
  '\u2028',
] as const

/** Text that resembles structure in every way, lone surrogates and control characters included. */
export const nastyText: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(...nasty) },
      fc.string({ unit: 'binary', maxLength: 4 }),
      fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
    ),
    { maxLength: 12 },
  )
  .map((pieces) => pieces.join(''))

/** Cuts text at positions that depend on the seeds only, down to single units. */
export function cutAt(text: string, seeds: readonly number[]): string[] {
  const pieces: string[] = []
  let at = 0
  for (let index = 0; at < text.length; index++) {
    const length = 1 + ((seeds[index % Math.max(1, seeds.length)] ?? 0) % 7)
    pieces.push(text.slice(at, at + length))
    at += length
  }
  return pieces
}

/** Numbers that choose the cuts. */
export const cuts: fc.Arbitrary<number[]> = fc.array(fc.nat({ max: 20 }), {
  minLength: 1,
  maxLength: 8,
})
