import { findVoidSteps } from '../feeds/find-void-steps.ts'
import type { VoidSteps } from '../feeds/void-steps.ts'
import { findRunStart } from './find-run-start.ts'
import type { ReadFramesOptions } from './log-reader.ts'
import { findPayloadStart } from '../views/payload-start.ts'

/** Where a reader begins to look, and what is left out for it. */
export interface ReadStart {
  /** The id after which messages are looked at; those up to the reader's cursor change what it is sent after that. */
  readonly after: number
  readonly voidSteps?: VoidSteps
}

/** Tells whether a reader must look back before it reads on. */
export function needsStart(options: ReadFramesOptions): boolean {
  const { view, dialect } = options
  return view !== undefined || dialect !== undefined || mayHide(options)
}

/** Finds where to begin for a reader in a dialect, with a view, or behind a rollback. */
export async function findStart(options: ReadFramesOptions): Promise<ReadStart> {
  const { store, view, dialect, after } = options
  const isHiding = mayHide(options)
  const run = dialect !== undefined || isHiding ? await findRunStart(store, options, after) : after
  const own = view === undefined ? after : await findPayloadStart(store, view, after)
  const begin = { after: dialect === undefined ? own : run }
  if (!isHiding) return begin
  const { tail = after, lastRollback = tail } = options
  const upTo = Math.min(tail, lastRollback)
  const voidSteps = await findVoidSteps({ ...options, start: run, upTo })
  return voidSteps.isEmpty ? begin : { ...begin, voidSteps }
}

/** Whether something that the reader catches up with may be void. A reader of every single message gets all. [LOG-10] */
function mayHide(options: ReadFramesOptions): boolean {
  const { after, tail = 0, lastRollback = tail, hidden = [], isCompact = true } = options
  return isCompact && (Math.min(tail, lastRollback) > after || hidden.length > 0)
}
