import { expect, test } from 'vitest'
import {
  anything,
  call,
  collect,
  resultsOf,
  setUpAgent,
  tool,
} from '../../../test/support/agents/agent-harness.ts'
import { defineTool } from '../../tools/define-tool.ts'

const read = (id: string, input: object) => ({ content: [call(id, 'read_result', input)] })

test('a result over the limit is stored completely; the model gets its beginning and a tool to read the rest', async () => {
  const long = Array.from({ length: 2000 }, (_, line) => `line ${line}`).join('\n')
  const { agent, model } = setUpAgent(
    [
      { content: [call('t1', 'long')] },
      read('t2', { tool_use_id: 't1', offset: 4000 }),
      read('t3', { tool_use_id: 't1', offset: long.length - 10 }),
      read('t4', { tool_use_id: 't1' }),
      read('t5', { tool_use_id: 't1', offset: 1e9 }),
      read('t6', { tool_use_id: 'nope' }),
    ],
    { tools: [tool('long', () => long)], maxResultChars: 10_000 },
  )
  const { events, state } = await collect(agent, { prompt: 'go' })
  const texts = resultsOf(events).map(({ text }) => text)
  expect(texts[0]).toBe(
    `${long.slice(0, 4000)}\n[The result has ${long.length} characters, and these are the first 4000. Read on with read_result, tool_use_id "t1", offset 4000.]`,
  )
  expect(texts[1]).toBe(
    `${long.slice(4000, 8000)}\n[${long.length - 8000} more characters follow, from offset 8000.]`,
  )
  expect(texts[2]).toBe(long.slice(-10))
  expect(texts[3]?.startsWith(long.slice(0, 4000))).toBe(true)
  expect(texts[4]).toBe(`[The result has only ${long.length} characters.]`)
  expect(texts[5]).toContain(
    'No result of call "nope" is stored. The results of these calls are stored: t1.',
  )
  expect(state.kept).toEqual([{ toolUseId: 't1', text: long }])
  expect(model.requests[0]?.tools?.map(({ name }) => name)).toEqual(['long'])
  expect(model.requests[1]?.tools?.map(({ name }) => name)).toEqual(['long', 'read_result'])
})

test('no part ends within a character, and all parts join to the result', async () => {
  const long = `x${'😀'.repeat(9000)}`
  const { agent } = setUpAgent([{ content: [call('t1', 'long')] }], {
    tools: [tool('long', () => long)],
    maxResultChars: 5,
  })
  const { state, events } = await collect(agent, { prompt: 'go' })
  const partOf = (received: typeof events) => resultsOf(received)[0]?.text.split('\n')[0] ?? ''
  let whole = partOf(events)
  expect(whole).toBe('x😀😀')
  for (let reads = 0; whole.length < long.length && reads < 8; reads++) {
    const { agent: reader } = setUpAgent([read('r1', { tool_use_id: 't1', offset: whole.length })])
    const part = partOf((await collect(reader, { state, prompt: 'read on' })).events)
    expect(part).toMatch(/^(😀)+$/u)
    whole += part
  }
  expect(whole).toBe(long)
})

test('an error stays an error, and a result at the limit is shown completely', async () => {
  const fail = tool('fail', () => {
    throw new Error('x'.repeat(200))
  })
  const { agent } = setUpAgent([{ content: [call('t1', 'fail'), call('t2', 'fits')] }], {
    tools: [fail, tool('fits', () => 'y'.repeat(100))],
    maxResultChars: 100,
  })
  const { events } = await collect(agent, { prompt: 'go' })
  const byId = Object.fromEntries(resultsOf(events).map((result) => [result.callId, result]))
  expect(byId['t1']).toMatchObject({ isError: true, text: expect.stringContaining('Read on with') })
  expect(byId['t2']).toMatchObject({ isError: false, text: 'y'.repeat(100) })
})

test('the reading tool has its own name', () => {
  const own = defineTool({ name: 'read_result', description: '', input: anything, run: () => '' })
  expect(() => setUpAgent([], { tools: [own] })).toThrow(/`read_result` is the tool that reads on/)
})

test('stored results are bounded: the newest are kept, and of an oversized one its beginning', async () => {
  const results = new Map([
    ['t1', 'a'.repeat(60)],
    ['t2', 'b'.repeat(60)],
    ['t3', 'c'.repeat(500)],
  ])
  const replies = [...results.keys()].map((id) => ({ content: [call(id, 'long', { id })] }))
  const { agent } = setUpAgent([...replies, read('t4', { tool_use_id: 't1' })], {
    tools: [tool('long', (input) => results.get('id' in input ? String(input.id) : ''))],
    maxResultChars: 50,
    maxKeptChars: 100,
  })
  const { state, events } = await collect(agent, { prompt: 'go' })
  expect(state.kept).toEqual([{ toolUseId: 't3', text: 'c'.repeat(100), fullLength: 500 }])
  const texts = resultsOf(events).map(({ text }) => text)
  expect(texts[2]).toContain('The result has 500 characters, of which the first 100 are kept')
  expect(texts[3]).toContain(
    'No result of call "t1" is stored. The results of these calls are stored: t3.',
  )
})
