import { type QueueNotice, createEnvelopeWriter } from '../../events/index.ts'
import type { CommandChange } from '../../stores/port/index.ts'
import { headOf, sessionMissing } from '../sessions/load-session.ts'
import type { Run } from '../runs/run.ts'
import { withRunSlot } from '../runs/run-services.ts'
import { rootAgentOf } from '../sessions/session-record.ts'
import { toTitle } from '../sessions/session-titles.ts'
import type { PendingCommand, Outcome } from './carry-out-pending.ts'
import { beginRun } from './begin-run.ts'
import { passMessage, isStopped } from './pass-message.ts'
import { appendIdle, openIdle } from './open-idle.ts'
import { dismiss } from './queue.ts'
import { isRefusal, type NoticeCommand, type PromptCommand } from './run-command.ts'

/** Passes a prompt to an active run: as a message, as a stop, or to wait for its end. */
export async function passPrompt(
  pending: PendingCommand<PromptCommand>,
  run: Run,
): Promise<Outcome> {
  const { key, stored, command } = pending
  if (run.inbox.has(key)) return 'waits'
  const { messageId, whenBusy } = command
  if (whenBusy === 'steer') return passSteering(pending, run)
  run.inbox.add(key, stored, messageId)
  if (whenBusy === 'interrupt') {
    if (run.offer({ type: 'stop' }).verdict === 'taken') await run.keepStop()
    return 'waits'
  }
  if (await isNotified(pending)) return 'waits'
  const notice = toNotice(command)
  run.inbox.add(noticeKey(messageId), { run: run.number, command: notice })
  run.emit(toEvent(run.root, notice))
  return 'waits'
}

/** Passes a message to a run. A message to the root agent that the run does not accept starts the next run. */
async function passSteering(pending: PendingCommand<PromptCommand>, run: Run): Promise<Outcome> {
  const { services, session, key, command } = pending
  if (!(await isPending(pending))) return undefined
  const stored = { ...pending.stored, command }
  const isLate = stored.run !== run.number
  if (isLate && (await isStopped(services, session, stored))) return stopped
  if (isLate && command.agent !== undefined) return notAtWork
  // A resumed run may not have reached the agent yet.
  const isTaken = await passMessage(services, run, { key, stored, isKept: run.isContinued })
  return isTaken || command.agent === undefined ? 'waits' : notAtWork
}

const stopped = { reason: 'The run of this message was stopped.' } as const
const notAtWork = { reason: 'The agent of this message is no longer active.' } as const

/** Starts a prompt while no run is active; a queued prompt waits while a run is paused. */
export async function beginPrompt(pending: PendingCommand<PromptCommand>): Promise<Outcome> {
  const { services, session, known, key, stored, command } = pending
  const info = await services.store.info(session)
  // A command arrived or was withdrawn: the pending ones must be read again.
  if (info?.inbox !== known.inbox) return 'again'
  if (!(await isPending(pending))) return undefined
  if (headOf(info)?.status === 'paused' && command.whenBusy === 'queue') {
    if (!(await isNotified(pending))) {
      const receipt = { key: noticeKey(command.messageId), body: 'done', isPending: false }
      await appendNotice(pending, toNotice(command), receipt)
    }
    return 'waits'
  }
  if (command.whenBusy === 'steer') {
    if (await isStopped(services, session, { ...stored, command })) return stopped
    if (command.agent !== undefined) return notAtWork
  }
  // The run that an earlier prompt waited for has ended since.
  if (pending.isBehind) return 'again'
  const { messageId, whenBusy: _, type: _type, at: _at, agent: _agent, ...asked } = command
  const request = { ...asked, session, key: { key, digest: stored.digest ?? '', messageId } }
  try {
    const { inbox } = known
    await withRunSlot(services, session, () => beginRun(services, request, { known: info, inbox }))
  } catch (error) {
    if (isRefusal(error) && error.details['inbox'] !== undefined) return 'again'
    throw error
  }
  return undefined
}

/** Whether a command is still pending. A run settles messages without a new version of the inbox. */
export async function isPending({
  services,
  session,
  known,
  key,
}: Pick<PendingCommand, 'services' | 'session' | 'known' | 'key'>): Promise<boolean> {
  return (await services.store.command(session, key, known.log))?.isPending === true
}

/** Settles a prompt as void and writes a frame about it: at once without an active run, otherwise through the run. */
export async function settleVoid(
  pending: PendingCommand<PromptCommand>,
  reason: string,
  receipt: CommandChange,
): Promise<void> {
  const { services, session, known, command } = pending
  const { messageId } = command
  const notice = { messageId, state: 'void', text: reason } as const
  const run = services.runs.get(session)
  if (run === undefined || run.isEnding()) {
    await run?.over
    return appendNotice(pending, { type: 'notice', ...notice }, receipt)
  }
  await dismiss(services, known, notice)
  await services.store.settle(session, receipt, known.log)
}

/** Writes a frame about a prompt that has left the queue, through the active run. */
export async function passNotice(
  pending: PendingCommand<NoticeCommand>,
  run: Run,
): Promise<Outcome> {
  const { key, stored, command } = pending
  if (run.inbox.has(key)) return undefined
  run.inbox.add(key, stored)
  run.emit(toEvent(run.root, command))
  return undefined
}

/** Writes a frame about a prompt that has left the queue, without an active run. */
export async function writeNotice(pending: PendingCommand<NoticeCommand>): Promise<Outcome> {
  const receipt = { key: pending.key, body: 'done', isPending: false }
  await appendNotice(pending, pending.command, receipt)
  return undefined
}

/** Appends a frame about the queue to a log without a writer, together with its receipt, unless that exists. */
async function appendNotice(
  { services, session }: PendingCommand,
  notice: NoticeCommand,
  receipt: CommandChange,
): Promise<void> {
  const { store, maxLineBytes: maxBytes } = services
  const known = await store.info(session)
  if (known === undefined) throw sessionMissing(session)
  // Read after the session, which fences the append: another server may write the same frame now.
  const notified = await store.command(session, receipt.key, known.log)
  if (notified?.isPending === false) return
  const info = await openIdle(services, session, known)
  const root = rootAgentOf(session, headOf(known))
  const texts = createEnvelopeWriter({ maxBytes }).write(toEvent(root, notice))
  await appendIdle(services, info, texts, { commands: [receipt] })
}

/** Whether readers were notified that a prompt waits. */
async function isNotified({ services, session, known, command }: PendingCommand<PromptCommand>) {
  const key = noticeKey(command.messageId)
  return (await services.store.command(session, key, known.log)) !== undefined
}

/** Returns the inbox key that records the notice of a queued prompt. */
function noticeKey(messageId: string): string {
  return `queued:${messageId}`
}

function toNotice({ messageId, prompt }: PromptCommand): NoticeCommand {
  return { type: 'notice', messageId, state: 'queued', text: toTitle(prompt) }
}

function toEvent(agent: string, { messageId, state, text }: NoticeCommand): QueueNotice {
  return { type: 'queued_prompt', agent, messageId, state, text }
}
