import { badRequest, checkOptions } from '../../../errors/index.ts'
import { offerToStored } from '../../calls/offer.ts'
import type { Agent, Offer, ProducerRequest, StoredState } from '../../port/index.ts'
import { readRun, readState } from '../../state/index.ts'
import { checkLoop, type LoopOptions } from '../from-events.ts'
import { ledgerOf } from './call-ledger.ts'
import { judgeRequest, notProduced, phaseOf } from './judge-request.ts'
import { openProducedRun, type RunToProduce } from './produced-run.ts'
import { toOpenReply } from './to-open-reply.ts'

/** Options of {@link fromProducer}. */
export interface ProducerAgentOptions extends LoopOptions {
  /**
   * Starts the process that produces a run, such as a job. It is called when a run begins or continues after a pause, and again when another
   * server recovers it, so that the same run may be started twice: the newer producer then takes over. Without it, a process with the id
   * of the session opens the run itself. If it throws, the run fails.
   */
  readonly start?: (run: RunToProduce) => unknown
  /** Time without a request of a producer after which a run ends with an error, 5 minutes by default. */
  readonly timeoutMs?: number
}

const TIMEOUT_MS = 300_000

/** Creates an agent whose runs are produced by other processes, which append events with `POST /agent/{uuid}/events`. */
export function fromProducer(options: ProducerAgentOptions): Agent {
  checkOptions('fromProducer', options, {
    name: 'string',
    description: 'string',
    model: 'string',
    start: 'function',
    timeoutMs: 'number',
  })
  checkLoop('fromProducer', options, 'continue')
  const { name, description, model, timeoutMs = TIMEOUT_MS } = options
  if (!(timeoutMs > 0 && timeoutMs < 2 ** 31))
    throw badRequest(
      `The option \`timeoutMs\` of \`fromProducer\` is ${timeoutMs}; it must be a number of milliseconds above 0 and below 2^31.`,
    )
  return {
    name,
    ...(description !== undefined && { description }),
    ...(model !== undefined && { model }),
    recovery: 'continue',
    run: (start, given = {}) => openProducedRun({ ...options, timeoutMs }, start, given),
    offer: (stored, command) =>
      command.type === 'produce'
        ? offerRequest(stored, command.request)
        : offerToStored(stored, command),
    conversation: readRun,
  }
}

/** Judges a request by the stored state of a run, which has its effect if it was taken before. */
async function offerRequest(stored: StoredState, request: ProducerRequest): Promise<Offer> {
  const read = await readState(stored)
  if (read === undefined) return { verdict: 'unknown', resumes: false }
  const { state } = read
  const { produced = notProduced } = state
  const verdict = judgeRequest(produced, request, phaseOf(state))
  // The server of the run has refused a wrong event without a reply to the server that passed it on.
  if (verdict.verdict === 'taken' && request.type === 'append')
    ledgerOf(state).takeFresh(request, produced)
  if (verdict.verdict !== 'repeated') return { ...verdict, resumes: false }
  const { epoch, next } = produced
  const reply = request.type === 'open' ? toOpenReply(state) : { epoch, next }
  return { verdict: 'repeated', resumes: false, reply: Promise.resolve(reply) }
}
