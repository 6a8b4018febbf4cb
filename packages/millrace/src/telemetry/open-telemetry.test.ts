import { AsyncLocalStorage } from 'node:async_hooks'
import { type Context, context, type ContextManager, ROOT_CONTEXT, trace } from '@opentelemetry/api'
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type ModelRequest, streamWithin } from '../events/index.ts'
import { openTelemetry, type OpenTelemetryOptions } from './open-telemetry.ts'

/** Propagates the context through promises, like the context manager of a Node server. */
class FollowingContexts implements ContextManager {
  readonly #storage = new AsyncLocalStorage<Context>()
  active = () => this.#storage.getStore() ?? ROOT_CONTEXT
  with = <A extends unknown[], F extends (...args: A) => ReturnType<F>>(
    active: Context,
    work: F,
    self?: ThisParameterType<F>,
    ...args: A
  ): ReturnType<F> => this.#storage.run(active, () => work.call(self, ...args))
  bind = <Target>(_active: Context, target: Target) => target
  enable = () => this
  disable = () => this
}

let exporter: InMemorySpanExporter
let provider: BasicTracerProvider

beforeEach(() => {
  exporter = new InMemorySpanExporter()
  provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
  context.setGlobalContextManager(new FollowingContexts())
  trace.setGlobalTracerProvider(provider)
})

afterEach(async () => {
  trace.disable()
  context.disable()
  await provider.shutdown()
})

const request: ModelRequest = {
  system: 'SECRET system',
  maxTokens: 1000,
  messages: [
    { role: 'user', content: [{ type: 'text', text: 'SECRET question' }] },
    {
      role: 'assistant',
      content: [{ type: 'tool_use', id: 't1', name: 'look', input: { at: 'SECRET place' } }],
    },
    {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 't1', content: 'SECRET finding' }],
    },
  ],
}

/** A run of one step with one model call and one failing tool, as reported by an agent. */
async function reportRun(options: OpenTelemetryOptions = {}) {
  const telemetry = await openTelemetry(options)
  const run = telemetry.startRun({
    agent: 'a-1',
    runId: 'r-1',
    name: 'miller',
    model: 'claude-opus-5',
    prompt: 'SECRET question',
  })
  const step = run.start('step', { step: 1 })
  const call = step.start('model', { model: 'claude-opus-5', attempt: 1, request })
  call.end({
    stopReason: 'tool_use',
    usage: { input_tokens: 10, output_tokens: 5, cache_read_input_tokens: 90 },
    responseModel: 'claude-opus-5-1',
    responseId: 'msg_1',
    content: [{ type: 'text', text: 'SECRET answer' }],
  })
  const tool = step.start('tool', { name: 'look', callId: 't1', inputText: '{"at":"SECRET"}' })
  tool.event('approval_requested', { wait: 3 })
  tool.end({ error: { type: 'timed_out', message: 'SECRET reason' }, text: 'SECRET result' })
  step.end({ stopReason: 'tool_use', usage: { input_tokens: 10, output_tokens: 5 } })
  run.end({
    stopReason: 'end_turn',
    steps: 1,
    costUsd: 0.25,
    usage: { input_tokens: 10, output_tokens: 5, cache_read_input_tokens: 90 },
    text: 'SECRET end',
  })
}

function spanNamed(name: string): ReadableSpan {
  const span = exporter.getFinishedSpans().find((candidate) => candidate.name === name)
  if (span === undefined) throw new Error(`no span "${name}"`)
  return span
}

function parentOf(span: ReadableSpan): string | undefined {
  const id = span.parentSpanContext?.spanId
  return exporter.getFinishedSpans().find((other) => other.spanContext().spanId === id)?.name
}

describe('spans of a run', () => {
  test('have the names, nesting and kinds of the GenAI conventions', async () => {
    await reportRun()
    const spans = exporter.getFinishedSpans()
    expect(spans.map((span) => [span.name, span.kind, parentOf(span)])).toEqual([
      ['chat claude-opus-5', 2, 'step'],
      ['execute_tool look', 0, 'step'],
      ['step', 0, 'invoke_agent miller'],
      ['invoke_agent miller', 0, undefined],
    ])
    expect(spans[0]?.instrumentationScope.name).toBe('millrace')
  })

  test('carry the attributes of the conventions, without content', async () => {
    await reportRun()
    const owner = {
      'gen_ai.conversation.id': 'a-1',
      'gen_ai.agent.id': 'a-1',
      'gen_ai.agent.name': 'miller',
    }
    const usage = {
      'gen_ai.usage.input_tokens': 100,
      'gen_ai.usage.output_tokens': 5,
      'gen_ai.usage.cache_read.input_tokens': 90,
    }
    expect(spanNamed('chat claude-opus-5').attributes).toEqual({
      ...owner,
      ...usage,
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'anthropic',
      'gen_ai.request.model': 'claude-opus-5',
      'gen_ai.request.max_tokens': 1000,
      'gen_ai.request.stream': true,
      'gen_ai.response.finish_reasons': ['tool_use'],
      'gen_ai.response.model': 'claude-opus-5-1',
      'gen_ai.response.id': 'msg_1',
      'millrace.attempt': 1,
    })
    expect(spanNamed('execute_tool look').attributes).toEqual({
      ...owner,
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'look',
      'gen_ai.tool.call.id': 't1',
      'gen_ai.tool.type': 'function',
      'error.type': 'timed_out',
    })
    expect(spanNamed('step').attributes).toEqual({
      ...owner,
      'millrace.step': 1,
      'millrace.stop_reason': 'tool_use',
    })
    expect(spanNamed('invoke_agent miller').attributes).toEqual({
      ...owner,
      ...usage,
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.provider.name': 'anthropic',
      'gen_ai.request.model': 'claude-opus-5',
      'millrace.run.id': 'r-1',
      'millrace.stop_reason': 'end_turn',
      'millrace.steps': 1,
      'millrace.cost_usd': 0.25,
    })
    expect(everythingExported()).not.toContain('SECRET')
  })

  test('have an error status only after a failure', async () => {
    await reportRun()
    expect(spanNamed('execute_tool look').status).toEqual({ code: 2 })
    expect(spanNamed('invoke_agent miller').status).toEqual({ code: 0 })
  })

  test('record events', async () => {
    await reportRun()
    expect(spanNamed('execute_tool look').events).toMatchObject([
      { name: 'millrace.approval_requested', attributes: { 'millrace.wait': 3 } },
    ])
  })
})

function everythingExported(): string {
  return JSON.stringify(
    exporter
      .getFinishedSpans()
      .map(({ name, attributes, status, events }) => ({ name, attributes, status, events })),
  )
}

describe('captureContent', () => {
  test('records content in the message format of the conventions', async () => {
    await reportRun({ captureContent: true })
    const chat = spanNamed('chat claude-opus-5').attributes
    expect(JSON.parse(String(chat['gen_ai.input.messages']))).toEqual([
      { role: 'user', parts: [{ type: 'text', content: 'SECRET question' }] },
      {
        role: 'assistant',
        parts: [{ type: 'tool_call', id: 't1', name: 'look', arguments: { at: 'SECRET place' } }],
      },
      {
        role: 'tool',
        parts: [{ type: 'tool_call_response', id: 't1', response: 'SECRET finding' }],
      },
    ])
    expect(JSON.parse(String(chat['gen_ai.system_instructions']))).toEqual([
      { type: 'text', content: 'SECRET system' },
    ])
    expect(JSON.parse(String(chat['gen_ai.output.messages']))).toEqual([
      {
        role: 'assistant',
        parts: [{ type: 'text', content: 'SECRET answer' }],
        finish_reason: 'tool_use',
      },
    ])
    const tool = spanNamed('execute_tool look')
    expect(tool.attributes['gen_ai.tool.call.arguments']).toBe('{"at":"SECRET"}')
    expect(tool.attributes['gen_ai.tool.call.result']).toBe('SECRET result')
    expect(tool.status.message).toBe('SECRET reason')
    const run = spanNamed('invoke_agent miller').attributes
    expect(run['gen_ai.input.messages']).toContain('SECRET question')
    expect(run['gen_ai.output.messages']).toContain('SECRET end')
  })

  test('keeps the newest messages within the limit and omits media data', async () => {
    const telemetry = await openTelemetry({ captureContent: true, maxContentChars: 40 })
    const run = telemetry.startRun({ agent: 'a', runId: 'r', model: 'm' })
    const source = { type: 'base64', media_type: 'image/png', data: 'A'.repeat(500) }
    const messages = [
      { role: 'user', content: [{ type: 'text', text: 'oldest' }] },
      { role: 'assistant', content: [{ type: 'text', text: 'x'.repeat(500) }] },
      { role: 'user', content: [{ type: 'image', source }, { type: 'future' }] },
      { role: 'assistant', content: [{ type: 'thinking', thinking: 'y'.repeat(30) }] },
    ] as const
    run.start('model', { model: 'm', attempt: 1, request: { maxTokens: 1, messages } }).end()
    run.end()
    const written = String(spanNamed('chat m').attributes['gen_ai.input.messages'])
    expect(JSON.parse(written)).toEqual([
      { role: 'assistant', parts: [{ type: 'text', content: `${'x'.repeat(10)}…` }] },
      {
        role: 'user',
        parts: [{ type: 'blob', modality: 'image', mime_type: 'image/png' }, { type: 'future' }],
      },
      { role: 'assistant', parts: [{ type: 'reasoning', content: 'y'.repeat(30) }] },
    ])
  })
})

async function drain(source: AsyncIterable<unknown>): Promise<void> {
  const reader = source[Symbol.asyncIterator]()
  while ((await reader.next()).done !== true);
}

describe('context', () => {
  test('a run is a child of the active span, a spawned one of the call that spawned it', async () => {
    const telemetry = await openTelemetry()
    const tracer = provider.getTracer('http')
    await tracer.startActiveSpan('POST /agent/run', async (request) => {
      const run = telemetry.startRun({ agent: 'a-1', runId: 'r-1', name: 'miller', model: 'm' })
      const call = run.start('tool', { name: 'spawn_subagent', callId: 't1' })
      await Promise.resolve()
      telemetry
        .startRun({ agent: 'a-2', runId: 'r-2', name: 'child', model: 'm', parent: call })
        .end()
      call.end()
      run.end()
      request.end()
    })
    expect(parentOf(spanNamed('invoke_agent miller'))).toBe('POST /agent/run')
    const child = spanNamed('invoke_agent child')
    expect(parentOf(child)).toBe('execute_tool spawn_subagent')
    expect(child.attributes).toMatchObject({
      'gen_ai.conversation.id': 'a-1',
      'gen_ai.agent.id': 'a-2',
      'gen_ai.provider.name': '_OTHER',
    })
  })

  test('spans started by a tool or a model stream are children of its span', async () => {
    const telemetry = await openTelemetry({ provider: 'aws.bedrock' })
    const tracer = provider.getTracer('http')
    const run = telemetry.startRun({ agent: 'a', runId: 'r', model: 'm' })
    const tool = run.start('tool', { name: 'look', callId: 't1' })
    await tool.run(async () => {
      await Promise.resolve()
      tracer.startSpan('GET tool').end()
    })
    tool.end()
    const call = run.start('model', { model: 'm', attempt: 1, request })
    async function* stream() {
      yield 1
      tracer.startSpan('POST model').end()
    }
    await drain(streamWithin(call, stream))
    call.end()
    run.end()
    expect(parentOf(spanNamed('GET tool'))).toBe('execute_tool look')
    expect(parentOf(spanNamed('POST model'))).toBe('chat m')
    expect(spanNamed('chat m').attributes['gen_ai.provider.name']).toBe('aws.bedrock')
  })

  test('the first chunk of a stream is timed by the given clock', async () => {
    let time = 1000
    const telemetry = await openTelemetry({ now: () => time })
    const run = telemetry.startRun({ agent: 'a', runId: 'r', model: 'm' })
    const call = run.start('model', { model: 'm', attempt: 1, request })
    async function* stream() {
      time += 250
      yield 1
      time += 250
      yield 2
    }
    await drain(streamWithin(call, stream))
    call.end()
    run.end()
    const chat = spanNamed('chat m')
    expect(chat.attributes['gen_ai.response.time_to_first_chunk']).toBe(0.25)
    expect(chat.events).toEqual([])
  })
})

test('only the first end counts, and an ended span records nothing', async () => {
  const telemetry = await openTelemetry()
  const run = telemetry.startRun({ agent: 'a', runId: 'r', model: 'm' })
  run.end({ stopReason: 'end_turn' })
  run.end({ stopReason: 'later' })
  run.event('late')
  expect(exporter.getFinishedSpans()).toHaveLength(1)
  expect(spanNamed('invoke_agent').attributes['millrace.stop_reason']).toBe('end_turn')
})

test.each([
  ['claude-sonnet-5', 'anthropic'],
  ['anthropic/claude-haiku-5', 'anthropic'],
  ['gpt-5.2', 'openai'],
  ['o3', 'openai'],
  ['gemini-3-pro', 'gcp.gemini'],
  ['mixtral-8x7b', 'mistral_ai'],
  ['codestral', 'mistral_ai'],
  ['deepseek-v4', 'deepseek'],
  ['grok-5', 'x_ai'],
  ['kimi-k3', 'moonshot_ai'],
  ['qwen3:8b', '_OTHER'],
])('%s is a model of %s', async (model, expected) => {
  const telemetry = await openTelemetry()
  telemetry.startRun({ agent: 'a', runId: 'r', model }).end()
  expect(spanNamed('invoke_agent').attributes['gen_ai.provider.name']).toBe(expected)
})
