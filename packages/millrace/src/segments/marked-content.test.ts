import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cutList, feedings } from '../../test/support/cut-text.ts'
import { joinSegments } from '../../test/support/segments/join-segments.ts'
import { runs } from '../../test/support/runs.ts'
import { readSegments } from '../../test/support/segments/read-segments.ts'
import { seedXml } from './formats/tags/seed-xml.ts'
import { toToolInvocations } from './invocations/invocation-reader.ts'
import type { SegmentParserOptions } from './parser.ts'

/** Parses a text, and checks that the result does not depend on how it is split. */
function read(text: string, cuts: readonly number[] = [], options: SegmentParserOptions = {}) {
  const [first, ...others] = feedings(text, cuts).map((pieces) => {
    const { events } = readSegments({ strategy: 'xml', ...options }, pieces)
    return {
      contents: joinSegments(events).map(({ content }) => content),
      calls: toToolInvocations(events).map((call) => call.arguments),
    }
  })
  for (const other of others) expect(other).toEqual(first)
  return first!
}

const open =
  '<tool name="write_file"><arguments><arg name="path">/a</arg><arg name="content">__START_CONTENT__\n'
const END = '__END_CONTENT__'
const closers = ['</arg>', '</arguments>', '</tool>', '<tool name="t">', '<arg name="b">']
const pieces = [
  'x',
  '\n',
  ' ',
  '<b>',
  '</b>',
  '__END_',
  '__END_PATCH__',
  '__START_CONTENT__',
  '&lt;',
]

const textOf = (from: readonly string[], maxLength = 6): fc.Arbitrary<string> =>
  fc.array(fc.constantFrom(...from), { maxLength }).map((parts) => parts.join(''))

/** Content with end markers in it extends to the last of them, as long as no closer is in between. */
const content = fc
  .tuple(textOf([...pieces, ...closers]), textOf([...pieces, ` ${END} a`]))
  .map(([first, rest]) => first + rest)

const closings = [
  '</arg></arguments></tool>',
  '</ARG > </arguments>\n</tool>',
  '</arguments></tool>',
  '</arg></tool>',
  '</tool>',
]

describe('[SEG-24] marked content', () => {
  test('is the text between the markers, with any text after the end marker and any end of the call', () => {
    const between = textOf(pieces)
    const closing = fc.constantFrom(...closings)
    fc.assert(
      fc.property(content, between, closing, cutList, (written, dropped, closed, cuts) => {
        const { contents, calls } = read(`${open}${written}${END}${dropped}${closed}after`, cuts)
        expect(contents).toEqual(written === '' ? ['', 'after'] : [written, 'after'])
        expect(calls).toEqual([{ path: '/a', content: written }])
      }),
      { numRuns: runs(100, 10_000) },
    )
  })

  test.each(['</arg>', '', ' .'])('is followed by further arguments after %j', (closed) => {
    const { calls } = read(`${open}x${END}${closed}<arg name="mode">w</arg></arguments></tool>`)
    expect(calls).toEqual([{ path: '/a', content: 'x', mode: 'w' }])
  })

  test('of an unclosed call ends before the next call', () => {
    const next = '<tool name="run_bash"><arg name="command">ls</arg></tool>after'
    const { contents, calls } = read(`${open}x${END}\n${next}`)
    expect(contents).toEqual(['x', 'ls', 'after'])
    expect(calls).toEqual([{ path: '/a', content: 'x' }, { command: 'ls' }])
  })

  test('is complete after an end marker that nothing closes for maxHeld, and another does not reopen it', () => {
    const text = `${open}x${END}${'.'.repeat(20)}${END}</arg></arguments></tool>after`
    const limits = { maxHeld: 20 }
    expect(read(text, [], { limits })).toMatchObject({
      contents: ['x', 'after'],
      calls: [{ path: '/a', content: 'x' }],
    })
  })

  test('is read the same between the markers of a state', () => {
    const formats = [seedXml({ states: { note: { markers: [['<<', '>>']] } } })]
    const text = '<tool name="note"><arg name="body"><<a</arg></tool>>> .</arguments></tool>after'
    const { events } = readSegments({ formats }, [text])
    expect(toToolInvocations(events).map((call) => call.arguments)).toEqual([
      { body: 'a</arg></tool>' },
    ])
    expect(joinSegments(events).at(-1)?.content).toBe('after')
  })

  test.each(['</arg></arguments></tool>', '</arguments></tool>', ' .</tool>'])(
    'and a CDATA section end the same before %j',
    (closed) => {
      const text = `<tool name="write_file"><path>/a</path><content><![CDATA[</tool>]]>${closed}after`
      expect(read(text)).toMatchObject({
        contents: ['</tool>', 'after'],
        calls: [{ path: '/a', content: '</tool>' }],
      })
    },
  )
})
