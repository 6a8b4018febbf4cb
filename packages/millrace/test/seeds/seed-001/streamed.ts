import { expect } from 'vitest'
import type { JsonObject } from '../../../src/json/index.ts'
import {
  blockDelta,
  blockStart,
  blockStop,
  textBlock,
} from '../../support/models/anthropic-events.ts'
import { AGENT, citedText, jsonMessages, jsonSteps, message } from '../support/format-events.ts'
import { baseFields, expectFields, ofType, typesInOrder } from '../support/messages.ts'
import { createSection, type Section } from '../support/seed-case.ts'
import { askOnce } from '../support/seed-server.ts'

const seedOnly = { query: '?extensions=none' }
const thinkingEvents = [
  blockStart(0, { type: 'thinking', thinking: '', signature: '' }),
  blockDelta(0, 'thinking_delta', { thinking: 'The user is asking about' }),
  blockDelta(0, 'thinking_delta', { thinking: ' the color of grass.' }),
  blockDelta(0, 'signature_delta', { signature: 'EqQB' }),
  blockStop(0),
]
const textEvents = textBlock(0, 'Based on the document, ', 'the grass is green.')
const piece = (type: string, final: boolean, delta: string) => ({
  type,
  agent: AGENT,
  final,
  delta,
})

/** `thinking` and `text` are streamed in the same way. */
function streamedSection(
  type: string,
  events: readonly JsonObject[],
  deltas: readonly string[],
): Section {
  const section = createSection('001', `\`${type}\``)
  section.works(`Each \`${type}_delta\` is sent at once, with \`final: false\`.`, () => {
    const steps = jsonSteps(message(...events))
    expect(steps.slice(2, 4)).toEqual(deltas.map((delta) => [piece(type, false, delta)]))
  })
  section.works('`content_block_stop` sends a final marker with an empty `delta`.', () => {
    expect(jsonSteps(message(...events))[events.length]).toEqual([piece(type, true, '')])
  })
  section.works('The three messages of the example result from these events.', () => {
    expect(ofType(jsonMessages(message(...events)), type)).toEqual([
      ...deltas.map((delta) => piece(type, false, delta)),
      piece(type, true, ''),
    ])
  })
  section.works('It has no fields beside the base fields.', () =>
    expectFields(jsonMessages(message(...events)), type, baseFields),
  )
  section.works('The server streams it in the same way.', async () => {
    const all = ofType((await askOnce('hello', seedOnly)).messages(), type)
    expect(all.map(({ final, delta }) => final === (delta === ''))).not.toContain(false)
    expect(all.length).toBeGreaterThan(2)
  })
  return section
}

const thinking = streamedSection('thinking', thinkingEvents, [
  'The user is asking about',
  ' the color of grass.',
])
thinking.works('The signature of the thinking is not shown.', () => {
  expect(JSON.stringify(jsonMessages(message(...thinkingEvents)))).not.toContain('EqQB')
})
const text = streamedSection('text', textEvents, ['Based on the document, ', 'the grass is green.'])
text.works('Citations may follow the final marker.', async () => {
  const order = typesInOrder((await askOnce('everything', seedOnly)).messages())
  expect(order.slice(1, 4)).toEqual(['thinking', 'text', 'citation'])
})

const citation = createSection('001', '`citation`')
const charLocation = {
  type: 'char_location',
  cited_text: 'The grass is green.',
  document_index: 0,
  document_title: 'My Document',
  start_char_index: 0,
  end_char_index: 20,
}
const pageLocation = {
  type: 'page_location',
  cited_text: 'Page text.',
  document_index: 1,
  document_title: 'Manual',
  start_page_number: 3,
  end_page_number: 4,
}
const webLocation = {
  type: 'web_search_result_location',
  cited_text: 'Second cited passage.',
  url: 'https://example.com',
  title: 'Example',
}
const citationsOf = (...citations: readonly JsonObject[]) =>
  ofType(jsonMessages(message(...citedText('Green.', ...citations))), 'citation')

citation.works('Citations directly follow the final marker of their text.', () => {
  const messages = jsonMessages(message(...citedText('Green.', charLocation), ...textBlock(1, 'B')))
  expect(typesInOrder(messages)).toEqual(['text', 'citation', 'text'])
  const at = messages.findIndex(({ type }) => type === 'citation')
  expect(messages[at - 1]).toEqual(piece('text', true, ''))
})
citation.works('Each citation is one message.', () => {
  expect(citationsOf(charLocation, webLocation, pageLocation)).toHaveLength(3)
})
citation.works('Of several citations of one text only the last is final.', () => {
  const finals = citationsOf(charLocation, webLocation, pageLocation).map(({ final }) => final)
  expect(finals).toEqual([false, false, true])
})
citation.works('`delta` is the cited text.', () => {
  expect(citationsOf(charLocation)[0]?.delta).toBe('The grass is green.')
})
for (const location of [charLocation, pageLocation, webLocation]) {
  const { type, cited_text: delta, ...fields } = location
  const names = Object.keys(fields).map((name) => `\`${name}\``)
  citation.works(`A \`${type}\` has \`citation_type\`, ${names.join(', ')}.`, () => {
    const base = { type: 'citation', agent: AGENT, final: true, delta }
    expect(citationsOf(location)).toEqual([{ ...base, citation_type: type, ...fields }])
  })
}
citation.works('A field that the API does not send is omitted.', () => {
  const [only] = citationsOf({ ...charLocation, document_title: null })
  expect(Object.hasOwn(only ?? {}, 'document_title')).toBe(false)
})
citation.differs(
  '`citation_type` is one of the three types of the document.',
  'The API has more types today (`content_block_location`, `search_result_location`); they are passed on with their fields.',
  () => {
    const location = { type: 'content_block_location', cited_text: 'x', start_block_index: 2 }
    expect(citationsOf(location)).toMatchObject([
      { citation_type: 'content_block_location', start_block_index: 2 },
    ])
  },
)
citation.differs(
  'A citation is a single message of any length.',
  'In the full stream a citation that exceeds the bound continues in further messages, which `more` marks.',
  async () => {
    const all = ofType((await askOnce('quote')).messages(), 'citation')
    expect(all.length).toBeGreaterThan(1)
    expect(all.slice(0, -1).every(({ more }) => more?.['delta'] === 'text')).toBe(true)
  },
)
citation.works('The server sends citations in the same way.', async () => {
  const all = ofType((await askOnce('everything', seedOnly)).messages(), 'citation')
  expect(all).toMatchObject([
    { final: false, delta: 'The grass is green.', citation_type: 'char_location' },
    { final: true, url: 'https://example.com', title: 'Example' },
  ])
})

/** The streamed types of seed 001. */
export const streamedStatements = [thinking, text, citation].flatMap(({ statements }) => statements)
