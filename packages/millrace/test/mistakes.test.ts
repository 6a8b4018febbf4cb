import { describe, expect, test } from 'vitest'
import { createAgent, createTitler, defineFrontendTool, defineTool } from '../src/public/agent.ts'
import { anthropic } from '../src/public/anthropic.ts'
import { clearToolResults, slidingWindow, summarise } from '../src/public/context.ts'
import { serve } from '../src/public/node.ts'
import { openai } from '../src/public/openai.ts'
import { createPostgresStore } from '../src/public/postgres.ts'
import { createRedisStore } from '../src/public/redis.ts'
import { createHandler, createMemoryStore, createMillrace } from '../src/public/server.ts'
import { createSqliteStore } from '../src/public/sqlite.ts'
import { openTelemetry, openTelemetryMetrics } from '../src/public/telemetry.ts'
import { createWorkspaceTools } from '../src/public/workspace.ts'

/** Calls a function like JavaScript, without types, and returns the message of its error. */
async function messageOf(call: (...given: never[]) => unknown, ...given: unknown[]) {
  try {
    await call(...(given as never[]))
    return 'no error'
  } catch (error) {
    return (error as Error).message
  }
}

const model = anthropic('claude-sonnet-5', { apiKey: 'k' })
const agent = createAgent({ name: 'a', model })
const handler = { agents: { a: agent }, defaultAgent: 'a', store: createMemoryStore() }
const tool = { name: 't', description: 'd', input: { type: 'object' }, run: () => 1 }

describe('a mistake in the options of', () => {
  test.each([
    ['a mistyped guard of a tool', defineTool, [{ ...tool, needsAproval: true }]],
    ['a tool of the AI SDK', defineTool, [{ ...tool, run: undefined, execute: () => 1 }]],
    ['a tool without input', defineTool, [{ ...tool, input: undefined }]],
    ['a tool without run', defineTool, [{ ...tool, run: undefined }]],
    ['a frontend tool', defineFrontendTool, [{ ...tool, run: undefined, parameters: {} }]],
    ['an agent', createAgent, [{ name: 'a', model, tools: tool }]],
    ['an agent of the AI SDK', createAgent, [{ name: 'a', model, instructions: 'Be brief.' }]],
    ['a mistyped guard of a handler', createHandler, [{ ...handler, authorise: () => false }]],
    ['a mistyped path of a server', createMillrace, [{ ...handler, basepath: '/api' }]],
    ['a server without a store', createMillrace, [{ ...handler, store: undefined }]],
    ['a handler without a store', createHandler, [{ ...handler, store: undefined }]],
    ['a handler without agents', createHandler, [{ ...handler, agents: undefined }]],
    ['a handler with half an agent', createHandler, [{ ...handler, agents: { a: {} } }]],
    ['a server', serve, [{ handler, prot: 80 }]],
    ['a titler', createTitler, [{ model, maxLength: 3 }]],
    ['a memory store', createMemoryStore, [{ maxSession: 3 }]],
    ['a SQLite store', createSqliteStore, [{ file: 'a.db' }]],
    ['a Redis store', createRedisStore, [{ url: 'redis://a', prefx: 'x' }]],
    ['a Postgres store', createPostgresStore, [{ url: 'postgres://a', sheme: 'x' }]],
    ['a model of Anthropic', anthropic, ['m', { baseUrl: 'http://a' }]],
    ['a model of OpenAI', openai, ['m', { apikey: 'k' }]],
    ['a sliding window', slidingWindow, [{ maxToken: 5 }]],
    ['a summary', summarise, [{ model, maxTokens: '5' }]],
    ['cleared results', clearToolResults, [{ keep: 5 }]],
    ['telemetry', openTelemetry, [{ captureContents: true }]],
    ['metrics', openTelemetryMetrics, [{ meters: {} }]],
    ['workspace tools', createWorkspaceTools, [{ root: '.', readonly: true }]],
  ] as const)('%s is named with its remedy', async (_name, call, given) => {
    expect(await messageOf(call as never, ...given)).toMatchSnapshot()
  })
})
