import { encodeEnvelope } from 'millrace'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createFrameLog } from '../../session/frames/frame-log.ts'
import { createTimelineModel } from './timeline-model.ts'
import { endOf, listActive, nestLanes, stepsOf } from './timeline.ts'

interface Message {
  readonly at: number
  readonly type: string
  readonly agent?: string
  readonly final?: boolean
  readonly delta?: string
  readonly [extra: string]: unknown
}

function play(messages: readonly Message[], isTimed = true) {
  const log = createFrameLog({ schedule: (callback) => callback() })
  const model = createTimelineModel()
  for (const { at, agent = 'root', final = true, delta = '', ...rest } of messages) {
    const data = encodeEnvelope({ ...rest, agent, final, delta })
    log.add({ id: undefined, data }, { time: 1_000 + at, isTimed })
  }
  for (const frame of log.getSnapshot().frames) model.add(frame)
  return { model, frames: log.getSnapshot().frames }
}

const json = (value: unknown) => ({ delta: JSON.stringify(value) })
const usage = { input_tokens: 10, output_tokens: 40 }

const run: readonly Message[] = [
  { at: 0, type: 'meta_init', ...json({ user_query: 'Hi', model: 'm', name: 'demo' }) },
  { at: 300, type: 'text', final: false, delta: 'Let ' },
  { at: 400, type: 'text', final: false, delta: 'me.' },
  { at: 400, type: 'text' },
  { at: 450, type: 'tool_call', id: 't1', name: 'spawn', final: false, delta: '{}' },
  { at: 500, type: 'tool_call', id: 't1', name: 'spawn' },
  { at: 510, type: 'meta_step', ...json({ step: 1, stop_reason: 'tool_use', usage }) },
  { at: 520, type: 'tool_status', id: 't1', name: 'spawn', stage: 'started' },
  {
    at: 530,
    type: 'meta_init',
    agent: 'child',
    ...json({ name: 'helper', parent_agent_uuid: 'root', parent_tool_use_id: 't1' }),
  },
  { at: 700, type: 'thinking', agent: 'child', final: false, delta: 'Hm' },
  { at: 2_500, type: 'thinking', agent: 'child' },
  { at: 2_510, type: 'tool_call', agent: 'child', id: 'q', name: 'user_confirm' },
  { at: 2_520, type: 'meta_step', agent: 'child', ...json({ step: 1 }) },
  {
    at: 2_530,
    type: 'awaiting_frontend_tools',
    agent: 'child',
    ...json([{ tool_use_id: 'q', name: 'user_confirm' }]),
  },
  {
    at: 2_540,
    type: 'meta_end',
    agent: 'child',
    ...json({ stop_reason: 'awaiting_frontend_tools' }),
  },
  { at: 9_000, type: 'tool_result', agent: 'child', id: 'q', name: 'user_confirm', delta: 'yes' },
  { at: 9_100, type: 'text', agent: 'child', delta: 'Done.' },
  { at: 9_110, type: 'meta_end', agent: 'child', ...json({ stop_reason: 'end_turn' }) },
  { at: 9_120, type: 'tool_result', id: 't1', name: 'spawn', delta: 'Done.' },
  { at: 9_300, type: 'text', final: false, delta: 'Good' },
  { at: 11_300, type: 'text', delta: '.' },
  { at: 11_310, type: 'meta_step', ...json({ step: 2, stop_reason: 'end_turn', usage }) },
  {
    at: 11_320,
    type: 'meta_end',
    ...json({ stop_reason: 'end_turn', usage, cost: { total_cost: 1 } }),
  },
]

describe('the timeline of a run', () => {
  const { model } = play(run)
  const [only] = model.runs
  const [root, child] = only?.lanes ?? []
  const bars = (lane: typeof root) =>
    lane?.bars.map(({ kind, label, start, end, row }) => [kind, label, start, end, row])

  test('has bars for blocks, tools and waiting of each agent', () => {
    expect(bars(root)).toEqual([
      ['text', '', 300, 400, 0],
      ['input', 'spawn', 450, 500, 0],
      ['subagent', 'helper', 520, 9_120, 1],
      ['text', '', 9_300, 11_300, 0],
    ])
    expect(bars(child)).toEqual([
      ['thinking', '', 700, 2_500, 0],
      ['input', 'user_confirm', 2_510, 2_510, 0],
      ['waiting', 'user_confirm', 2_510, 9_000, 1],
      ['text', '', 9_100, 9_100, 0],
    ])
    expect(root).toMatchObject({ name: 'demo', depth: 0 })
    expect(child).toMatchObject({ name: 'helper', depth: 1, parent: 'root' })
  })

  test('ends the waiting of a call with its answer, though other calls are pending', () => {
    const asked = [
      { tool_use_id: 'q', name: 'user_confirm' },
      { tool_use_id: 'r', name: 'user_confirm' },
    ]
    const name = 'user_confirm'
    const { model: two } = play([
      { at: 0, type: 'meta_init', ...json({ user_query: 'Hi' }) },
      { at: 10, type: 'tool_call', id: 'q', name },
      { at: 20, type: 'tool_call', id: 'r', name },
      { at: 30, type: 'awaiting_frontend_tools', ...json(asked) },
      { at: 500, type: 'tool_status', id: 'q', name, stage: 'answered' },
      { at: 900, type: 'tool_result', id: 'q', name, delta: 'yes' },
      { at: 900, type: 'tool_result', id: 'r', name, delta: 'no' },
    ])
    const waiting = bars(two.runs[0]?.lanes[0])?.filter(([kind]) => kind === 'waiting')
    expect(waiting?.map(([, , , end]) => end)).toEqual([500, 900])
  })

  test('has steps with their start and time to first token', () => {
    expect(
      root?.steps.map(({ start, firstToken, end, outputTokens, chars }) => [
        start,
        firstToken,
        end,
        outputTokens,
        chars,
      ]),
    ).toEqual([
      [0, 300, 510, 40, 9],
      [9_120, 9_300, 11_310, 40, 5],
    ])
    expect(stepsOf(only!).map(({ agent }) => agent)).toEqual(['root', 'child', 'child', 'root'])
    expect(only).toMatchObject({ prompt: 'Hi', firstToken: 300, cost: 1, isOver: true })
  })

  test('marks silences of the model, but not of tools and users', () => {
    expect(only?.silences.map(({ agent, start, end }) => [agent, start, end])).toEqual([
      ['root', 9_300, 11_300],
    ])
  })

  test('counts messages without known times', () => {
    const [untimed] = play(run, false).model.runs
    expect(untimed?.clock).toBe('order')
    expect(endOf(untimed!)).toBe(run.length - 1)
    expect(untimed?.silences).toEqual([])
    expect(untimed?.lanes[0]?.bars[0]).toMatchObject({ start: 1, end: 3 })
  })

  test('a new prompt starts a new run and ends open bars', () => {
    const { runs } = play([...run.slice(0, 16), { ...run[0]!, at: 60_000 }]).model
    expect(runs).toHaveLength(2)
    expect(runs[0]?.lanes[0]?.bars.at(-1)).toMatchObject({ kind: 'subagent', end: 9_000 })
    expect(runs[1]).toMatchObject({ firstIndex: 16, startTime: 61_000 })
  })

  test('agents keep their names in later runs, and have no lane without activity', () => {
    const given = { type: 'tool_result', id: 'q', name: 'user_confirm', is_error: true }
    const { runs } = play([
      ...run.slice(0, 15),
      { ...run[0]!, at: 60_000 },
      { at: 60_010, agent: 'child', ...given },
      { at: 60_020, type: 'meta_end', agent: 'child', ...json({ stop_reason: 'aborted' }) },
    ]).model
    const lanes = runs[1]?.lanes ?? []
    expect(lanes.map(({ name }) => name)).toEqual(['demo', 'helper'])
    expect(listActive(lanes).map(({ name }) => name)).toEqual(['demo'])
    expect(listActive(runs[0]?.lanes ?? [])).toHaveLength(2)
  })

  test('a rollback voids its step', () => {
    const [rolled] = play([
      run[0]!,
      run[1]!,
      { at: 350, type: 'rollback', ...json({ step: 1 }) },
      { at: 500, type: 'text', delta: 'Again' },
    ]).model.runs
    expect(rolled?.lanes[0]?.bars.map(({ isVoid }) => isVoid)).toEqual([true, false])
  })

  test('a voided call has not run', () => {
    const [rolled] = play([
      run[0]!,
      { at: 300, type: 'tool_call', id: 't1', name: 'write_file', delta: '{}' },
      { at: 350, type: 'rollback', ...json({ step: 1 }) },
      { at: 500, type: 'text', delta: 'Again' },
      { at: 900, type: 'meta_end', ...json({ stop_reason: 'end_turn' }) },
    ]).model.runs
    const bars = rolled?.lanes[0]?.bars ?? []
    const ran = bars.filter(({ kind }) => kind === 'running')
    expect(ran.map(({ isVoid, start, end }) => [isVoid, (end ?? NaN) - start])).toEqual([[true, 0]])
  })
})

const anyMessage = fc.record(
  {
    at: fc.nat(5_000),
    type: fc.constantFrom(
      ...new Set(run.map(({ type }) => type)),
      'rollback',
      'error',
      'unheard_of',
    ),
    agent: fc.constantFrom('root', 'a', 'b'),
    final: fc.boolean(),
    id: fc.constantFrom('t1', 't2'),
    name: fc.constant('tool'),
    stage: fc.constantFrom('started', 'approved', 'refused', 'progress', 'approval_requested'),
    delta: fc.oneof(
      fc.string(),
      fc.constantFrom(
        '[{"tool_use_id":"t1"}]',
        '{"parent_agent_uuid":"a","parent_tool_use_id":"t1"}',
      ),
    ),
  },
  { requiredKeys: ['at', 'type', 'agent'] },
)

test('every frame is counted once, and no bar ends before it begins', () => {
  fc.assert(
    fc.property(fc.array(anyMessage, { maxLength: 80 }), (messages) => {
      const ordered = messages.toSorted((one, other) => one.at - other.at) as Message[]
      const { model, frames } = play(ordered)
      const { runs } = model
      const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0)
      expect(sum(runs.map(({ times }) => times.length))).toBe(frames.length)
      expect(sum(runs.map(({ bytes }) => bytes))).toBe(sum(frames.map(({ bytes }) => bytes)))
      for (const each of runs) {
        expect(sum(each.lanes.map((lane) => lane.frames))).toBe(each.times.length)
        expect(each.times).toEqual(each.times.toSorted((one, other) => one - other))
        expect(new Set(nestLanes(each.lanes))).toEqual(new Set(each.lanes))
        for (const { bars, start, steps } of each.lanes) {
          for (const bar of bars) {
            expect(bar.start).toBeGreaterThanOrEqual(start)
            expect(bar.end ?? Infinity).toBeGreaterThanOrEqual(bar.start)
          }
          for (const step of steps) {
            expect(step.firstToken).toBeGreaterThanOrEqual(step.start)
            expect(step.end ?? Infinity).toBeGreaterThanOrEqual(step.firstToken)
          }
        }
      }
    }),
  )
})
