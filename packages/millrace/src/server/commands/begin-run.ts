import { isMillraceError, MillraceError } from '../../errors/index.ts'
import type { SessionInfo } from '../../stores/port/index.ts'
import { storePromptFiles } from '../files/prompt-files.ts'
import { mapStoreErrors } from '../map-store-errors.ts'
import { launch } from '../runs/launch.ts'
import { loadSession } from '../sessions/load-session.ts'
import { RecordWriter } from '../sessions/record-writer.ts'
import type { LogRange, RunServices } from '../runs/run-services.ts'
import { bytesOf, checkQuota, countingFiles } from '../sessions/session-quota.ts'
import { chooseAgentType, type PromptRequest, toPromptedSession } from './prompt-request.ts'
import { openIdle } from './open-idle.ts'
import { toReceipts } from './receipts.ts'

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
  await mapStoreErrors(storePromptFiles({ store: counting, session }, prompt))
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
  await mapStoreErrors(store.append({ session, log, epoch, tail, lines: [], lease: 'release' }))
}

/** Creates the error for a session with an active run. */
export function underWay(session: string): MillraceError {
  return new MillraceError(
    'conflict',
    `A run of this session is active. Read it with GET /agent/${session}/stream and send the prompt after its end, or with \`when_busy\`, or to another session.`,
    { details: { reason: 'busy' } },
  )
}
