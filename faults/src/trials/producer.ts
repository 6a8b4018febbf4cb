import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { findViolations } from '../mill/find-violations.ts'
import type { Mill } from '../mill/open-mill.ts'
import { readAnswer } from '../mill/read-answer.ts'
import { readLogs } from '../mill/read-logs.ts'
import { type Stand, withStand } from '../mill/with-stand.ts'
import { judgeCounted } from '../producer/judge-counted.ts'
import { openRelay, type Relay } from '../producer/open-relay.ts'
import { chooseSeed, createSeeded, type Seeded } from '../seeded.ts'
import { onEachPlace, type StorePlace } from '../stores.ts'
import type { Finding, Trial, TrialOptions } from '../trial.ts'

const KILLS = 200
const SHORT_KILLS = 4
/** The numbers that a run counts, and the frames that a server stores before it dies, at most. */
const LAST = 500
const SHORT_LAST = 100
const MOST_FRAMES = 40
const LEASE_MS = 300

const program = fileURLToPath(
  new URL('../../../examples/python-producer/producer.py', import.meta.url),
)

/** A run that a Python process produces, while the servers are killed and the connections are cut. */
export const producer: Trial = {
  name: 'producer',
  summary: 'runs of a Python process, whose servers are killed and whose connections are cut',
  run: (options) => onEachPlace(options, (place) => countOften(place, options)),
}

function countOften(
  { store, title: where }: StorePlace,
  { isShort, signal, onProgress }: TrialOptions,
): Promise<Finding> {
  const total = isShort ? SHORT_KILLS : KILLS
  const seed = chooseSeed()
  return withStand({ store, leaseMs: LEASE_MS }, async (stand) => {
    const relay = await openRelay()
    const tally = { kills: 0, cuts: 0, runs: 0, lost: 0, doubled: 0 }
    const faults: string[] = []
    try {
      const random = createSeeded(seed)
      while (tally.kills < total) {
        signal.throwIfAborted()
        const last = isShort ? SHORT_LAST : LAST
        const round = { stand, relay, random, last, left: total - tally.kills, signal }
        const counted = await countOnce(round, () =>
          onProgress(++tally.kills, total, `kills on ${where}`),
        )
        tally.runs++
        tally.cuts += counted.cuts
        tally.lost += counted.lost
        tally.doubled += counted.doubled
        faults.push(...counted.wrong)
      }
    } finally {
      relay.close()
    }
    const { kills, cuts, runs, lost, doubled } = tally
    if (lost + doubled > 0) faults.push(`${lost} events lost and ${doubled} doubled, seed ${seed}`)
    const figures = `${runs} runs, ${kills} kills, ${cuts} cuts, ${lost} lost, ${doubled} doubled`
    const what = 'kill -9 of the server of a Python producer, and cuts'
    return { what, where, figures, bound: '0 lost, 0 doubled', faults }
  })
}

interface Round {
  readonly stand: Stand
  readonly relay: Relay
  readonly random: Seeded
  readonly last: number
  /** The kills that are still to be done. */
  readonly left: number
  readonly signal: AbortSignal
}

/** Counts once; the server dies after some frames each time it is started. */
async function countOnce({ stand, relay, random, last, left, signal }: Round, onKill: () => void) {
  const session = crypto.randomUUID()
  let kills = 0
  let cuts = 0
  let mill = await stand.startMill()
  relay.aim(mill.url)
  await begin(mill, session, last)
  const child = spawn('python3', [program, relay.url, session], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, PACE_SECONDS: '0.005' },
  })
  const stop = (): void => void child.kill('SIGKILL')
  signal.addEventListener('abort', stop, { once: true })
  let errors = ''
  child.stderr.on('data', (data: Buffer) => (errors += data.toString()))
  let isOver = false
  const over = once(child, 'exit').then(() => (isOver = true))
  const cutter = setInterval(() => {
    if (random.below(10) === 0 && relay.cut()) cuts++
  }, 50)
  try {
    while (!isOver) {
      if (kills < left) mill.dieAfter(1 + random.below(MOST_FRAMES))
      await Promise.race([over, mill.gone])
      if (!mill.isGone()) break
      kills++
      onKill()
      mill = await stand.startMill()
      relay.aim(mill.url)
    }
  } finally {
    clearInterval(cutter)
    stop()
    signal.removeEventListener('abort', stop)
  }
  const frames = await readSettled(mill, session)
  await mill.stop()
  const lines = (await readLogs(stand.address, [session])).get(session) ?? []
  const wrong = [...findViolations(lines), ...(errors === '' ? [] : [`${session}: ${errors}`])]
  return { ...judgeCounted(frames, last), cuts, wrong }
}

async function begin(mill: Mill, session: string, last: number): Promise<void> {
  const body = { agent_uuid: session, agent_type: 'far', user_prompt: `Count to ${last}` }
  const response = await fetch(`${mill.url}/agent/run`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', prefer: 'respond-async' },
    body: JSON.stringify(body),
  })
  if (response.status !== 202) throw new Error(`A run was refused: ${await response.text()}`)
}

async function readSettled(mill: Mill, session: string): Promise<readonly string[]> {
  const response = await fetch(`${mill.url}/agent/${session}/stream?settled=1`)
  return (await readAnswer(response)).map(({ data }) => data)
}
