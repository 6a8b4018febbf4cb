import type { PromptQueued } from '../../events/index.ts'
import { createEnvelopeWriter } from '../../exit/index.ts'
import type { CommandChange } from '../../stores/port/index.ts'
import { mapStoreErrors } from '../map-store-errors.ts'
import { headOf } from '../sessions/load-session.ts'
import type { Run } from '../runs/run.ts'
import { withRunSlot, sessionMissing } from '../runs/run-services.ts'
import { rootAgentOf } from '../sessions/session-record.ts'
import { toTitle } from '../sessions/to-title.ts'
import type { Attended, Outcome } from './attend.ts'
import { beginRun } from './begin-run.ts'
import { giveMessage, isStopped } from './give-message.ts'
import { appendIdle, openIdle } from './open-idle.ts'
import { dismiss } from './queue.ts'
import { isRefusal, type NoticeCommand, type PromptCommand } from './run-command.ts'

/** Gives a prompt to a run under way: it is told to it, stops it, or waits for its end. */
export async function givePrompt(attended: Attended<PromptCommand>, run: Run): Promise<Outcome> {
  const { key, stored, command } = attended
  if (run.inbox.has(key)) return 'waits'
  const { messageId, whenBusy } = command
  if (whenBusy === 'steer') return tellRun(attended, run)
  run.inbox.add(key, stored, messageId)
  if (whenBusy === 'interrupt') {
    if (run.offer({ type: 'stop' }).verdict === 'taken') await mapStoreErrors(run.keepStop())
    return 'waits'
  }
  if (await isTold(attended)) return 'waits'
  const notice = toNotice(command)
  run.inbox.add(noticeKey(messageId), { run: run.number, command: notice })
  run.tell(toEvent(run.root, notice))
  return 'waits'
}

/** Gives a message to a run. A message to the root agent that the run does not take begins the next run. */
async function tellRun(attended: Attended<PromptCommand>, run: Run): Promise<Outcome> {
  const { services, session, key, command } = attended
  if (!(await isPending(attended))) return undefined
  const stored = { ...attended.stored, command }
  const isLate = stored.run !== run.number
  if (isLate && (await isStopped(services, session, stored))) return stopped
  if (isLate && command.agent !== undefined) return notAtWork
  // A run that is carried on may not have come to the agent yet.
  const isTaken = await giveMessage(services, run, { key, stored, isKept: run.isContinued })
  return isTaken || command.agent === undefined ? 'waits' : notAtWork
}

const stopped = { reason: 'The run that it was sent to has been stopped.' } as const
const notAtWork = { reason: 'The agent that it was sent to is not at work any more.' } as const

/** Begins a prompt now that nothing runs; one that was queued waits while the run waits for people. */
export async function beginPrompt(attended: Attended<PromptCommand>): Promise<Outcome> {
  const { services, session, known, key, stored, command } = attended
  const info = await mapStoreErrors(services.store.info(session))
  // Another command came, or one was withdrawn: what is pending is read again.
  if (info?.inbox !== known.inbox) return 'again'
  if (!(await isPending(attended))) return undefined
  if (headOf(info)?.status === 'paused' && command.whenBusy === 'queue') {
    if (!(await isTold(attended))) {
      const receipt = { key: noticeKey(command.messageId), body: 'done', isPending: false }
      await tellIdle(attended, toNotice(command), receipt)
    }
    return 'waits'
  }
  if (command.whenBusy === 'steer') {
    if (await isStopped(services, session, { ...stored, command })) return stopped
    if (command.agent !== undefined) return notAtWork
  }
  // The run that the prompt before it waited for has ended since.
  if (attended.isBehind) return 'again'
  const { messageId, whenBusy: _, type: _type, at: _at, agent: _agent, ...asked } = command
  const question = { ...asked, session, key: { key, digest: stored.digest ?? '', messageId } }
  try {
    const { inbox } = known
    await withRunSlot(services, session, () => beginRun(services, question, { known: info, inbox }))
  } catch (error) {
    if (isRefusal(error) && error.details['inbox'] !== undefined) return 'again'
    throw error
  }
  return undefined
}

/** Whether a prompt still waits. A run settles what it has told without another version of the inbox, also after the pending ones were read. */
async function isPending({ services, session, known, key }: Attended): Promise<boolean> {
  return (await mapStoreErrors(services.store.command(session, key, known.log)))?.isPending === true
}

/** Settles a prompt as void and writes the frame that says so: at once where nothing runs, else through the run. */
export async function tellVoid(
  attended: Attended<PromptCommand>,
  reason: string,
  receipt: CommandChange,
): Promise<void> {
  const { services, session, known, command } = attended
  const { messageId } = command
  const notice = { messageId, state: 'void', text: reason } as const
  const run = services.runs.get(session)
  if (run === undefined || run.isEnding()) {
    await run?.over
    return tellIdle(attended, { type: 'notice', ...notice }, receipt)
  }
  await dismiss(services, known, notice)
  await mapStoreErrors(services.store.settle(session, receipt, known.log))
}

/** Tells a run under way that a prompt has left the queue. */
export async function giveNotice(attended: Attended<NoticeCommand>, run: Run): Promise<Outcome> {
  const { key, stored, command } = attended
  if (run.inbox.has(key)) return undefined
  run.inbox.add(key, stored)
  run.tell(toEvent(run.root, command))
  return undefined
}

/** Tells that a prompt has left the queue, where nothing runs. */
export async function tellNotice(attended: Attended<NoticeCommand>): Promise<Outcome> {
  const receipt = { key: attended.key, body: 'done', isPending: false }
  await tellIdle(attended, attended.command, receipt)
  return undefined
}

/** Writes a frame about the queue into a log that nobody writes, together with the receipt that it was told, unless that is there. */
async function tellIdle(
  { services, session }: Attended,
  notice: NoticeCommand,
  receipt: CommandChange,
): Promise<void> {
  const { store, maxLineBytes: maxBytes } = services
  const known = await mapStoreErrors(store.info(session))
  if (known === undefined) throw sessionMissing(session)
  // Looked at after the session, as which it is opened: another server may tell it at the same moment.
  const told = await mapStoreErrors(store.command(session, receipt.key, known.log))
  if (told?.isPending === false) return
  const info = await openIdle(services, session, known)
  const root = rootAgentOf(session, headOf(known))
  const texts = createEnvelopeWriter({ maxBytes }).write(toEvent(root, notice))
  await appendIdle(services, info, texts, { commands: [receipt] })
}

/** Whether readers know that a prompt waits. */
async function isTold({ services, session, known, command }: Attended<PromptCommand>) {
  const key = noticeKey(command.messageId)
  return (await mapStoreErrors(services.store.command(session, key, known.log))) !== undefined
}

/** The key under which an inbox keeps that a prompt was told to wait. */
function noticeKey(messageId: string): string {
  return `queued:${messageId}`
}

function toNotice({ messageId, prompt }: PromptCommand): NoticeCommand {
  return { type: 'notice', messageId, state: 'queued', text: toTitle(prompt) }
}

function toEvent(agent: string, { messageId, state, text }: NoticeCommand): PromptQueued {
  return { type: 'prompt_queued', agent, messageId, state, text }
}
