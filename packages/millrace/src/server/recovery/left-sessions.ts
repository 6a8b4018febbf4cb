import { MillraceError } from '../../errors/index.ts'
import type { SessionInfo } from '../../stores/port/index.ts'
import { findAgent, type RunsOptions } from '../runs/run-services.ts'
import { headOf } from '../sessions/load-session.ts'
import { ageOf, currentMoment, type Moment } from '../timing.ts'

/** The duration, in leases, for which a session is left to servers that offer its agent. */
const LEFT_LEASES = 20
/** Maximum sessions in memory; the oldest are dropped, and left for longer. */
const MAX_SESSIONS = 10_000

interface Left {
  readonly log: string
  readonly epoch: number
  readonly since: Moment
}

/** The sessions that this server leaves to others, because it does not offer their agents. */
export interface LeftSessions {
  /** Whether another server may still offer the agent of a session, so that this one must not end its run or prompts. */
  isLeft(info: SessionInfo): boolean
}

/** Creates the record of sessions that a server leaves to others. */
export function createLeftSessions({
  agents,
  leaseMs,
}: Pick<RunsOptions, 'agents' | 'leaseMs'>): LeftSessions {
  // A Map keeps the order of insertion.
  const found = new Map<string, Left>()
  return {
    isLeft: (info) => {
      const { session, log, epoch } = info
      const head = headOf(info)
      if (head === undefined || findAgent(agents, head) !== undefined) return false
      const known = found.get(session)
      // A server that has opened the session since has begun another wait.
      if (known?.log === log && known.epoch === epoch)
        return ageOf(known.since) < LEFT_LEASES * leaseMs
      found.delete(session)
      found.set(session, { log, epoch, since: currentMoment() })
      const [oldest] = found.keys()
      if (found.size > MAX_SESSIONS && oldest !== undefined) found.delete(oldest)
      return true
    },
  }
}

/** Creates the error for a command to a lost run that is left to other servers. */
export function leftToOthers(info: SessionInfo): MillraceError {
  const { agentType = '' } = headOf(info) ?? {}
  return new MillraceError(
    'overloaded',
    `The run of this session was lost, and this server does not offer its agent ${agentType}; another server may. Try again in a moment.`,
    { details: { reason: LEFT } },
  )
}

const LEFT = 'agent_elsewhere'

/** Checks for the error of a session that is left to other servers. */
export function isLeftToOthers(error: MillraceError): boolean {
  return error.details['reason'] === LEFT
}
