import { MillraceError } from '../../../errors/index.ts'
import type { ProducerRequest, Verdict } from '../../port/index.ts'
import type { AgentState, Produced } from '../../state/index.ts'

/** The progress of a run before its first producer. */
export const notProduced: Produced = { epoch: 0, next: 0, steers: 0 }

/** The phase of a run. Its producer may append only while it is running. */
export type RunPhase = 'running' | 'paused' | 'over'

/** Returns the phase of a stored run. */
export function phaseOf({ pause, ended }: AgentState): RunPhase {
  if (pause !== undefined) return 'paused'
  return ended === undefined ? 'running' : 'over'
}

/** Judges a request of a producer by the progress of its run. Nothing changes. [PROD-2] */
export function judgeRequest(
  produced: Produced,
  request: ProducerRequest,
  phase: RunPhase,
): Verdict {
  if (request.type === 'open') {
    if (request.id === produced.opening) return { verdict: 'repeated' }
    return phase === 'running' ? { verdict: 'taken' } : refuse(notRunning(phase, produced))
  }
  const { epoch, seq, events } = request
  if (epoch !== produced.epoch || produced.opening === undefined)
    return refuse(superseded(epoch, produced))
  if (seq > produced.next) return refuse(gap(seq, produced))
  const last = seq + events.length
  if (last < produced.next || (last === produced.next && events.length > 0))
    return { verdict: 'repeated' }
  return phase === 'running' ? { verdict: 'taken' } : refuse(notRunning(phase, produced))
}

/** Rejects a request that ends a part of the run before its producer has read all messages to it. [PROD-6] */
export function checkSteers(given: number | undefined, { steers, next }: Produced): void {
  if (given === undefined || given >= steers) return
  throw new MillraceError(
    'conflict',
    `The run has ${steers} messages, of which the producer has read ${given}; read them on GET /agent/{uuid}/commands before you end or pause the run.`,
    { details: { reason: 'steers_unread', steers, next } },
  )
}

function refuse(error: MillraceError): Verdict {
  return { verdict: 'conflict', error }
}

function superseded(epoch: number, { epoch: current, opening }: Produced): MillraceError {
  return new MillraceError(
    'lease_lost',
    opening === undefined
      ? `No producer has opened this run yet; open it to get an epoch. Epoch ${epoch} belongs to an earlier run.`
      : `Epoch ${epoch} is not that of the producer of this run, which is ${current}; another producer has opened it. Stop, or open the run again.`,
    { details: { reason: 'epoch', epoch: current } },
  )
}

function gap(seq: number, { next }: Produced): MillraceError {
  return new MillraceError(
    'conflict',
    `\`seq\` is ${seq}, but the next event is number ${next}; send the events from ${next} on.`,
    { details: { reason: 'gap', next } },
  )
}

function notRunning(phase: 'paused' | 'over', { next }: Produced): MillraceError {
  return new MillraceError(
    'conflict',
    phase === 'paused'
      ? 'The run is paused until its calls are answered; GET /agent/{uuid}/commands reports the answers.'
      : 'The run is over, so it takes no more events; a new prompt starts the next run.',
    { details: { reason: phase, next } },
  )
}
