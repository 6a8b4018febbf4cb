import { auditLog } from '../mill/audit-log.ts'
import { compareWithLog } from '../mill/compare-with-log.ts'
import { findDifference } from '../mill/find-difference.ts'
import type { LoggedLine } from '../mill/open-mill.ts'
import { STEPS } from '../mill/open-model.ts'
import { summarizeConversation, summarizeFrames } from '../mill/summarize-run.ts'
import type { KilledRun } from './run-with-kills.ts'

/** The reference of a run: the same one without faults. */
export interface Undisturbed {
  readonly transcript: string
  readonly conversation: string
}

/** Extracts the reference from a run without faults. */
export function toUndisturbed({ followed, conversation }: KilledRun): Undisturbed {
  return {
    transcript: summarizeFrames(followed.frames),
    conversation: summarizeConversation(conversation),
  }
}

/** Sums over many killed runs. */
export interface KillTally {
  runs: number
  kills: number
  /** Take-overs from servers that were alive, but did not get the processor in time to renew their leases. */
  lapses: number
  gaps: number
  doubles: number
  changed: number
  /** Each defect. */
  readonly faults: string[]
}

/** Creates an empty tally. */
export function createKillTally(): KillTally {
  return { runs: 0, kills: 0, lapses: 0, gaps: 0, doubles: 0, changed: 0, faults: [] }
}

/** Adds a killed run to a tally. */
export function judgeKilledRun(
  tally: KillTally,
  killedRun: KilledRun,
  { name, undisturbed }: { readonly name: string; readonly undisturbed: Undisturbed },
): void {
  const { session, followed, kills, log, info } = killedRun
  // A lease may expire on a busy machine, and another server then takes over: the epoch separates both, not the lease.
  const lapses = info.epoch - kills - 1
  tally.runs++
  tally.kills += kills
  tally.lapses += Math.max(0, lapses)
  const { gaps, doubles, changed } = compareWithLog(followed.frames, log)
  tally.gaps += gaps
  tally.doubles += doubles
  tally.changed += changed
  const wrong = [
    ...(gaps + doubles + changed === 0
      ? []
      : [`${gaps} gaps, ${doubles} duplicates, ${changed} changed`]),
    ...(log.length === info.tail ? [] : [`the log has ${log.length} of ${info.tail} frames`]),
    ...(lapses >= 0 ? [] : [`${info.epoch} epochs after ${kills} kills`]),
    ...auditLog(log),
    ...compareEnds(killedRun, undisturbed),
  ]
  tally.faults.push(...wrong.map((what) => `${name}, ${session}: ${what}`))
}

function compareEnds(
  { followed, conversation, requests, kills, info }: KilledRun,
  undisturbed: Undisturbed,
): string[] {
  const wrong: string[] = []
  const shown = findDifference(summarizeFrames(followed.frames), undisturbed.transcript)
  if (shown !== undefined) wrong.push(`the content of the reader differs: ${shown}`)
  const kept = findDifference(summarizeConversation(conversation), undisturbed.conversation)
  if (kept !== undefined) wrong.push(`the history differs: ${kept}`)
  // Each take-over cuts one call of the model at most.
  const takeOvers = info.epoch - 1
  if (requests > STEPS + takeOvers)
    wrong.push(
      `the model was called ${requests} times for ${STEPS} steps, ${kills} kills and ${takeOvers} take-overs`,
    )
  return wrong
}

/** Describes a tally for the table. */
export function describeTally(tally: KillTally): string {
  const { runs, kills, lapses, gaps, doubles, changed, faults } = tally
  const counts = `${runs} runs, ${kills} kills: ${gaps} gaps, ${doubles} duplicates, ${changed} changed`
  if (faults.length > 0) return `${counts}; ${faults.length} faults`
  const epochs =
    lapses === 0 ? 'epochs = kills + 1' : `epochs = kills + 1 + ${lapses} leases lapsed`
  return `${counts}; ${epochs}, every run ended as without the fault`
}

/** Checks for the log line of a server that has lost a run to another one. */
export function isOfLapse({ event, error, stop_reason: stopReason }: LoggedLine): boolean {
  if (event === 'run_ended') return stopReason === 'lost'
  return (error as { readonly code?: unknown } | undefined)?.code === 'lease_lost'
}
