import { describe, expect, test } from 'vitest'
import {
  collect,
  collectRun,
  setUpAgent,
  text,
} from '../../../test/support/agents/agent-harness.ts'
import {
  createScriptedModel,
  type ScriptedReply,
} from '../../../test/support/agents/scripted-model.ts'
import {
  createEnvelopeWriter,
  decodeEnvelope,
  type AgentEvent,
  type Model,
  type ModelEvent,
} from '../../events/index.ts'
import { anthropic } from '../../models/anthropic/anthropic.ts'
import type { AgentOptions } from '../create-agent.ts'

/** A model that is cut after each of its texts but the last, and accepts a prefill if asked. */
function setUpCut(texts: readonly string[], options: Partial<AgentOptions> = {}, takes = true) {
  const replies: ScriptedReply[] = texts.map((said, index) =>
    index < texts.length - 1
      ? { openBlock: text(said), outcome: 'interrupted' }
      : { content: [text(said)] },
  )
  const scripted = createScriptedModel(replies)
  const { continueFrom } = anthropic('claude-haiku-4-5', { apiKey: 'none' })
  const model: Model = {
    ...scripted,
    stream: (...asked) => withCut(scripted.stream(...asked)),
    ...(takes && continueFrom && { continueFrom }),
  }
  const { agent } = setUpAgent([], { model, retries: 3, ...options })
  return { agent, requests: scripted.requests }
}

/** A scripted model does not mark interrupted blocks, unlike the readers of providers. */
async function* withCut(source: AsyncIterable<ModelEvent>): AsyncGenerator<ModelEvent> {
  const open = new Map<number, string>()
  for await (const event of source) {
    if (event.type === 'block_start') open.set(event.block, '')
    if (event.type === 'block_delta')
      open.set(event.block, `${open.get(event.block) ?? ''}${event.text}`)
    if (event.type === 'block_end') open.delete(event.block)
    if (event.type !== 'message_end' || open.size === 0) yield event
    else {
      const cut = [...open].map(([block, said]) => ({
        block,
        kind: 'text' as const,
        content: text(''),
        text: said,
      }))
      yield { ...event, cut, content: [...event.content, ...cut.map((one) => text(one.text))] }
    }
  }
}

const types = (events: readonly AgentEvent[]) => [...new Set(events.map(({ type }) => type))]

function shownTexts(events: readonly AgentEvent[]): string[] {
  const writer = createEnvelopeWriter()
  const texts = ['']
  for (const line of events.flatMap((event) => writer.write(event))) {
    const { type, delta, final } = decodeEnvelope(line)
    if (type === 'text') texts[texts.length - 1] += delta
    if (type === 'text' && final) texts.push('')
  }
  return texts.slice(0, -1)
}

describe('an interrupted answer [LIFE-16]', () => {
  test('continues in its block if the model accepts a prefill', async () => {
    const { agent, requests } = setUpCut(['The wheel ', 'turns and', ' grinds.'])
    const { events, state } = await collect(agent, { prompt: 'go' })
    expect(types(events)).not.toContain('rollback')
    expect(shownTexts(events)).toEqual(['The wheel turns and grinds.'])
    expect(state.messages.at(-1)).toEqual({
      role: 'assistant',
      content: [text('The wheel turns and grinds.')],
    })
    expect(requests.map(({ messages }) => messages.at(-1)?.content)).toEqual([
      [text('go')],
      [text('The wheel')],
      [text('The wheel turns and')],
    ])
    expect(state.usage.input_tokens).toBe(30)
  })

  test('has white space at the seam once, whether or not the model repeats it', async () => {
    for (const rest of ['turns.', ' turns.', '  turns.']) {
      const { agent } = setUpCut(['The wheel ', rest])
      const { events } = await collect(agent, { prompt: 'go' })
      expect(shownTexts(events)).toEqual([`The wheel ${rest.replace(/^ /, '')}`])
    }
  })

  test('was complete if the model adds nothing', async () => {
    const { agent } = setUpCut(['Done.', ''])
    const { events, state } = await collect(agent, { prompt: 'go' })
    expect(shownTexts(events)).toEqual(['Done.'])
    expect(state.messages.at(-1)?.content).toEqual([text('Done.')])
  })

  test('is generated again if the model accepts no prefill, or if configured', async () => {
    for (const { agent } of [
      setUpCut(['The wh', 'The wheel.'], {}, false),
      setUpCut(['The wh', 'The wheel.'], { cutAnswers: 'retry' }),
    ]) {
      const { events } = await collect(agent, { prompt: 'go' })
      expect(types(events)).toContain('rollback')
      expect(shownTexts(events)).toEqual(['The wh', 'The wheel.'])
    }
  })

  test('is requested in a new turn if configured, and is one message in the conversation', async () => {
    const { agent, requests } = setUpCut(['The wh', 'eel.'], { cutAnswers: 'ask' }, false)
    const { events, state } = await collect(agent, { prompt: 'go' })
    expect(shownTexts(events)).toEqual(['The wheel.'])
    expect(requests[1]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
    expect(state.messages.map(({ content }) => content)).toEqual([
      [text('go')],
      [text('The wheel.')],
    ])
  })

  test('is generated again if the provider rejects the continuation', async () => {
    const failure = { type: 'invalid_request_error', message: 'no prefill', retriable: false }
    const scripted = createScriptedModel([
      { openBlock: text('The wh'), outcome: 'interrupted' },
      { outcome: 'failed', failure },
      { content: [text('The wheel.')] },
    ])
    const { continueFrom } = anthropic('claude-haiku-4-5', { apiKey: 'none' })
    const model: Model = {
      ...scripted,
      stream: (...asked) => withCut(scripted.stream(...asked)),
      ...(continueFrom && { continueFrom }),
    }
    const { events, end } = await collect(setUpAgent([], { model }).agent, { prompt: 'go' })
    expect(shownTexts(events)).toEqual(['The wh', 'The wheel.'])
    expect(end).toMatchObject({ stopReason: 'end_turn' })
  })

  test('stays as it is if a user message arrives before the continuation, and the message is answered', async () => {
    const { agent, requests } = setUpCut(['The wh', 'Water.'], {
      wait: async () => void run.steer('And what drives it?'),
    })
    const run = agent.run({ prompt: 'go' })
    const { events, state } = await collectRun(run)
    expect(types(events)).not.toContain('rollback')
    expect(shownTexts(events)).toEqual(['The wh', 'Water.'])
    expect(requests[1]?.messages.map(({ content }) => content)).toEqual([
      [text('go')],
      [text('The wh')],
      [text('And what drives it?')],
    ])
    expect(state.usage.input_tokens).toBe(20)
  })

  test('an unknown choice is rejected', () => {
    expect(() => setUpCut(['x'], { cutAnswers: 'never' as never })).toThrow('must be one of')
  })
})

test('only families up to Claude 4.5 accept a prefill, and not with tools', () => {
  const takes = (id: string) => anthropic(id, { apiKey: 'none' }).continueFrom !== undefined
  expect(
    ['claude-haiku-4-5', 'claude-sonnet-4-5-20250929', 'claude-3-5-haiku-latest'].map(takes),
  ).toEqual([true, true, true])
  expect(['claude-sonnet-5', 'claude-opus-4-6'].map(takes)).toEqual([false, false])
  const { continueFrom } = anthropic('claude-haiku-4-5', { apiKey: 'none' })
  const request = { messages: [], maxTokens: 1 }
  expect(continueFrom?.(request, [text('a ')])?.messages).toEqual([
    { role: 'assistant', content: [text('a')] },
  ])
  const tool = { name: 'w', description: '', inputSchema: {} }
  expect(continueFrom?.({ ...request, tools: [tool] }, [text('a')])).toBeUndefined()
})
