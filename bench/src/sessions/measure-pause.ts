import type { Sessions } from './open-sessions.ts'

/** A turn of the event loop. */
interface Turn {
  /** The lesser of the elapsed milliseconds and the CPU milliseconds of the process. */
  readonly ms: number
  /** The number of interruptions by other processes meanwhile. */
  readonly interruptions: number
}

/** The pauses of the event loop, in milliseconds. */
interface Pauses {
  /** The pause of the first round, with uncompiled code. */
  readonly first: number
  /** The longest pause of the judged rounds. */
  readonly worst: number
  /** The number of judged rounds. */
  readonly judged: number
  /** The most interruptions by others in a judged round. */
  readonly interruptions: number
}

/** Where readers return, and how many of them at once. */
interface Return {
  readonly sessions: Sessions
  readonly path: string
  readonly readers: number
}

/** The time in which the readers get the frames that they missed. */
const SETTLE_MS = 20
/** Rounds until V8 has compiled the code; before, a pause is up to six times as long. */
const WARM_UP_ROUNDS = 30
const JUDGED_ROUNDS = 8
const MAX_ROUNDS = 80
/** A round with more interruptions shows other processes: they empty the caches and add to the CPU of the rest, up to five times. */
const QUIET_INTERRUPTIONS = 1

/**
 * Measures rounds in which many readers return at once, until enough of them were not disturbed. The worst of these counts, or, on a
 * machine that is never quiet, of the least interrupted ones.
 */
export async function measurePauses(given: Return): Promise<Pauses> {
  const [first] = await measureRounds(given, WARM_UP_ROUNDS)
  globalThis.gc?.()
  // A full collection drops optimised code.
  await measureRounds(given, WARM_UP_ROUNDS)
  const turns: Turn[] = []
  const isQuiet = ({ interruptions }: Turn): boolean => interruptions <= QUIET_INTERRUPTIONS
  while (turns.length < MAX_ROUNDS && turns.filter(isQuiet).length < JUDGED_ROUNDS)
    turns.push(await measurePause(given))
  const judged = turns.toSorted((a, b) => a.interruptions - b.interruptions).slice(0, JUDGED_ROUNDS)
  return {
    first: first?.ms ?? NaN,
    worst: Math.max(...judged.map(({ ms }) => ms)),
    judged: judged.length,
    interruptions: Math.max(...judged.map(({ interruptions }) => interruptions)),
  }
}

async function measureRounds(given: Return, rounds: number): Promise<readonly Turn[]> {
  const turns: Turn[] = []
  while (turns.length < rounds) turns.push(await measurePause(given))
  return turns
}

/**
 * The longest turn of the event loop while many readers connect at once. Other processes add to its time by the clock, other threads of
 * this process to its CPU; both are at least the time of its thread, so the lower one counts. A reader that returns writes nothing, so no
 * turn waits for the disk.
 */
async function measurePause({ sessions, path, readers }: Return): Promise<Turn> {
  const turns = watchTurns()
  const responses = await Promise.all(Array.from({ length: readers }, () => sessions.get(path)))
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS))
  const longest = turns.stop()
  await Promise.all(responses.map(async (response) => response.body?.cancel()))
  return longest
}

/** Watches the turns of the event loop until it is stopped; then returns the longest one. */
function watchTurns(): { stop(): Turn } {
  let longest: Turn = { ms: 0, interruptions: 0 }
  let isOver = false
  let cpu = process.cpuUsage()
  let clock = performance.now()
  let switches = process.resourceUsage().involuntaryContextSwitches
  const take = (): void => {
    const { user, system } = process.cpuUsage(cpu)
    const ms = Math.min((user + system) / 1_000, performance.now() - clock)
    const now = process.resourceUsage().involuntaryContextSwitches
    if (ms > longest.ms) longest = { ms, interruptions: now - switches }
    switches = now
    cpu = process.cpuUsage()
    clock = performance.now()
  }
  const endTurn = (): void => {
    if (isOver) return
    take()
    setImmediate(endTurn)
  }
  setImmediate(endTurn)
  return {
    stop: () => {
      isOver = true
      take()
      return longest
    },
  }
}
