import type { Plan, StreamFacts, StreamReply } from '../../protocols/port/index.ts'
import type { Action } from '../handler-options.ts'
import type { LogRange } from '../runs/run-services.ts'
import { checkAccess } from '../access/check-access.ts'
import type { Identity } from '../access/identity.ts'
import type { ServerContext } from '../server-context.ts'

/** A request of a protocol while its plan is carried out. */
export interface PlannedRequest {
  readonly context: ServerContext
  readonly request: Request
  readonly protocol: string
  readonly session: string
  readonly plan: Plan
  /** Returns the sender, and throws unless it may do this; each action is authorized once. */
  readonly check: (action: Action) => Promise<Identity>
}

/** A checked plan that has not taken effect yet. */
export interface Outcome {
  /** Carries out the plan; resolves with the range to read. */
  readonly start: () => Promise<LogRange>
  /** Whether a run starts or continues. */
  readonly isRun: boolean
  readonly facts: OutcomeFacts
}

/** Facts for the format of a stream; the rest of them is the same for every outcome. */
export interface OutcomeFacts extends Partial<Pick<StreamFacts, 'waiting' | 'answered'>> {
  readonly shows: StreamFacts['shows']
  readonly needsOpening: boolean
  /** The number of the run that is shown; absent if it has not started. */
  readonly run?: number | undefined
}

/** A planned request that is answered with a stream. */
export interface StreamRequest extends PlannedRequest {
  readonly reply: StreamReply
}

/** Creates the access check of a request. */
export function createCheck(
  context: ServerContext,
  request: Request,
  session: string,
): PlannedRequest['check'] {
  const checks = new Map<Action, Promise<Identity>>()
  return (action) => {
    const known = checks.get(action) ?? checkAccess(context, request, action, session)
    checks.set(action, known)
    return known
  }
}
