import { checkOptions, type OptionTypes } from '../errors/index.ts'
import type { Meter } from '@opentelemetry/api'
import type { ServerObserver } from '../server/index.ts'
import { loadApi } from './load-api.ts'

/** Options of {@link openTelemetryMetrics}. */
export interface OpenTelemetryMetricsOptions {
  /** The meter; default: the meter `millrace` of the registered provider. */
  readonly meter?: Meter
}

/** Histogram buckets in seconds: from a store in memory to a slow disk or another continent. */
const appendBounds = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
]

/** Histogram buckets in seconds: from a short answer to a task of hours. The SDK's defaults are for milliseconds. */
const runBounds = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200]

const types: OptionTypes<OpenTelemetryMetricsOptions> = { meter: 'object' }

/** Creates a server observer that records OpenTelemetry metrics; pass it to `createHandler` as one of its observers. */
export async function openTelemetryMetrics(
  options: OpenTelemetryMetricsOptions = {},
): Promise<ServerObserver> {
  checkOptions('openTelemetryMetrics', options, types)
  const { meter: given }: OpenTelemetryMetricsOptions = ({} = options)
  const meter = given ?? (await loadApi()).metrics.getMeter('millrace')
  const { activeRuns, runs, runDuration, readers, appendDuration, lines, bytes } =
    createInstruments(meter)
  return {
    runStarted: ({ agentType }) => activeRuns.add(1, { 'millrace.agent_type': agentType }),
    runEnded: ({ agentType, stopReason, isRecovered, durationMs }) => {
      const agent = { 'millrace.agent_type': agentType }
      const about = { ...agent, 'millrace.stop_reason': stopReason }
      activeRuns.add(-1, agent)
      runs.add(1, { ...about, 'millrace.recovered': isRecovered })
      runDuration.record(durationMs / 1000, about)
    },
    readerOpened: () => readers.add(1),
    readerClosed: () => readers.add(-1),
    appended: (append) => {
      appendDuration.record(append.durationMs / 1000)
      lines.add(append.lines)
      bytes.add(append.bytes)
    },
  }
}

function createInstruments(meter: Meter) {
  return {
    activeRuns: meter.createUpDownCounter('millrace.runs.active', {
      description: 'Active runs',
      unit: '{run}',
    }),
    runs: meter.createCounter('millrace.runs', {
      description: 'Runs that ended, paused or were handed over',
      unit: '{run}',
    }),
    runDuration: meter.createHistogram('millrace.run.duration', {
      description: 'Duration of runs in this server',
      unit: 's',
      advice: { explicitBucketBoundaries: runBounds },
    }),
    readers: meter.createUpDownCounter('millrace.readers', {
      description: 'Open streams',
      unit: '{reader}',
    }),
    appendDuration: meter.createHistogram('millrace.append.duration', {
      description: 'Duration of appends to the store',
      unit: 's',
      advice: { explicitBucketBoundaries: appendBounds },
    }),
    lines: meter.createCounter('millrace.append.messages', {
      description: 'Appended frames',
      unit: '{message}',
    }),
    bytes: meter.createCounter('millrace.append.bytes', {
      description: 'Bytes of the appended frames',
      unit: 'By',
    }),
  }
}
