import { setMaxListeners } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { inspect } from 'node:util'
import { openStore } from 'millrace/node'
import { inParallel } from '../in-parallel.ts'
import { createMillSlots } from '../kill/mill-slots.ts'
import { openMill } from '../mill/open-mill.ts'
import { openModel } from '../mill/open-model.ts'
import { withStand } from '../mill/with-stand.ts'
import { createSeeded } from '../seeded.ts'
import type { DurableStore } from '../stores.ts'
import type { Finding, TrialOptions } from '../trial.ts'
import { playRound, roundKinds } from './command-rounds.ts'
import { type CommandStage, LEASE_MS } from './command-session.ts'
import { commandScenarios } from './commands-model.ts'
import { type CommandTally, createCommandTally, judgeCommands } from './judge-commands.ts'

/** The options of rounds on one store. */
export interface CommandsWork {
  readonly store: DurableStore
  readonly where: string
  readonly servers: number
  readonly rounds: number
  readonly seed: number
}

const agents = fileURLToPath(new URL('agents.mjs', import.meta.url))
/** The probability that a wake-up is lost when it is sent, and again when it is received. */
const DROPS = 0.5
/** The probability that a server dies before a command or its effect is stored, and after it. */
const DIES = 0.04
/** Concurrent rounds; the death of a server affects the runs of several. */
const WIDTH = 6

/** Sends commands to runs whose servers lose wake-ups and die, and checks their effects. */
export function runCommands(work: CommandsWork, trial: TrialOptions): Promise<Finding> {
  const startModel = () => openModel(3_000, '', commandScenarios)
  const options = { store: work.store, isShared: true, startModel }
  return withStand(options, async ({ address, folder, model, shippedPath }) => {
    const gates = join(folder, 'gates')
    await mkdir(gates)
    let deaths = 0
    const env = {
      FAULTS_STORE: address,
      FAULTS_GATES: gates,
      FAULTS_SHIPPED: shippedPath,
      FAULTS_DROPS: String(DROPS),
      FAULTS_DIES: String(DIES),
    }
    const mill = { store: address, modelUrl: model.url, leaseMs: LEASE_MS, agents, env }
    const places = createMillSlots({
      size: work.servers,
      open: () => openMill(mill),
      onDeath: async () => void deaths++,
    })
    try {
      const signal = AbortSignal.any([trial.signal, places.broken])
      // Every pending request adds a listener.
      setMaxListeners(Infinity, signal)
      await places.filled()
      const store = await openStore(address)
      try {
        const { below: random } = createSeeded(work.seed)
        const stage = { living: places.living, store, gates, shippedPath, random, signal }
        const tally = await playAll(stage, work, trial)
        return describe(work, tally, deaths)
      } finally {
        await store.close()
      }
    } finally {
      await places.close()
    }
  })
}

async function playAll(
  stage: CommandStage,
  { rounds, where }: CommandsWork,
  { onProgress }: TrialOptions,
): Promise<CommandTally> {
  const tally = createCommandTally()
  await inParallel(Array(rounds).keys(), WIDTH, async (number) => {
    const kind = roundKinds[number % roundKinds.length] ?? 'steers'
    try {
      await judgeCommands(tally, stage, await playRound(stage, kind))
    } catch (error) {
      stage.signal.throwIfAborted()
      tally.faults.push(inspect(error))
    }
    onProgress(tally.rounds, rounds, `rounds, ${where}`)
  })
  return tally
}

function describe(
  { where, rounds, seed }: CommandsWork,
  tally: CommandTally,
  deaths: number,
): Finding {
  const { acknowledged, unanswered, refused, lost, duplicated, faults } = tally
  const figures = [
    `${tally.rounds} of ${rounds} rounds, ${deaths} deaths`,
    `${acknowledged} acknowledged, ${refused} refused, ${unanswered} without an answer`,
    `${lost} lost, ${duplicated} duplicated, ${tally.void} void as their run was stopped`,
    `seed ${seed}`,
  ].join('; ')
  const what = 'conflicting commands, half of the wake-ups dropped, kill -9 around storing them'
  return { what, where, figures, bound: '0 lost, 0 duplicated', faults }
}
