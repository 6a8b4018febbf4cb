import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { endOf } from '../../../test/support/models/anthropic-events.ts'
import { checkModelEvents } from '../../../test/support/models/check-model-events.ts'
import { cutAt, cutList } from '../../../test/support/cut-text.ts'
import {
  anyCall,
  hostileText,
  readAnswer,
  syntaxes,
} from '../../../test/support/models/text-tools.ts'
import type { ToolSchema } from '../../events/index.ts'
import { toParameterTypes } from '../../segments/index.ts'
import type { JsonObject } from '../../json/index.ts'
import { projectionFor } from './projected-tools.ts'
import { chooseSyntax } from './choose-syntax.ts'

function typesOf({ inputSchema }: ToolSchema) {
  return toParameterTypes(inputSchema)
}

/** Checks whether the content of a file is text, which these tags require. */
function hasText(tool: ToolSchema, input: JsonObject): boolean {
  const projection = projectionFor(tool.name, typesOf(tool))
  const own = projection === undefined ? [] : [projection.content, projection.path ?? '']
  return own.every((key) => !Object.hasOwn(input, key) || typeof input[key] === 'string')
}

/** The end of a result; without one, the result is one JSON value. */
const closers: Readonly<Partial<Record<(typeof syntaxes)[number], RegExp>>> = {
  xml: /<\/tool_result/i,
  sentinel: /\]\]/,
  hermes: /<\/tool_response/i,
  anthropic: /<\/result/i,
  'minimax-m2': /<\/result/i,
  mistral: /\[\/TOOL_RESULTS/,
}

describe.each(syntaxes)('%s', (syntax) => {
  const { notation } = chooseSyntax({ syntax }, 'any')

  test('reads a call as it was written, for every split', () => {
    fc.assert(
      fc.property(anyCall, cutList, ({ tool, input }, cuts) => {
        fc.pre(syntax !== 'xml' || hasText(tool, input))
        const text = notation.writeCall(tool.name, input, typesOf(tool))
        const events = readAnswer(cutAt(text, cuts), [tool], { syntax })
        checkModelEvents(events)
        const end = endOf(events)
        expect(end.content).toEqual([
          { type: 'tool_use', id: expect.any(String), name: tool.name, input },
        ])
        expect(end.stopReason).toBe('tool_use')
      }),
      { numRuns: 300 },
    )
  })

  test('calls may be adjacent and between words', () => {
    const tool = { name: 'f', description: '', inputSchema: { type: 'object' } }
    const calls = [{ a: 'one' }, { a: 'two' }]
    const { separator = '\n' } = notation
    const text = calls.map((input) => notation.writeCall('f', input)).join(separator)
    const before = syntax === 'llama3' ? '' : 'First:\n'
    const { content } = endOf(readAnswer([`${before}${text}\nDone.`], [tool], { syntax }))
    expect(content.map(({ type, input, text: said }) => (type === 'text' ? said : input))).toEqual([
      ...(before === '' ? [] : [before]),
      ...calls,
      '\nDone.',
    ])
  })

  test('no text in a result is a call, or ends the result', () => {
    const tool = { name: 'f', description: '', inputSchema: { type: 'object' } }
    fc.assert(
      fc.property(hostileText, hostileText, (name, text) => {
        const written = notation.writeResult({ name, text })
        const { content } = endOf(readAnswer([written], [tool], { syntax, formats: [] }))
        expect(content).toEqual([{ type: 'text', text: written }])
        const closer = closers[syntax]
        if (closer === undefined) return void JSON.parse(written)
        expect(written.split(closer).slice(1)).toEqual([expect.stringMatching(/^[\]>]?$/)])
      }),
      { numRuns: 300 },
    )
  })
})
