import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyChain } from '../../../test/support/models/any-chain.ts'
import { runs } from '../../../test/support/runs.ts'
import type { ContentBlock, Message, ModelRequest } from '../../events/index.ts'
import { planCache } from './index.ts'
import { markCache } from './plan-cache.ts'

const large = 'x'.repeat(4 * 1024)
const image: ContentBlock = { type: 'image', source: { type: 'url', url: 'https://a.test/b.png' } }

function text(content: string): ContentBlock {
  return { type: 'text', text: content }
}

function user(...content: readonly ContentBlock[]): Message {
  return { role: 'user', content }
}

function assistant(...content: readonly ContentBlock[]): Message {
  return { role: 'assistant', content }
}

function ask(messages: readonly Message[], more: Partial<ModelRequest> = {}): ModelRequest {
  return { messages, maxTokens: 100, ...more }
}

describe('a cache plan', () => {
  test('marks the end of the request at any length', () => {
    expect(planCache(ask([user(text('Hi'))]))).toEqual({ blocks: [{ message: 0, block: 0 }] })
  })

  test('marks the ends of the previous request and of this one', () => {
    const messages = [user(text('a')), assistant(text('b')), user(text('c'), text('d'))]
    expect(planCache(ask(messages)).blocks).toEqual([
      { message: 2, block: 1 },
      { message: 0, block: 0 },
    ])
  })

  test('marks a system prompt that, with the tools, is long enough for the model', () => {
    const messages = [user(text('Hi'))]
    expect(planCache(ask(messages, { system: large }))).toMatchObject({ system: true })
    expect(planCache(ask(messages, { system: 'Be kind.' })).system).toBeUndefined()
    const modelId = 'claude-haiku-4-5'
    expect(planCache(ask(messages, { system: large }), { modelId }).system).toBeUndefined()
    const tools = [{ name: 'f', description: large, inputSchema: {} }]
    expect(planCache(ask(messages, { tools, system: 'Be kind.' }))).toMatchObject({ system: true })
    expect(planCache(ask(messages, { tools }))).toMatchObject({ tools: true })
    expect(planCache(ask(messages, { tools })).system).toBeUndefined()
  })

  test('marks media, then large texts, oldest first', () => {
    const messages = [
      user(text(large), image, text('x')),
      assistant(text(large)),
      user(image, text('x')),
    ]
    const { blocks } = planCache(ask(messages), { maxMarks: 9 })
    expect(blocks?.slice(2)).toEqual([
      { message: 0, block: 1 },
      { message: 2, block: 0 },
      { message: 0, block: 0 },
      { message: 1, block: 0 },
    ])
  })

  test('marks neither thinking nor blocks of the provider', () => {
    const thought = { type: 'thinking', thinking: 'hm', signature: 's' }
    const search = { type: 'server_tool_use', id: 's', name: 'web_search', input: {} }
    const messages = [user(text('Hi')), assistant(text('Let me see.'), thought, search)]
    expect(planCache(ask(messages)).blocks).toEqual([
      { message: 1, block: 0 },
      { message: 0, block: 0 },
    ])
  })

  test('changes nothing if there are marks already', () => {
    const marked = { ...text('Hi'), cache_control: { type: 'ephemeral', ttl: '1h' } }
    expect(planCache(ask([user(marked)], { system: large }))).toEqual({})
  })

  test('has no marks if none are allowed, and gives priority to the end', () => {
    const request = ask([user(text('Hi'))], { system: large })
    expect(planCache(request, { maxMarks: 0 })).toEqual({})
    expect(planCache(request, { maxMarks: 1 })).toEqual({ blocks: [{ message: 0, block: 0 }] })
  })
})

describe('for any conversation', () => {
  test('has at most four marks, on blocks that accept them, and is deterministic', () => {
    fc.assert(
      fc.property(anyChain, fc.constantFrom('', large), ({ messages }, system) => {
        const request = ask(messages, { system })
        const marked = markCache(request, { minTokens: 100 })
        expect(marked.messages).toBe(messages)
        expect(markCache(marked, { minTokens: 100 })).toEqual(marked)
        const { blocks = [], system: isMarked = false } = marked.cache ?? {}
        expect(blocks.length + Number(isMarked)).toBeLessThanOrEqual(4)
        expect(blocks.length).toBeGreaterThan(0)
        for (const { message, block } of blocks) {
          const type = messages[message]?.content[block]?.type
          expect(['text', 'image', 'document', 'tool_use', 'tool_result']).toContain(type)
        }
      }),
      { numRuns: runs(200, 5000) },
    )
  })

  test('makes each request start with the cached prefix of the previous one', () => {
    fc.assert(
      fc.property(anyChain, fc.constantFrom('', large), ({ messages }, system) => {
        const ends = messages.flatMap(({ role }, index) => (role === 'user' ? [index + 1] : []))
        const plans = ends.map((end) => planCache(ask(messages.slice(0, end), { system })))
        plans.slice(1).forEach((plan, index) => {
          const before = plans[index]
          expect(plan.blocks).toContainEqual(before?.blocks?.[0])
          expect(plan.system).toBe(before?.system)
        })
      }),
      { numRuns: runs(200, 5000) },
    )
  })
})
