import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createDecoder, type StreamEvent } from '../../events/index.ts'
import { createPartialJson } from '../../json/index.ts'
import {
  type CallBlock,
  createTranscript,
  endTranscript,
  reduceTranscript,
  rootAgent,
  toolInput,
  type Transcript,
} from './index.ts'

function piece(delta: string, final = false): StreamEvent | undefined {
  const frame = { type: 'tool_call', agent: 'root', final, delta, id: 'c', name: 'write_file' }
  return createDecoder().decodeFrame(frame)
}

function callOf(transcript: Transcript): CallBlock {
  return rootAgent(transcript)?.blocks.at(0) as CallBlock
}

function partialValue(text: string): unknown {
  const parser = createPartialJson()
  parser.feed(text)
  return parser.value
}

test('the value after every delta is that of the text so far, and old snapshots keep theirs', () => {
  fc.assert(
    fc.property(
      fc.json(),
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
      fc.boolean(),
      (json, sizes, isRead) => {
        const snapshots: CallBlock[] = []
        let transcript = createTranscript()
        for (let start = 0, turn = 0; start < json.length; turn++) {
          const end = start + sizes[turn % sizes.length]!
          transcript = reduceTranscript(transcript, piece(json.slice(start, end)))
          snapshots.push(callOf(transcript))
          if (isRead)
            expect(toolInput(callOf(transcript))).toEqual(partialValue(json.slice(0, end)))
          start = end
        }
        for (const block of snapshots) expect(toolInput(block)).toEqual(partialValue(block.text))
        transcript = reduceTranscript(transcript, piece('', true))
        expect(toolInput(callOf(transcript))).toEqual(JSON.parse(json))
        expect(toolInput(callOf(transcript))).toBe(toolInput(callOf(transcript)))
      },
    ),
  )
})

test('two continuations of one snapshot have separate values', () => {
  const stem = reduceTranscript(createTranscript(), piece('{"a":"x'))
  const left = reduceTranscript(stem, piece('left'))
  const right = reduceTranscript(stem, piece('right"'))
  const read = () => [left, stem, right].map((one) => structuredClone(toolInput(callOf(one))))
  expect(read()).toEqual([{ a: 'xleft' }, { a: 'x' }, { a: 'xright' }])
  expect(read()).toEqual([{ a: 'xleft' }, { a: 'x' }, { a: 'xright' }])
})

test('one parser continues across deltas: the value grows in place', () => {
  let transcript = reduceTranscript(createTranscript(), piece('["'))
  const first = toolInput(callOf(transcript))
  for (let n = 0; n < 100; n++) {
    transcript = reduceTranscript(transcript, piece('x'))
    expect(toolInput(callOf(transcript))).toBe(first)
  }
  expect(first).toEqual(['x'.repeat(100)])
})

test('an interrupted call keeps its value, and one that is not JSON has none', () => {
  const cut = endTranscript(reduceTranscript(createTranscript(), piece('{"a":[1,2')))
  expect(callOf(cut)).toMatchObject({ done: true, interrupted: true })
  expect(toolInput(callOf(cut))).toEqual({ a: [1] })
  const odd = reduceTranscript(createTranscript(), piece('not json', true))
  expect(toolInput(callOf(odd))).toBeUndefined()
  const broken = reduceTranscript(createTranscript(), piece('{"a":1,', true))
  expect(toolInput(callOf(broken))).toEqual({ a: 1 })
})
