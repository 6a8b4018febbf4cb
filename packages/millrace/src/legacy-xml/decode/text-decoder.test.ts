import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  cutAt,
  cuts,
  joinAll,
  nastyText,
  toCase,
} from '../../../test/support/protocols/legacy-xml.ts'
import { runs } from '../../../test/support/runs.ts'
import type { Envelope } from '../../events/index.ts'
import { createLegacyXmlTextDecoder } from './text-decoder.ts'
import { xmlToEnvelopes } from '../convert.ts'
import type { LegacyXmlLimits } from './block-writer.ts'
function feedAll(pieces: readonly string[], limits: LegacyXmlLimits = {}): Envelope[] {
  const decoder = createLegacyXmlTextDecoder({ agent: 'a', limits })
  return [...pieces.flatMap((piece) => decoder.feed(piece)), ...decoder.finish()]
}

const markup = [
  '<content-block-text>',
  '<content-block-text',
  ' id="x">',
  '<content-block-tool_result id="t" name="n">',
  '<content-block-server_tool_result id="t" name="n"><![CDATA[',
  '<content-block-error>',
  '<content-block-meta_files>',
  '<citations>',
  '<citation type="char_location" start_char_index="1"><![CDATA[',
  ']]></citation>',
  ']]> \n</citation>',
  '</citations>',
  ']]></content-block-server_tool_result>',
  ']]>\n</content-block-error>',
  '<meta_init data="{&quot;agent_uuid&quot;:&quot;z&quot;}">',
  '<meta_final data="',
  '">',
  '"/>',
  '<abc_tool_result',
  '_tool_result>',
  '</abc_tool_result>',
  '\\u003',
  '\\',
] as const

/** Arbitrary text with much markup: complete, broken and nested. */
const soup = fc
  .array(fc.oneof(fc.constantFrom(...markup), nastyText), { maxLength: 14 })
  .map((pieces) => pieces.join(''))

describe('[XML-4] the output depends only on the whole text', () => {
  test('for every split of any text', () => {
    fc.assert(
      fc.property(soup, cuts, (text, seeds) => {
        const whole = joinAll(feedAll([text]))
        expect(joinAll(feedAll(cutAt(text, seeds)))).toEqual(whole)
        expect(joinAll(feedAll(text.split('')))).toEqual(whole)
      }),
      { numRuns: runs(1000, 60_000) },
    )
  })

  test('for every split at the limits', () => {
    const limits = { maxTagLength: 30, maxElementLength: 12 }
    fc.assert(
      fc.property(soup, cuts, (text, seeds) => {
        const whole = joinAll(feedAll([text], limits))
        expect(joinAll(feedAll(cutAt(text, seeds), limits))).toEqual(whole)
      }),
      { numRuns: runs(500, 30_000) },
    )
  })

  test('no message is empty unless it ends a block', () => {
    fc.assert(
      fc.property(soup, cuts, (text, seeds) => {
        const streamed = feedAll(cutAt(text, seeds)).filter(({ type }) => type === 'text')
        for (const { final, delta } of streamed) expect(delta === '').toBe(final)
      }),
      { numRuns: runs(500, 10_000) },
    )
  })
})

describe('held text', () => {
  test.each([
    ['<content-block-text>Hello', 'Hello'],
    ['<content-block-text>a < b', 'a < b'],
    ['<content-block-text>a </b', 'a </b'],
    ['<content-block-text>a </content-block-t', 'a '],
    ['<content-block-text>a\\u00', 'a'],
    ['<content-block-text>a\\\\', 'a\\'],
    ['<content-block-text>a\\x', 'a\\x'],
    ['see <b>', 'see <b>'],
    ['see <b', 'see '],
    ['see <meta_init', 'see '],
    ['see <meta_init data="a<b', 'see <meta_init data="a'],
  ])('%s shows %j', (text, shown) => {
    const deltas = createLegacyXmlTextDecoder()
      .feed(text)
      .map(({ delta }) => delta)
    expect(deltas.join('')).toBe(shown)
  })
})

describe('[XML-14] outside every block', () => {
  test('white space between elements is layout, other text is kept unchanged', () => {
    const file =
      '\n<content-block-text>a</content-block-text>\n\n x \\n &lt; </meta_init> <b>\n<meta_final data="{}"/>\n[DONE]\n'
    expect(joinAll(xmlToEnvelopes(file))).toMatchObject([
      { type: 'text', delta: 'a' },
      { type: 'text', delta: 'x \\n &lt;  <b>\n' },
      { type: 'meta_final', delta: '{}' },
    ])
  })
})

describe('[XML-10] an unescaped section end', () => {
  test('ends the section only where the element can end', () => {
    const body = 'a]]>b]]> </content-block-error> ]]> <b>'
    const text = `<content-block-server_tool_result id="s" name="n"><![CDATA[${body}]]>\n</content-block-server_tool_result>x`
    expect(joinAll(feedAll(text.split('')))).toMatchObject([
      { type: 'server_tool_result', delta: JSON.stringify(body) },
      { type: 'text', delta: 'x' },
    ])
  })
})

test('[XML-11] decodes a pretty-printed file of the documented examples as documented', () => {
  const file = `
<content-block-text>See.</content-block-text>
<citations>
  <citation type="char_location" document_index="0" document_title="My Doc" start_char_index="10" end_char_index="35"><![CDATA[Quoted ]]> text]]></citation>
  <citation type="page_location" document_index="" start_page_number="x">bare &amp; short</citation>
</citations>
<content-block-tool_result id="t" name="image_tool">
  <text><![CDATA[Made it\\nwell]]></text>
  <text>again</text>
  <image src='data:image/png;base64,AAA' media_type="image/png" />
  <image media_type="image/gif" src="/i?a=1&amp;b=2"></image>
</content-block-tool_result>
`
  const { blocks } = toCase(feedAll(cutAt(file, [3])))
  expect(blocks).toMatchObject([
    {
      text: 'See.',
      citations: [
        {
          citation_type: 'char_location',
          document_index: 0,
          end_char_index: 35,
          cited_text: 'Quoted ]]> text',
        },
        { citation_type: 'page_location', start_page_number: 'x', cited_text: 'bare & short' },
      ],
    },
    {
      type: 'tool_result',
      text: 'Made it\nwell\nagain',
      images: [
        { src: 'data:image/png;base64,AAA', media_type: 'image/png' },
        { src: '/i?a=1&b=2', media_type: 'image/gif' },
      ],
    },
  ])
  expect(blocks[0]).not.toHaveProperty('citations.1.document_index')
})
