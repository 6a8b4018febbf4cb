import { AsyncLocalStorage } from 'node:async_hooks'
import { expect, test } from 'vitest'
import {
  call,
  collect,
  confirm,
  setUpAgent,
  text,
  tool,
} from '../../../test/support/agents/agent-harness.ts'
import { setUpChild, setUpParent, spawn } from '../../../test/support/agents/family.ts'
import type { AgentTelemetry, SpanOutcome, WorkSpan } from '../../events/index.ts'
import { defineTool } from '../../tools/define-tool.ts'

/** A recorded span. */
interface Recorded {
  readonly label: string
  readonly info: unknown
  readonly parts: Recorded[]
  readonly events: string[]
  outcome: SpanOutcome | undefined
}

/** Telemetry that records its spans. */
function createRecorder() {
  const roots: Recorded[] = []
  const known = new Map<WorkSpan, Recorded>()
  const current = new AsyncLocalStorage<string>()
  const start = (list: Recorded[], label: string, info: unknown): WorkSpan => {
    const recorded: Recorded = { label, info, parts: [], events: [], outcome: undefined }
    list.push(recorded)
    const span: WorkSpan = {
      start: (kind, part) => start(recorded.parts, labelOf(kind, part), part),
      event: (name) => void recorded.events.push(name),
      end: (outcome = {}) => {
        recorded.outcome ??= outcome
      },
      run: (work) => current.run(label, work),
    }
    known.set(span, recorded)
    return span
  }
  const telemetry: AgentTelemetry = {
    startRun: (info) =>
      start(
        (info.parent && known.get(info.parent)?.parts) ?? roots,
        `run ${info.name ?? ''}`,
        info,
      ),
  }
  return { telemetry, roots, current, all: () => [...known.values()] }
}

function labelOf(kind: string, info: object): string {
  if ('step' in info) return `step ${String(info.step)}`
  if ('attempt' in info) return `model ${String(info.attempt)}`
  return `${kind} ${'name' in info ? String(info.name) : ''}`
}

function toTree({ label, parts }: Recorded): unknown {
  return parts.length === 0 ? label : { [label]: parts.map(toTree) }
}

test('spans nest: run, step, model calls and tools, and below a tool the run of a sub-agent', async () => {
  const { telemetry, roots, all, current } = createRecorder()
  const during: unknown[] = []
  const look = tool('look', () => {
    during.push(current.getStore())
    return 'seen'
  })
  const { agent: child } = setUpChild([{ content: [call('c1', 'look')] }], {
    telemetry,
    tools: [look],
  })
  const { agent } = setUpParent(
    [{ outcome: 'interrupted' }, { content: [call('t1', 'look'), spawn('t2')] }],
    [child],
    { telemetry, tools: [look], prices: { 'scripted-1': { input: 1_000_000, output: 0 } } },
  )
  await collect(agent, { prompt: 'go' })
  expect(roots.map(toTree)).toEqual([
    {
      'run tester': [
        {
          'step 1': [
            'model 1',
            'model 2',
            {
              'tool spawn_subagent': [
                {
                  'run child': [{ 'step 1': ['model 1', 'tool look'] }, { 'step 2': ['model 1'] }],
                },
              ],
            },
            'tool look',
          ],
        },
        { 'step 2': ['model 1'] },
      ],
    },
  ])
  expect(during).toEqual(['tool look', 'tool look'])
  expect(all().every(({ outcome }) => outcome !== undefined)).toBe(true)
  const [run] = roots
  expect(run).toMatchObject({
    info: { prompt: 'go', model: 'scripted-1' },
    outcome: { stopReason: 'end_turn', steps: 2, text: 'done' },
  })
  const model = run?.parts[0]?.parts[1]
  expect(model?.outcome).toMatchObject({
    stopReason: 'tool_use',
    costUsd: 10,
    responseId: 'msg_1',
    responseModel: 'scripted-1',
  })
  expect(run?.parts[0]?.parts[0]?.outcome).toMatchObject({ error: { type: 'interrupted' } })
  expect(run?.parts[0]?.events).toEqual(['retry'])
})

test('a run that resumes after a pause has its own span, in which its step is opened again', async () => {
  const { telemetry, roots } = createRecorder()
  const guarded = defineTool({
    name: 'guarded',
    description: '',
    input: { type: 'object' },
    needsApproval: true,
    run: () => {
      throw new Error('boom')
    },
  })
  const { agent } = setUpAgent([{ content: [call('t1', 'guarded'), call('t2', 'confirm')] }], {
    telemetry,
    tools: [guarded, confirm],
  })
  const { state } = await collect(agent, { prompt: 'go' })
  await collect(agent, {
    state,
    decisions: [{ toolUseId: 't1', outcome: 'approved' }],
    results: [{ toolUseId: 't2', content: 'yes' }],
  })
  expect(roots.map(toTree)).toEqual([
    { 'run tester': [{ 'step 1': ['model 1'] }] },
    { 'run tester': [{ 'step 1': ['tool guarded'] }, { 'step 2': ['model 1'] }] },
  ])
  expect(roots[0]?.parts[0]?.events).toEqual(['approval_requested'])
  expect(roots[0]?.outcome).toMatchObject({ stopReason: 'awaiting_frontend_tools' })
  expect(roots[1]?.info).not.toHaveProperty('prompt')
  expect(roots[1]?.parts[0]?.parts[0]?.outcome).toMatchObject({ error: { type: 'tool_error' } })
})

test('no span stays open when a run fails, is stopped, or its reader leaves', async () => {
  const failure = { type: 'x', message: 'no', retriable: false }
  const replies = [
    [{ content: [text('a')], outcome: 'failed' as const, failure }],
    [{ content: [call('t1', 'hang')] }],
  ]
  for (const [index, script] of replies.entries()) {
    for (const leaves of [true, false]) {
      const { telemetry, all } = createRecorder()
      const { agent } = setUpAgent(script, {
        telemetry,
        tools: [tool('hang', () => new Promise(() => {}))],
      })
      const run = agent.run({ prompt: 'go' })
      for await (const { type } of run) {
        if (leaves && type === 'block_end') break
        if (index === 1 && type === 'tool_status') run.stop()
      }
      await run.result()
      await new Promise((resolve) => setTimeout(resolve))
      expect(all().filter(({ outcome }) => outcome === undefined)).toEqual([])
    }
  }
})

test('a step in which the run fails has the error, a repeated one does not', async () => {
  const { telemetry, roots } = createRecorder()
  const failure = { type: 'authentication_error', message: 'no', retriable: false }
  const { agent } = setUpAgent(
    [
      { outcome: 'interrupted' },
      { content: [call('t1', 'look')] },
      { outcome: 'failed' as const, failure },
    ],
    { telemetry, tools: [tool('look', () => 'seen')] },
  )
  await collect(agent, { prompt: 'go' })
  const error = { type: 'authentication_error', message: 'no' }
  expect(roots[0]?.parts.map(({ outcome }) => outcome)).toEqual([
    {},
    { stopReason: 'error', error },
  ])
  expect(roots[0]?.outcome).toMatchObject({ error: { type: 'run_error' } })
})

test('a run without a reader has no span', () => {
  const { telemetry, roots } = createRecorder()
  setUpAgent([], { telemetry }).agent.run({ prompt: 'go' })
  expect(roots).toEqual([])
})

test('a tool that runs when the reader leaves has its span ended', async () => {
  const { telemetry, all } = createRecorder()
  const { agent } = setUpAgent([{ content: [call('t1', 'slow')] }], {
    telemetry,
    tools: [tool('slow', () => new Promise(() => {}))],
  })
  for await (const event of agent.run({ prompt: 'go' })) {
    if (event.type === 'tool_status' && event.stage === 'started') break
  }
  await new Promise((resolve) => setTimeout(resolve))
  expect(all().filter(({ outcome }) => outcome === undefined)).toEqual([])
})
