import type { Mill } from '../mill/open-mill.ts'
import { promptOf } from './family-script.ts'
import type { FamilyModel } from './open-family-model.ts'
import { type Received, receive, type SeedClient, seedClients } from './seed-readers.ts'
import type { Seeded } from '../seeded.ts'
import type { PlannedFault } from './planned-fault.ts'

/** The way in which a client reads a run. */
export interface Manner {
  readonly name: string
  /** Its suffix of the address of a stream. */
  readonly query: string
  /** Whether its connection is cut: always, never, or in every other run. */
  readonly isCut: boolean | 'sometimes'
  /** Whether it may receive void content. */
  readonly maySeeVoid: boolean
}

/** The response of the request that starts the run. */
const asking: Manner = { name: 'asking', query: '', isCut: false, maySeeVoid: true }
const liveManners: readonly Manner[] = [
  { name: 'live', query: '', isCut: false, maySeeVoid: true },
  { name: 'resumed', query: '', isCut: true, maySeeVoid: true },
  { name: 'settled=1', query: 'settled=1', isCut: 'sometimes', maySeeVoid: false },
]
const replay: Manner = { name: 'replay', query: '', isCut: 'sometimes', maySeeVoid: false }

/** The frames of a run that one client has received. */
export interface ClientReading extends Received {
  readonly client: SeedClient
  readonly manner: Manner
}

/** An ended run, with all content that was read of it. */
export interface PlayedRun {
  readonly run: number
  readonly session: string
  readonly plannedFaults: readonly PlannedFault[]
  readonly readings: readonly ClientReading[]
  /** The server's own record of the run, as JSON. */
  readonly record: string
}

/** The options of a run. */
export interface Play {
  readonly run: number
  readonly plannedFaults: readonly PlannedFault[]
  readonly model: FamilyModel
  /** Readers are distributed over all of them. */
  readonly mills: readonly Mill[]
  readonly random: Seeded
  /** The approximate length of the stream of each client. */
  readonly lengthOf: (client: SeedClient) => number
  readonly signal: AbortSignal
}

/** Executes a run, read by every client in every way. */
export async function playRun(play: Play): Promise<PlayedRun> {
  const { run, plannedFaults, model, mills, signal } = play
  const session = crypto.randomUUID()
  model.plan(run, plannedFaults)
  try {
    const live = await readLive(play, session)
    const replays = await Promise.all(
      seedClients.map((client, index) => readOne(play, { session, client, manner: replay, index })),
    )
    const url = `${atRound(mills, run).url}/agent/${session}/conversations`
    const record = await fetch(url, { signal })
    return {
      run,
      session,
      plannedFaults,
      readings: [...live, ...replays],
      record: await record.text(),
    }
  } finally {
    // A failure must not leave a request pending.
    model.release(run)
  }
}

/** Opens all streams before the model emits its first word, so that all content is live. */
async function readLive(play: Play, session: string): Promise<readonly ClientReading[]> {
  const { run, model } = play
  const client = atRound(seedClients, run)
  const asked = createOpening()
  const asker = readOne(play, { session, client, manner: asking, index: 0, onOpen: asked.open })
  await Promise.race([asked.opened, asker])
  const pairs = seedClients.flatMap((one) => liveManners.map((manner) => ({ client: one, manner })))
  const openings = pairs.map(createOpening)
  const readings = pairs.map((pair, index) =>
    readOne(play, { session, ...pair, index, onOpen: openings[index]?.open }),
  )
  const all = Promise.all([asker, ...readings])
  await Promise.race([Promise.all(openings.map(({ opened }) => opened)), all])
  model.release(run)
  return all
}

interface OneReading {
  readonly session: string
  readonly client: SeedClient
  readonly manner: Manner
  readonly index: number
  readonly onOpen?: (() => void) | undefined
}

async function readOne(play: Play, reading: OneReading): Promise<ClientReading> {
  const { run, mills, random, lengthOf, signal } = play
  const { session, client, manner, index, onOpen } = reading
  const { url } = atRound(mills, run + index)
  const query = [client.query, manner.query].filter((part) => part !== '').join('&')
  const isCut = manner.isCut === 'sometimes' ? run % 2 === 1 : manner.isCut
  try {
    const received = await receive({
      url: `${url}/agent/${session}/stream?${query}`,
      ...(manner === asking && { first: toQuestion(play, session, `${url}/agent/run?${query}`) }),
      ...(isCut && { cutAt: random.below(lengthOf(client)) }),
      ...(onOpen && { onOpen }),
      signal,
    })
    return { ...received, client, manner }
  } catch (error) {
    throw new Error(`${client.name}, ${manner.name}: ${String(error)}`, { cause: error })
  }
}

function toQuestion({ run, plannedFaults }: Play, session: string, url: string) {
  const body = {
    agent_uuid: session,
    user_prompt: promptOf(run),
    stream_meta_history_and_tool_results: true,
    agent_type: plannedFaults.some(({ kind }) => kind === 'stall') ? 'hasty' : 'foreman',
  }
  const headers = { 'content-type': 'application/json' }
  return { url, init: { method: 'POST', headers, body: JSON.stringify(body) } }
}

function createOpening(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = (): void => {}
  const opened = new Promise<void>((resolve) => (open = resolve))
  return { opened, open: () => open() }
}

/** The item at an index, counted modulo the number of items. */
function atRound<Item>(items: readonly Item[], index: number): Item {
  const item = items[index % items.length]
  if (item === undefined) throw new Error('There is nothing to choose from.')
  return item
}
