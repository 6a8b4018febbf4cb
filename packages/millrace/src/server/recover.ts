import { totalsOf } from '../agent/index.ts'
import { createEnvelopeWriter } from '../dialects/index.ts'
import { noUsage } from '../events/index.ts'
import type { SessionInfo } from '../store/index.ts'
import { launch } from './launch.ts'
import { repairLog } from './repair-log.ts'
import { inPlace, leaseOf, type RunContext, toStoredSession } from './run-context.ts'
import { encodeRecord, type StoredSession } from './session-record.ts'

/**
 * Carries on a run whose process has died or handed it over: what it left open in the log is closed, a step that was
 * cut is made again. False if there is nothing to carry on. Needs the session's lock.
 */
export async function recover(context: RunContext, session: string): Promise<boolean> {
  if (context.runs.has(session)) return false
  return inPlace(context, session, async () => {
    const info = await context.store.open(session, leaseOf(context))
    const stored = toStoredSession(info)
    if (stored?.status === 'running') return carryOn(context, info, stored)
    const { epoch, tail } = info
    await context.store.append({ session, epoch, tail, lines: [], lease: 'release' })
    return false
  })
}

async function carryOn(
  context: RunContext,
  info: SessionInfo,
  stored: StoredSession,
): Promise<boolean> {
  const { session } = info
  const { state, question, stop, agentType } = stored
  const { lines: repair, hasFailed } = await repairLog(context.store, info, stored)
  const isOffered = Object.hasOwn(context.agents, agentType)
  if (hasFailed || !isOffered || (state === undefined && question === undefined)) {
    await endLost(context, info, stored, repair)
    return false
  }
  const from = state === undefined ? { agent: session } : { state }
  const asked = {
    ...(question !== undefined && { prompt: question }),
    ...(stop !== undefined && { stop }),
  }
  await launch(context, { info, stored, repair, input: { ...from, ...asked } })
  return true
}

/** Ends a run that nobody can carry on. */
async function endLost(
  { store, now }: RunContext,
  { session, epoch, tail }: SessionInfo,
  stored: StoredSession,
  repair: readonly Uint8Array[],
): Promise<void> {
  const { state } = stored
  const spent = state === undefined ? { usage: noUsage } : totalsOf(state)
  const { steps = 0 } = state ?? {}
  const stopReason = 'error'
  const end = { type: 'run_end', agent: session, stopReason, steps, ...spent } as const
  const lines = createEnvelopeWriter().write({ ...end, messages: [], files: [] })
  const { question: _question, stop: _stop, ...rest } = stored
  const record = encodeRecord({ ...rest, status: 'ended', stopReason, updatedAt: now() })
  const encoder = new TextEncoder()
  const all = [...repair, ...lines.map((line) => encoder.encode(line))]
  await store.append({ session, epoch, tail, lines: all, record, lease: 'release' })
}
