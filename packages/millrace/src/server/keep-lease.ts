import { isMillraceError, MillraceError } from '../errors/index.ts'
import type { Run } from './run.ts'
import { leaseOf, type RunContext } from './run-context.ts'

/** A lease is renewed so many times before it would lapse. */
const RENEWALS = 3

/** Whose lease is kept, and what ends when it is lost. */
export interface KeptLease {
  readonly session: string
  readonly epoch: number
  readonly run: Run
}

/**
 * Renews the lease on a run as long as it goes on, and ends the run if another server has taken it over: its next
 * append would fail, but a long tool may not write for minutes. Gives what stops it.
 */
export function keepLease(context: RunContext, { session, epoch, run }: KeptLease): () => void {
  const { store, leaseMs, onError } = context
  const renew = async (): Promise<void> => {
    try {
      await store.renew(session, epoch, leaseOf(context))
    } catch (error) {
      if (isMillraceError(error) && error.code === 'lease_lost') run.abort(takenOver(session))
      else onError(error, { session })
    }
  }
  const timer = setInterval(() => void renew(), leaseMs / RENEWALS)
  return () => clearInterval(timer)
}

function takenOver(session: string): MillraceError {
  return new MillraceError('lease_lost', `Another server carries on session ${session}.`)
}
