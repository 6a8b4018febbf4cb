import type { Permit } from '../../events/index.ts'
import { type ErrorCode, isMillraceError, MillraceError } from '../../errors/index.ts'
import { ageOf, currentMoment, type Moment } from '../timing.ts'
import { leaseOf, type RunServices } from '../runs/run-services.ts'

/** Number of renewals in the duration of a lease. A confirmation is valid until the next renewal. */
const RENEWALS = 3

/** Delay before a failed request to the store is repeated. */
const RETRY_MS = 250

interface LeaseOptions {
  readonly session: string
  readonly log: string
  readonly epoch: number
  /** The known version of the inbox. */
  readonly inbox: number
  /** Called when the store has unknown commands. */
  readonly onCommands: () => void
  /** Called when the session was taken over or removed, or when all renewals fail for the duration of a lease. */
  readonly onLost: (reason: MillraceError) => void
}

/** Renews the lease of a run and records its last confirmation. */
interface LeaseRenewal {
  /** Records that the store accepted a request sent at this moment, such as an append, which only the holder of the lease can make. */
  readonly confirm: (sentAt: Moment) => void
  /** Returns nothing if the lease was confirmed recently; else resolves when the store confirms or refuses it. */
  readonly permit: Permit
  /** Awaits the permit; false if the lease is lost. */
  readonly isHeld: () => Promise<boolean>
  stop(): void
}

/**
 * Renews the lease of an active run, and ends the run if its session was taken over or removed. The next append would fail anyway, but a
 * long tool may not write for minutes, and a suspended process must not cause cost.
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
      const reason = isMillraceError(error) ? endings[error.code]?.(session, error) : undefined
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

  /** Sends one renewal at a time, even if the store is slow. */
  const renew = (): Promise<boolean> => (renewal ??= send())

  const isConfirmedWithin = (ms: number): boolean =>
    confirmedAt !== undefined && ageOf(confirmedAt) < ms

  const isConfirmed = (): boolean => isConfirmedWithin(leaseMs / RENEWALS)

  const permit: Permit = () =>
    isConfirmed()
      ? undefined
      : untilConfirmed({
          renew,
          // A slow answer confirms the rest of the lease.
          isDone: () => isOver || isConfirmedWithin(leaseMs),
          fail: () => lose(unconfirmed(session)),
          leaseMs,
        })

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

/** A lease that its holder must have confirmed. */
interface Unconfirmed {
  readonly renew: () => Promise<boolean>
  readonly isDone: () => boolean
  /** Called after renewals failed for `leaseMs`. */
  readonly fail: () => void
  readonly leaseMs: number
}

/** Renews a lease until the store confirms or refuses it, or has failed for the duration of a lease. */
async function untilConfirmed({ renew, isDone, fail, leaseMs }: Unconfirmed): Promise<void> {
  let answeredAt = currentMoment()
  do {
    if (await renew()) answeredAt = currentMoment()
    else if (ageOf(answeredAt) >= leaseMs) return fail()
    else if (!isDone()) await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
  } while (!isDone())
}

/** The reasons why a run ends, by the error of its renewal. */
const endings: Readonly<
  Partial<Record<ErrorCode, (session: string, error: MillraceError) => MillraceError>>
> = {
  lease_lost: (session) =>
    new MillraceError('lease_lost', `Another server has taken over session ${session}.`),
  not_found: removedInRun,
  log_truncated: (_, error) => error,
}

/** Creates the error for the run of a removed session. */
export function removedInRun(session: string): MillraceError {
  return new MillraceError('not_found', `Session ${session} was removed during its run.`)
}

function unconfirmed(session: string): MillraceError {
  return new MillraceError(
    'store_unavailable',
    `The store did not confirm the lease on session ${session}; another server may have taken over the run, so no model or tool is called. Check that the store can be reached.`,
  )
}
