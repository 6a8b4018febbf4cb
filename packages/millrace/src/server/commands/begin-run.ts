import { isMillraceError, MillraceError } from '../../errors/index.ts'
import type { SessionInfo } from '../../stores/port/index.ts'
import { storePromptFiles } from '../files/prompt-files.ts'
import { checkOwner } from '../access/check-owner.ts'
import { removedInRun } from '../recovery/renew-lease.ts'
import { launch } from '../runs/launch.ts'
import { isElsewhere, type LogRange, type RunServices, withRunSlot } from '../runs/run-services.ts'
import { headOf, loadSession } from '../sessions/load-session.ts'
import { bytesOf, checkQuota, countingFiles } from '../sessions/quota.ts'
import { RecordWriter } from '../sessions/record-writer.ts'
import { openIdle } from './open-idle.ts'
import { chooseAgentType, type PromptRequest, toPromptedSession } from './prompt-request.ts'
import { enqueue, findBusy, readQueued } from './queue.ts'
import { findReceipt, hasFailed, toReceipts } from './receipts.ts'

/** A session as it was read. */
interface BeginPlace {
  readonly known: SessionInfo | undefined
  /** The version of the inbox at which the run may start; any if absent. */
  readonly inbox?: number
}

/** Starts a run with a prompt, and stores its receipt with the start. Requires the session's lock and a run slot. */
export async function beginRun(
  services: RunServices,
  request: PromptRequest,
  { known, inbox }: BeginPlace,
): Promise<LogRange> {
  const { store, agents, defaultAgent, titles, now, maxSessionBytes: max, ownerQuota } = services
  const { session, prompt, key } = request
  const loaded = await loadSession(store, known)
  const before = loaded?.stored
  const record = loaded?.writer ?? new RecordWriter()
  const publish = { offered: Object.keys(agents), defaultAgent }
  const agentType = chooseAgentType(request, before, publish)
  const bytes = await bytesOf(store, known)
  checkQuota(session, bytes, { max })
  const { owner = null } = known ?? request
  await ownerQuota.check(owner)
  const info = await openIdle(services, session, known, owner)
  if (before === undefined) record.count(bytes)
  record.follow((added) => ownerQuota.add(info.owner, added))
  const counting = countingFiles(store, (added) => record.count(added))
  await storePromptFiles({ store: counting, session }, prompt)
  const firstId = info.tail + 1
  const stored = toPromptedSession(before, request, { agentType, now: now(), firstId })
  if (before === undefined) titles.seek(session, prompt, request.context)
  const commands = toReceipts(key, { run: stored.runs, first: firstId })
  const fence = inbox === undefined ? {} : { inbox }
  try {
    return await launch(services, { info, stored, record, commands, ...fence })
  } catch (error) {
    if (isMillraceError(error) && error.details['inbox'] !== undefined)
      await release(services, info)
    throw error
  }
}

/** Releases the lease of a session in which no run has started, so that no other server waits for it. */
async function release({ store }: RunServices, info: SessionInfo): Promise<void> {
  const { session, log, epoch, tail } = info
  await store.append({ session, log, epoch, tail, lines: [], lease: 'release' })
}

/** Creates the error for a session with an active run. */
function underWay(session: string): MillraceError {
  return new MillraceError(
    'conflict',
    `A run of this session is active. Read it with GET /agent/${session}/stream and send the prompt after its end, or with \`when_busy\`, or to another session.`,
    { details: { reason: 'busy' } },
  )
}

/**
 * Starts a run with a prompt, in a new session if there is none. A repeated key returns the range of the first outcome.
 * While a run is active, `whenBusy` applies. Requires the session's lock.
 */
export async function ask(services: RunServices, request: PromptRequest): Promise<LogRange> {
  const { session, key, owner, whenBusy = 'reject' } = request
  const repeated = key && (await findRepeated(services, request))
  if (repeated !== undefined) return repeated
  checkOwner(await services.store.info(session), owner)
  const busy = whenBusy === 'reject' ? undefined : await findBusy(services, session, whenBusy)
  if (busy !== undefined && whenBusy !== 'reject')
    return enqueue(services, { ...request, whenBusy }, busy)
  await endOfActive(services, session)
  return withRunSlot(services, session, async () => {
    const known = await services.store.info(session)
    checkOwner(known, owner)
    if (isElsewhere(known)) throw underWay(session)
    // Another server may have started it since. Later changes are fenced by `known`.
    const since = key && (await findRepeated(services, request))
    return since ?? beginRun(services, request, { known })
  })
}

/** Finds the run that the first request with this key started. */
async function findRepeated(
  services: RunServices,
  { session, key, owner }: PromptRequest,
): Promise<LogRange | undefined> {
  const info = await services.store.info(session)
  checkOwner(info, owner)
  const receipt = await findReceipt(services.store, info, key)
  if (info === undefined || key === undefined || receipt === undefined) return undefined
  const head = key.reuse === 'after_failure' ? headOf(info) : undefined
  if (head !== undefined && hasFailed(head, receipt.run)) return undefined
  return readQueued(services, info, key)
}

/** Waits for a run that is ending: a client may send a prompt as soon as it has read the end. */
async function endOfActive({ runs, store }: RunServices, session: string): Promise<void> {
  const run = runs.get(session)
  if (run === undefined) return
  if (run.isEnding()) return run.over
  if ((await store.info(session))?.log === run.log) throw underWay(session)
  // The log was removed, so nothing is stored any more; the run must not block a new session with this id.
  run.abort(removedInRun(session))
  return run.over
}
