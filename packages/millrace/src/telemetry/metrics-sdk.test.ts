import {
  AggregationTemporality,
  InMemoryMetricExporter,
  type Histogram,
  MeterProvider,
  type MetricData,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import { metrics } from '@opentelemetry/api'
import { afterEach, expect, test } from 'vitest'
import { createScriptedModel } from '../../test/support/agents/scripted-model.ts'
import { createAgent } from '../agent/create-agent.ts'
import { createHandler } from '../server/handler.ts'
import { createMemoryStore } from '../stores/memory/memory-store.ts'
import { openTelemetryMetrics } from './open-telemetry-metrics.ts'

const closing: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
  metrics.disable()
})

/** The OpenTelemetry SDK, registered as by users, with an exporter that stores its input. */
function openSdk() {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 600_000 })
  const provider = new MeterProvider({ readers: [reader] })
  metrics.setGlobalMeterProvider(provider)
  closing.push(() => provider.shutdown())
  return async () => {
    await provider.forceFlush()
    const exported = exporter.getMetrics().at(-1)?.scopeMetrics ?? []
    const found = exported.filter(({ scope }) => scope.name === 'millrace')
    return new Map(
      found.flatMap((one) => one.metrics).map((metric) => [metric.descriptor.name, metric]),
    )
  }
}

async function openTestServer() {
  const model = createScriptedModel([
    { content: [{ type: 'text', text: 'flour' }] },
    { content: [{ type: 'text', text: 'bread' }], hangs: 'until_aborted' },
  ])
  const handler = createHandler({
    agents: { miller: createAgent({ name: 'miller', model }) },
    defaultAgent: 'miller',
    store: createMemoryStore(),
    observers: [await openTelemetryMetrics()],
  })
  closing.push(handler.close)
  const ask = () =>
    handler.fetch(
      new Request('http://localhost/agent/run', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ user_prompt: 'SECRET question' }),
      }),
    )
  return { handler, ask }
}

test('exports the metrics of a server as docs/telemetry.md names them', async () => {
  const collect = openSdk()
  const { handler, ask } = await openTestServer()
  const whole = await (await ask()).text()
  const open = await ask()
  const reader = open.body?.getReader()
  await reader?.read()

  const valueOf = async (name: string) => (await collect()).get(name)?.dataPoints
  const agent = { 'millrace.agent_type': 'miller' }
  const ended = { ...agent, 'millrace.stop_reason': 'end_turn' }
  await expect
    .poll(() => valueOf('millrace.runs'))
    .toMatchObject([{ value: 1, attributes: { ...ended, 'millrace.recovered': false } }])
  expect(await valueOf('millrace.runs.active')).toMatchObject([{ value: 1, attributes: agent }])
  expect(await valueOf('millrace.readers')).toMatchObject([{ value: 1, attributes: {} }])

  await reader?.cancel()
  await handler.close()
  const found = await collect()
  expect(found.get('millrace.readers')?.dataPoints).toMatchObject([{ value: 0 }])
  expect(found.get('millrace.runs.active')?.dataPoints).toMatchObject([{ value: 0 }])
  expect(found.get('millrace.runs')?.dataPoints).toMatchObject([
    { value: 1, attributes: ended },
    { value: 1, attributes: { ...agent, 'millrace.stop_reason': 'aborted' } },
  ])
  const stored = Number(found.get('millrace.append.messages')?.dataPoints[0]?.value)
  expect(stored).toBeGreaterThan([...whole.matchAll(/^id: /gm)].length)
  expect(found.get('millrace.append.bytes')?.descriptor.unit).toBe('By')
  expect(JSON.stringify([...found])).not.toContain('SECRET')
})

function toHistogram(metric: MetricData | undefined): Histogram {
  const value = metric?.dataPoints[0]?.value
  if (typeof value !== 'object' || !('buckets' in value)) throw new Error('This is no histogram.')
  return value
}

test('records durations in seconds with the requested buckets', async () => {
  const collect = openSdk()
  const { ask } = await openTestServer()
  await (await ask()).text()
  await expect.poll(async () => (await collect()).get('millrace.run.duration')).toBeDefined()
  const run = toHistogram((await collect()).get('millrace.run.duration'))
  expect(run.buckets.boundaries.at(-1)).toBe(7_200)
  const append = (await collect()).get('millrace.append.duration')
  expect(append?.descriptor.unit).toBe('s')
  const { buckets, count, sum } = toHistogram(append)
  expect(buckets.boundaries.slice(0, 3)).toEqual([0.0005, 0.001, 0.0025])
  expect(buckets.counts.reduce((total, one) => total + one, 0)).toBe(count)
  expect(sum).toBeLessThan(60)
})
