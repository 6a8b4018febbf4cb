import { type Attributes, createNoopMeter, type Meter, metrics } from '@opentelemetry/api'
import { afterEach, describe, expect, test } from 'vitest'
import { createScriptedModel } from '../../test/support/agents/scripted-model.ts'
import { createAgent } from '../agent/create-agent.ts'
import { createHandler } from '../server/handler.ts'
import { createMemoryStore } from '../stores/memory/memory-store.ts'
import { openTelemetryMetrics } from './open-telemetry-metrics.ts'

interface Measured {
  readonly name: string
  readonly value: number
  readonly attributes: Attributes
}

/** A meter that records every measurement. */
function createKeepingMeter() {
  const measured: Measured[] = []
  const keep =
    (name: string) =>
    (value: number, attributes: Attributes = {}): void =>
      void measured.push({ name, value, attributes })
  const meter: Meter = Object.assign(createNoopMeter(), {
    createCounter: (name: string) => ({ add: keep(name) }),
    createUpDownCounter: (name: string) => ({ add: keep(name) }),
    createHistogram: (name: string) => ({ record: keep(name) }),
  })
  const of = (name: string) => measured.filter((one) => one.name === name)
  const sum = (name: string) => of(name).reduce((total, { value }) => total + value, 0)
  return { meter, of, sum }
}

afterEach(() => metrics.disable())

describe('the metrics of a server', () => {
  test('count runs by stop reason, readers, and appended frames', async () => {
    const { meter, of, sum } = createKeepingMeter()
    const model = createScriptedModel([{ content: [{ type: 'text', text: 'flour' }] }])
    const handler = createHandler({
      agents: { miller: createAgent({ name: 'miller', model }) },
      defaultAgent: 'miller',
      store: createMemoryStore(),
      observers: [await openTelemetryMetrics({ meter })],
    })
    const response = await handler.fetch(
      new Request('http://localhost/agent/run', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ user_prompt: 'SECRET question' }),
      }),
    )
    expect(sum('millrace.readers')).toBe(1)
    const stream = await response.text()
    await handler.close()
    const agent = { 'millrace.agent_type': 'miller' }
    const about = { ...agent, 'millrace.stop_reason': 'end_turn' }
    expect(of('millrace.runs')).toMatchObject([
      { value: 1, attributes: { ...about, 'millrace.recovered': false } },
    ])
    expect(of('millrace.runs.active')).toMatchObject([
      { value: 1, attributes: agent },
      { value: -1, attributes: agent },
    ])
    expect(of('millrace.run.duration')).toMatchObject([{ attributes: about }])
    expect(sum('millrace.readers')).toBe(0)
    expect(sum('millrace.append.messages')).toBe([...stream.matchAll(/^id: /gm)].length)
    expect(sum('millrace.append.bytes')).toBeGreaterThan(100)
    expect(of('millrace.append.duration').length).toBeGreaterThan(0)
    expect(of('millrace.append.duration').every(({ value }) => value < 60)).toBe(true)
    expect(JSON.stringify(of('millrace.runs'))).not.toContain('SECRET')
  })

  test('use the registered provider if no meter is given', async () => {
    const { meter, sum } = createKeepingMeter()
    const asked: string[] = []
    metrics.setGlobalMeterProvider({
      getMeter: (name) => {
        asked.push(name)
        return meter
      },
    })
    const observer = await openTelemetryMetrics()
    observer.readerOpened?.('s')
    expect(asked).toEqual(['millrace'])
    expect(sum('millrace.readers')).toBe(1)
  })
})
