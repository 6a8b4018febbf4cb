import type { Permit } from '../../events/index.ts'
import { type ErrorCode, isMillraceError, MillraceError } from '../../errors/index.ts'
import { ageOf, currentMoment, type Moment } from '../timing.ts'
import { leaseOf, type RunServices } from '../runs/run-services.ts'

/** A lease is renewed so many times before it would lapse, and counts as confirmed for as long as from one to the next. */
const RENEWALS = 3

/** A store that fails is asked again after so long. */
const RETRY_MS = 250

/** The lease of a run. */
export interface LeaseOptions {
  readonly session: string
  readonly log: string
  readonly epoch: number
  /** The version of the inbox that is known. */
  readonly inbox: number
  /** Called when the store tells of commands that are not known. */
  readonly onCommands: () => void
  /** Called when the session was taken over or removed, or the store does not answer for as long as a lease lasts. */
  readonly onLost: (reason: MillraceError) => void
}

/** Keeps the lease of a run, and knows when the store has last confirmed it. */
export interface LeaseRenewal {
  /** Notes that the store has accepted what was sent at a moment, as an append, which it refuses to anyone but the holder. */
  readonly confirm: (sentAt: Moment) => void
  /** Gives nothing if the lease was confirmed of late; else asks the store, and resolves when it has confirmed or refused. */
  readonly permit: Permit
  /** The same as an answer: false if the lease is lost. */
  readonly isHeld: () => Promise<boolean>
  stop(): void
}

/**
 * Renews the lease on a run as long as it goes on, and ends the run if its session was taken over or removed: its
 * next append would fail, but a long tool may not write for minutes, and a process that was stopped must not spend.
 */
export function renewLease(
  services: RunServices,
  { session, log, epoch, onLost, onCommands, ...known }: LeaseOptions,
): LeaseRenewal {
  const { store, leaseMs, onError } = services
  let confirmedAt: Moment | undefined
  let renewal: Promise<boolean> | undefined
  let { inbox } = known
  let isOver = false

  const confirm = (sentAt: Moment): void => {
    confirmedAt = sentAt
  }

  const send = async (): Promise<boolean> => {
    const sentAt = currentMoment()
    try {
      const renewed = await store.renew(session, epoch, leaseOf(services), log)
      confirm(sentAt)
      if (renewed.inbox !== inbox && !isOver) onCommands()
      inbox = renewed.inbox
      return true
    } catch (error) {
      const reason = isMillraceError(error) ? endings[error.code]?.(session) : undefined
      if (reason === undefined) onError(error, { session })
      else lose(reason)
      return false
    } finally {
      renewal = undefined
    }
  }

  const lose = (reason: MillraceError): void => {
    if (!isOver) onLost(reason)
    isOver = true
  }

  /** A store that is slow is not asked again before it has answered. */
  const renew = (): Promise<boolean> => (renewal ??= send())

  const isConfirmed = (): boolean =>
    confirmedAt !== undefined && ageOf(confirmedAt) < leaseMs / RENEWALS

  const ask = async (): Promise<void> => {
    const since = currentMoment()
    while (!isOver && !isConfirmed()) {
      const isRenewed = await renew()
      if (isOver || isConfirmed()) return
      // A store may take longer to answer than its answer counts.
      if (ageOf(since) >= leaseMs) return lose(unconfirmed(session))
      if (!isRenewed) await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
    }
  }

  const permit: Permit = () => (isConfirmed() ? undefined : ask())

  const timer = setInterval(() => void renew(), leaseMs / RENEWALS)
  return {
    confirm,
    permit,
    isHeld: async () => {
      await permit()
      return !isOver
    },
    stop: () => {
      isOver = true
      clearInterval(timer)
    },
  }
}

/** Why a run cannot go on, by what its renewal was refused with. */
const endings: Readonly<Partial<Record<ErrorCode, (session: string) => MillraceError>>> = {
  lease_lost: (session) =>
    new MillraceError('lease_lost', `Another server carries on session ${session}.`),
  not_found: removedInRun,
}

/** Says why the run of a session that was removed ends. */
export function removedInRun(session: string): MillraceError {
  return new MillraceError('not_found', `Session ${session} was removed during its run.`)
}

function unconfirmed(session: string): MillraceError {
  return new MillraceError(
    'store_unavailable',
    `The store did not confirm the lease on session ${session}; the run may be carried on elsewhere, so no model or tool is called. Check that the store can be reached.`,
  )
}
