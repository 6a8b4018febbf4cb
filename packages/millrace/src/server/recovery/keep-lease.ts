import { type ErrorCode, isMillraceError, MillraceError } from '../../errors/index.ts'
import type { Run } from '../run.ts'
import { leaseOf, type RunContext } from '../run-context.ts'

/** A lease is renewed so many times before it would lapse. */
const RENEWALS = 3

/** Whose lease is kept, and what ends when it is lost. */
export interface KeptLease {
  readonly session: string
  readonly epoch: number
  readonly run: Run
}

/**
 * Renews the lease on a run as long as it goes on, and ends the run if its session was taken over or removed: its
 * next append would fail, but a long tool may not write for minutes. Gives what stops it.
 */
export function keepLease(context: RunContext, { session, epoch, run }: KeptLease): () => void {
  const { store, leaseMs, onError } = context
  let isRenewing = false
  const renew = async (): Promise<void> => {
    // A store that is slow is not asked again before it has answered.
    if (isRenewing) return
    isRenewing = true
    try {
      await store.renew(session, epoch, leaseOf(context))
    } catch (error) {
      const reason = isMillraceError(error) ? endings[error.code]?.(session) : undefined
      if (reason === undefined) onError(error, { session })
      else run.abort(reason)
    } finally {
      isRenewing = false
    }
  }
  const timer = setInterval(() => void renew(), leaseMs / RENEWALS)
  return () => clearInterval(timer)
}

/** Why a run cannot go on, by what its renewal was refused with. */
const endings: Readonly<Partial<Record<ErrorCode, (session: string) => MillraceError>>> = {
  lease_lost: (session) =>
    new MillraceError('lease_lost', `Another server carries on session ${session}.`),
  not_found: (session) =>
    new MillraceError('not_found', `Session ${session} was removed during its run.`),
}
