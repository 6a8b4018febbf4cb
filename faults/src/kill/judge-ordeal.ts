import { auditLog } from '../mill/audit-log.ts'
import { compareWithLog } from '../mill/compare-with-log.ts'
import { STEPS } from '../mill/open-model.ts'
import { retellConversation, retellFrames } from '../mill/retell-run.ts'
import type { Ordeal } from './run-ordeal.ts'

/** What a run is compared with: the same one that nothing happened to. */
export interface Undisturbed {
  readonly transcript: string
  readonly conversation: string
}

/** Keeps of an undisturbed run what others are compared with. */
export function toUndisturbed({ followed, conversation }: Ordeal): Undisturbed {
  return {
    transcript: retellFrames(followed.frames),
    conversation: retellConversation(conversation),
  }
}

/** Sums over many ordeals. */
export interface KillTally {
  runs: number
  kills: number
  gaps: number
  doubles: number
  changed: number
  /** Each thing that was not as it should be. */
  readonly faults: string[]
}

/** A tally of nothing yet. */
export function createKillTally(): KillTally {
  return { runs: 0, kills: 0, gaps: 0, doubles: 0, changed: 0, faults: [] }
}

/** Adds an ordeal to a tally. */
export function judgeOrdeal(
  tally: KillTally,
  ordeal: Ordeal,
  { name, undisturbed }: { readonly name: string; readonly undisturbed: Undisturbed },
): void {
  const { session, followed, kills, log, info } = ordeal
  tally.runs++
  tally.kills += kills
  const { gaps, doubles, changed } = compareWithLog(followed.frames, log)
  tally.gaps += gaps
  tally.doubles += doubles
  tally.changed += changed
  const wrong = [
    ...(gaps + doubles + changed === 0
      ? []
      : [`${gaps} gaps, ${doubles} duplicates, ${changed} changed`]),
    ...(log.length === info.tail ? [] : [`the log has ${log.length} of ${info.tail} messages`]),
    ...(info.epoch === kills + 1 ? [] : [`${info.epoch} epochs after ${kills} kills`]),
    ...auditLog(log),
    ...compareEnds(ordeal, undisturbed),
  ]
  tally.faults.push(...wrong.map((what) => `${name}, ${session}: ${what}`))
}

function compareEnds(
  { followed, conversation, requests, kills }: Ordeal,
  undisturbed: Undisturbed,
): string[] {
  const wrong: string[] = []
  if (retellFrames(followed.frames) !== undisturbed.transcript)
    wrong.push('the reader does not have in the end what it would have')
  if (retellConversation(conversation) !== undisturbed.conversation)
    wrong.push('the history is not what it would have been')
  // Each kill cuts one call of the model at most.
  if (requests > STEPS + kills)
    wrong.push(`the model was asked ${requests} times for ${STEPS} steps and ${kills} kills`)
  return wrong
}

/** Says what a tally holds, for the table. */
export function describeTally({ runs, kills, gaps, doubles, changed, faults }: KillTally): string {
  const counts = `${runs} runs, ${kills} kills: ${gaps} gaps, ${doubles} duplicates, ${changed} changed`
  if (faults.length > 0) return `${counts}; ${faults.length} faults`
  return `${counts}; epochs = kills + 1, every run ended as it would have`
}
