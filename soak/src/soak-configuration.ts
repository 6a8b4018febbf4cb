import { inParallel } from '@millrace/faults/in-parallel'
import type { Configuration } from './configurations.ts'
import { type Client, createClient } from './load/client.ts'
import { openModel } from './load/open-model.ts'
import { createSchedule, type ScheduledRun } from './load/schedule.ts'
import type { TakenSample } from './sample.ts'
import { openServer, type SoakServer } from './server/open-server.ts'

/** The duration of the soak of a configuration, and its Node. */
export interface SoakPlan {
  readonly runs: number
  /** Runs between two samples. */
  readonly every: number
  /** The program that runs the server. */
  readonly node: string
  readonly signal: AbortSignal
  readonly onSample?: (sample: TakenSample) => void
}

const PARALLEL_RUNS = 12
/** Maximum time without a read; readers that never read are disconnected after it. */
const STALL_MS = 400
const POLL_MS = 50
const MAX_POLLS = 1_200

/** Uses a server in every way, run after run, measures it in between, and returns the samples. */
export async function soakConfiguration(
  { adapter, store }: Configuration,
  { runs, every, node, signal, onSample = () => {} }: SoakPlan,
): Promise<readonly TakenSample[]> {
  const closing: (() => Promise<unknown>)[] = []
  try {
    const model = await openModel()
    closing.push(model.close)
    const { address, close } = await store.open()
    closing.push(close)
    const server = await openServer({
      adapter,
      modelUrl: model.url,
      store: address,
      node,
      stallMs: STALL_MS,
    })
    closing.push(server.close)
    const client = createClient(server.url)
    closing.push(async () => client.closeStalled())
    const longSession = crypto.randomUUID()
    await server.fill(longSession)
    const visit = async ({ number, workload }: ScheduledRun): Promise<void> => {
      signal.throwIfAborted()
      const session = crypto.randomUUID()
      await workload.visit({ client, session, number, longSession })
      await server.remove([session])
    }
    const schedule = createSchedule()
    await inParallel(schedule.tour(), PARALLEL_RUNS, visit)
    const samples: TakenSample[] = []
    for (let done = 0; done < runs; done += every) {
      await inParallel(schedule.next(every), PARALLEL_RUNS, visit)
      const sample = { runs: done + every, ...(await takeSample(server, client, model.closeIdle)) }
      samples.push(sample)
      onSample(sample)
    }
    return samples
  } finally {
    for (const close of closing.toReversed()) await close()
  }
}

/** Measures an idle server: readers are disconnected, connections on both sides are closed. */
async function takeSample(server: SoakServer, client: Client, closeModel: () => void) {
  await untilIdle(client)
  client.closeStalled()
  client.closeIdle()
  closeModel()
  return server.sample()
}

/** Waits until a server has disconnected every reader by itself. */
async function untilIdle(client: Client): Promise<void> {
  for (let polls = 0; polls < MAX_POLLS; polls++) {
    const health = (await client.send('GET', '/health')) as Record<string, unknown>
    if (health['active_runs'] === 0 && health['readers'] === 0) return
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
  throw new Error('The server still has runs or readers, although it is idle.')
}
