import { encodeEnvelope } from 'millrace'
import { expect, test } from 'vitest'
import { createFrameLog } from '../../session/frames/frame-log.ts'
import { compareRuns } from './compare-runs.ts'
import { figuresOfLane, figuresOfRun, figuresOfStep, showFigure } from './figures.ts'
import { toRuns } from './timeline-feed.ts'

/** Creates a run with a time to first token and a time of writing 100 tokens, or characters without usage. */
function runOf(firstTokenMs: number, writingMs: number, usage?: object) {
  const log = createFrameLog({ schedule: (callback) => callback() })
  const add = (time: number, type: string, delta: string, final = true) =>
    log.add({ id: undefined, data: encodeEnvelope({ type, agent: 'a', final, delta }) }, { time })
  add(0, 'meta_init', '{"user_query":"Hi"}')
  add(firstTokenMs, 'text', 'x'.repeat(50), false)
  add(firstTokenMs + writingMs, 'text', '')
  const end = JSON.stringify({ stop_reason: 'end_turn', ...(usage && { usage }) })
  add(firstTokenMs + writingMs, 'meta_step', end)
  add(firstTokenMs + writingMs, 'meta_end', end)
  return toRuns(log.getSnapshot())[0]!
}

const counted = { input_tokens: 10, output_tokens: 100 }

test('the speed is in tokens if they are known, otherwise in characters', () => {
  expect(showFigure('rate', figuresOfRun(runOf(100, 2_000, counted)), 'time')).toBe('50 tok/s')
  expect(showFigure('rate', figuresOfRun(runOf(100, 2_000)), 'time')).toBe('25 chars/s')
  expect(showFigure('rate', figuresOfRun(runOf(100, 5)), 'time')).toBe('–')
})

test('a single agent has the figures of its run', () => {
  const run = runOf(300, 700, counted)
  const { bytes: _, ...figures } = figuresOfRun(run)
  expect(figuresOfLane(run.lanes[0]!, run)).toMatchObject(figures)
  expect(figures).toMatchObject({ firstToken: 300, total: 1_000, steps: 1, outputTokens: 100 })
})

test('runs are compared by figure, and less is better except for speed', () => {
  const rows = compareRuns(runOf(400, 2_000, counted), runOf(200, 4_000, counted))
  const row = (label: string) => rows.find((each) => each.label === label)
  expect(row('First token')).toMatchObject({
    one: '400 ms',
    other: '200 ms',
    change: '−200 ms (−50 %)',
    tone: 'better',
  })
  expect(row('Total')).toMatchObject({ change: '+1.80 s (+75 %)', tone: 'worse' })
  expect(row('Speed')).toMatchObject({ one: '50 tok/s', other: '25 tok/s', tone: 'worse' })
  expect(row('Steps')).toMatchObject({ change: '', tone: 'same' })
  expect(row('Cost')).toMatchObject({ one: '–', other: '–', change: '' })
})

test('figures in different units are not compared', () => {
  const rows = compareRuns(runOf(400, 2_000, counted), runOf(400, 1_000))
  expect(rows.find(({ label }) => label === 'Speed')).toMatchObject({ change: '', tone: 'same' })
})

/** Creates a run with two parallel tools, one of which spawns an agent with its own tool. */
function runWithTools(lookMs: number) {
  const log = createFrameLog({ schedule: (callback) => callback() })
  const add = (time: number, type: string, delta = '', fields: object = {}) => {
    const data = encodeEnvelope({ type, agent: 'root', final: true, delta, ...fields })
    log.add({ id: undefined, data }, { time })
  }
  const child = { agent: 'child' }
  const spawned = { parent_agent_uuid: 'root', parent_tool_use_id: 's' }
  add(0, 'meta_init', '{"user_query":"Hi"}')
  add(100, 'tool_call', '{}', { id: 'look', name: 'look' })
  add(100, 'tool_call', '{}', { id: 'see', name: 'see' })
  add(100, 'tool_call', '{}', { id: 's', name: 'spawn' })
  add(100, 'meta_step', '{}')
  add(150, 'meta_init', JSON.stringify(spawned), child)
  add(300, 'tool_call', '{}', { ...child, id: 'read', name: 'read' })
  add(300, 'meta_step', '{}', child)
  add(100 + lookMs, 'tool_result', 'x', { id: 'look', name: 'look' })
  add(600, 'tool_result', 'x', { id: 'see', name: 'see' })
  add(800, 'tool_result', 'x', { ...child, id: 'read', name: 'read' })
  add(850, 'meta_end', '{"stop_reason":"end_turn"}', child)
  add(900, 'tool_result', 'x', { id: 's', name: 'spawn' })
  add(950, 'text', 'Done.')
  add(1_000, 'meta_end', '{"stop_reason":"end_turn"}')
  return toRuns(log.getSnapshot())[0]!
}

test('the time of tools is the time in which at least one ran, for agents, steps and runs', () => {
  const run = runWithTools(400)
  const [root, child] = run.lanes
  expect(figuresOfLane(root!, run)).toMatchObject({ toolTime: 500, modelTime: 200, total: 1_000 })
  expect(figuresOfLane(child!, run)).toMatchObject({ toolTime: 500, modelTime: 150, total: 700 })
  expect(figuresOfStep(root!.steps[0]!, run)).toMatchObject({ toolTime: 500, modelTime: 100 })
  expect(figuresOfRun(run)).toMatchObject({ toolTime: 700, modelTime: 350, total: 1_000 })
  const tools = compareRuns(run, runWithTools(490)).find(({ label }) => label === 'Tools')
  expect(tools).toMatchObject({ one: '700 ms', other: '700 ms', change: '' })
})
