import { afterAll, describe, expect, test } from 'vitest'
import { createDemoAgent } from '../../tools/src/demo/demo-agent.ts'
import { openDemoWorkspace } from '../../tools/src/demo/demo-workspace.ts'
import {
  createEmulator,
  decodeFaults,
  demoPrompts,
  type EmulatorOptions,
} from 'millrace-tools/emulator'
import type { AgentEvent, ContentBlock, ModelEvent } from '../src/events/index.ts'
import { openai, type OpenAIOptions } from '../src/models/openai/openai.ts'
import { collect, resultsOf } from './support/agents/agent-harness.ts'
import { endOf } from './support/models/anthropic-events.ts'
import { checkModelEvents } from './support/models/check-model-events.ts'

function connect(options: EmulatorOptions = {}, more: OpenAIOptions = {}) {
  const { fetch } = createEmulator({ pace: 'instant', seed: 'test', ...options })
  return openai('emulated', { baseURL: 'http://emulator.test/v1', fetch, maxRetries: 0, ...more })
}

function textOf(events: readonly AgentEvent[]): string {
  return events.flatMap((event) => (event.type === 'block_delta' ? [event.text] : [])).join('')
}

const workspace = await openDemoWorkspace()
afterAll(workspace.close)

/** Chat completions make no files. */
const files = { read: () => Promise.reject(new Error('No file was made.')) }

const run = (prompt: string, more: OpenAIOptions = {}) => {
  const model = connect({}, more)
  return collect(createDemoAgent({ model, workspace, files, toolDelayMs: 0 }), { prompt })
}

describe('an agent on chat completions', () => {
  test.each([true, false])('runs /demo tools to its end (streamed: %s)', async (isStreamed) => {
    const { events, end, state } = await run('/demo tools Oslo', { isStreamed })
    expect(resultsOf(events).map(({ name, isError }) => [name, isError])).toEqual(
      expect.arrayContaining([
        ['get_weather', false],
        ['get_time', false],
      ]),
    )
    expect(end).toMatchObject({ type: 'run_end', stopReason: 'stop', steps: 2 })
    expect(textOf(events)).toContain('Here is Oslo right now')
    expect(state.usage.input_tokens).toBeGreaterThan(10)
  })

  test('sends images of results on to the model', async () => {
    const { events, end } = await run('/demo images')
    expect(end).toMatchObject({ type: 'run_end', stopReason: 'stop', steps: 2 })
    expect(resultsOf(events)[0]?.images).toHaveLength(1)
  })

  test('pauses for the browser', async () => {
    const { end } = await run('/demo frontend')
    expect(end).toMatchObject({ stopReason: 'awaiting_frontend_tools' })
  })

  test('does not run a call that the limit interrupted', async () => {
    const { events, end } = await run('/demo max-tokens')
    expect(end).toMatchObject({ stopReason: 'length' })
    expect(resultsOf(events)).toEqual([])
  })

  test('retries after a cut, and runs the call once', async () => {
    const { events, end } = await run('/demo cut')
    expect(events.map(({ type }) => type)).toContain('rollback')
    expect(resultsOf(events)).toHaveLength(1)
    expect(end).toMatchObject({ type: 'run_end', stopReason: 'stop' })
  })

  test.each(demoPrompts.map(({ prompt }) => prompt.replace(/\d+$/, '20')))(
    '%s ends',
    async (prompt) => {
      const { events } = await run(prompt)
      expect(events.at(-1)?.type).toBe('run_end')
    },
  )
})

describe('the model port', () => {
  async function ask(prompt: string, options: EmulatorOptions = {}): Promise<ModelEvent[]> {
    const content: ContentBlock[] = [{ type: 'text', text: prompt }]
    const tools = [{ name: 'write_file', description: '', inputSchema: { type: 'object' } }]
    const request = { messages: [{ role: 'user', content }] as const, tools, maxTokens: 4096 }
    const events: ModelEvent[] = []
    for await (const event of connect(options).stream(request)) events.push(event)
    checkModelEvents(events)
    return events
  }

  test('shows thinking', async () => {
    const { content } = endOf(await ask('/demo thinking'))
    expect(content.map(({ type }) => type)).toEqual(['thinking', 'text'])
  })

  test('reports a refusal, an error, and a stream that ended before its message', async () => {
    expect(endOf(await ask('/demo refusal')).outcome).toBe('refused')
    const failed = endOf(await ask('/demo error'))
    expect(failed).toMatchObject({ outcome: 'failed', failure: { retriable: true } })
    const faults = [{ kind: 'end', at: { byte: 3000 } }] as const
    expect(endOf(await ask('/demo text', { faults })).outcome).toBe('interrupted')
  })

  test.each(['crlf', 'bom', 'comments', 'chunks=1', 'pings', 'repeat@0', 'no_final_blank_line'])(
    'is not affected by %s',
    async (fault) => {
      const plain = endOf(await ask('/demo write-file'))
      const odd = endOf(await ask('/demo write-file', { faults: decodeFaults(fault) }))
      expect(odd).toEqual(plain)
    },
  )
})
