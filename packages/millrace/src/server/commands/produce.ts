import type { ProducerRequest, Verdict } from '../../agent/port/index.ts'
import { isMillraceError, MillraceError } from '../../errors/index.ts'
import type { JsonObject } from '../../json/index.ts'
import type { SessionInfo } from '../../stores/port/index.ts'
import { sleep } from '../../streams/index.ts'
import type { Run } from '../runs/run.ts'
import { closing, isElsewhere, offerToPaused, type RunServices } from '../runs/run-services.ts'
import { headOf, sessionMissing } from '../sessions/load-session.ts'
import { ageOf, currentMoment } from '../timing.ts'
import { encodeReceipt } from './receipts.ts'
import { passCommand } from './run-command.ts'
import { MAX_LEASES, RETRY_MS } from './stop.ts'

/** A request that was offered to the run of a session, or the session whose run another server has. */
type Offered =
  | { readonly verdict: Verdict; readonly run?: Run; readonly cursor: string }
  | { readonly elsewhere: SessionInfo }

type InTurn = <Result>(session: string, task: () => Promise<Result>) => Promise<Result>

/**
 * Passes a request of a producer to the run of a session, on this server or another. When this resolves, the effect is stored. A repeated
 * request has the same reply, also if the run has ended since. [PROD-2]
 */
export async function produce(
  services: RunServices,
  inTurn: InTurn,
  session: string,
  request: ProducerRequest,
  signal: AbortSignal,
): Promise<JsonObject> {
  const since = currentMoment()
  do {
    if (services.isClosing()) throw closing()
    // A producer that has gone must not become that of the run later.
    signal.throwIfAborted()
    const offered = await inTurn(session, () => offerRequest(services, session, request))
    const found =
      'elsewhere' in offered ? await passOn(services, offered.elsewhere, request, signal) : offered
    if (found === undefined) continue
    const { verdict, run, cursor } = found
    // Its server was lost a moment ago, and the run is recovered next time.
    if (run === undefined && verdict.verdict === 'taken') {
      await sleep(RETRY_MS, services.closed)
      continue
    }
    if (verdict.error?.code === 'overloaded') await run?.over
    else if (verdict.error !== undefined) throw verdict.error
    else if (verdict.reply === undefined) throw notProduced(session)
    const reply = await whenStored(verdict, run)
    if (reply !== undefined) return request.type === 'open' ? { ...reply, cursor } : reply
  } while (ageOf(since) < MAX_LEASES * services.leaseMs)
  throw new MillraceError(
    'overloaded',
    `The server of session ${session} has not taken the request; send it again in a moment.`,
  )
}

/** Passes the request of another server to a run, and waits until its effect is stored, if it has one. */
export async function passRequest(run: Run, request: ProducerRequest): Promise<void> {
  await run.begun
  await whenStored(run.offer({ type: 'produce', request }), run)
}

/** Offers a request to the run of a session. Requires the session's lock. */
async function offerRequest(
  services: RunServices,
  session: string,
  request: ProducerRequest,
): Promise<Offered> {
  const { store, runs } = services
  const here = runs.get(session)
  if (here?.isEnding() === true) await here.over
  const run = here?.isEnding() === true ? undefined : here
  const info = await store.info(session)
  if (info === undefined || headOf(info) === undefined) throw sessionMissing(session)
  if (run !== undefined && run.log === info.log) {
    await run.begun
    const cursor = `${run.lastWritten()}@${run.log}`
    return { verdict: run.offer({ type: 'produce', request }), run, cursor }
  }
  if (isElsewhere(info)) return { elsewhere: info }
  return offerToStored(services, info, request)
}

async function offerToStored(
  services: RunServices,
  info: SessionInfo,
  request: ProducerRequest,
): Promise<Exclude<Offered, { readonly elsewhere: SessionInfo }>> {
  const cursor = `${info.tail}@${info.log}`
  return { verdict: await offerToPaused(services, info, { type: 'produce', request }), cursor }
}

/** Resolves with the reply once the effect is stored; undefined if the run has ended, so that its state must be asked. */
async function whenStored(
  { reply }: Verdict,
  run: Run | undefined,
): Promise<JsonObject | undefined> {
  if (run === undefined) return reply
  try {
    const found = await reply
    await run.flush()
    return found
  } catch (error) {
    const isOver = isMillraceError(error) && ended.has(error.code)
    if (!isOver) throw error
    await run.over
    return undefined
  }
}

/** The run has ended or paused here, or another server has taken it over. */
const ended: ReadonlySet<string> = new Set(['overloaded', 'lease_lost'])

/** Passes a request to the server of a run, and reads its outcome from the stored state; undefined if that server is gone. */
async function passOn(
  services: RunServices,
  info: SessionInfo,
  request: ProducerRequest,
  signal: AbortSignal,
): Promise<Awaited<ReturnType<typeof offerToStored>> | undefined> {
  const { store, closed, leaseMs } = services
  const { session, log } = info
  const { command } = await passCommand(services, info, { type: 'produce', request })
  const since = currentMoment()
  while (ageOf(since) < leaseMs && !signal.aborted) {
    await sleep(RETRY_MS, closed)
    if (closed.aborted) throw closing()
    const known = await store.command(session, command.key, log)
    const now = await store.info(session)
    if (now === undefined) throw sessionMissing(session)
    if (known?.isPending === true) {
      if (isElsewhere(now)) continue
      break
    }
    const offered = await offerToStored(services, now, request)
    if (offered.verdict.verdict !== 'taken') return offered
    // It was settled without an effect, for example because its run was taken over meanwhile.
    return isSignOfLife(request) ? { ...offered, verdict: toSignOfLife(request) } : undefined
  }
  // It is sent again, or its sender has gone: it must not take effect later.
  const body = encodeReceipt({ state: 'void' })
  await store.settle(session, { key: command.key, body }, log)
  return undefined
}

type Append = Extract<ProducerRequest, { readonly type: 'append' }>

/** Checks for an append without events, whose effect no state shows. */
function isSignOfLife(request: ProducerRequest): request is Append {
  return request.type === 'append' && request.events.length === 0
}

function toSignOfLife({ epoch, seq }: Append): Verdict {
  return { verdict: 'repeated', reply: Promise.resolve({ epoch, next: seq }) }
}

function notProduced(session: string): MillraceError {
  return new MillraceError(
    'conflict',
    `The agent of session ${session} takes no events of other processes; only agents of fromProducer() do.`,
    { details: { reason: 'not_produced' } },
  )
}
