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

/** A session that was looked at. */
export interface BeginPlace {
  readonly known: SessionInfo | undefined
  /** The version of the inbox that the run may begin at; any if absent. */
  readonly inbox?: number
}

/** Begins a run with a prompt, and keeps its receipt with the beginning. Needs the session's lock, and a place for the run. */
export async function beginRun(
  services: RunServices,
  question: PromptRequest,
  { known, inbox }: BeginPlace,
): Promise<LogRange> {
  const { store, agents, defaultAgent, titles, now, maxSessionBytes: max, ownerQuota } = services
  const { session, prompt, key } = question
  const loaded = await loadSession(store, known)
  const before = loaded?.stored
  const record = loaded?.writer ?? new RecordWriter()
  const publish = { offered: Object.keys(agents), defaultAgent }
  const agentType = chooseAgentType(question, before, publish)
  const bytes = await bytesOf(store, known)
  checkQuota(session, bytes, { max })
  const { owner = null } = known ?? question
  await ownerQuota.check(owner)
  const info = await openIdle(services, session, known, owner)
  if (before === undefined) record.count(bytes)
  record.follow((added) => ownerQuota.add(info.owner, added))
  const counting = countingFiles(store, (added) => record.count(added))
  await mapStoreErrors(storePromptFiles({ store: counting, session }, prompt))
  const firstId = info.tail + 1
  const stored = toPromptedSession(before, question, { agentType, now: now(), firstId })
  if (before === undefined) titles.seek(session, prompt)
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

/** Gives up the lease of a session in which nothing has begun, so that no other server waits for it. */
async function release({ store }: RunServices, info: SessionInfo): Promise<void> {
  const { session, log, epoch, tail } = info
  await mapStoreErrors(store.append({ session, log, epoch, tail, lines: [], lease: 'release' }))
}

/** Says that a run of the session is under way. */
export function underWay(session: string): MillraceError {
  return new MillraceError(
    'conflict',
    `A run of this session is under way. Watch it with GET /agent/${session}/stream and ask again after its end, send the prompt with \`when_busy\`, or start another session.`,
    { details: { reason: 'busy' } },
  )
}
