import type { PromptQueued } from '../../events/index.ts'
import { createEnvelopeWriter } from '../../exit/index.ts'
import type { CommandChange } from '../../store/index.ts'
import { restoreFiles } from '../files/prompt-files.ts'
import { fromStore } from '../from-store.ts'
import { headOf } from '../load-session.ts'
import type { Run } from '../run.ts'
import { inPlace, sessionMissing } from '../run-context.ts'
import { rootAgentOf } from '../session-record.ts'
import { toTitle } from '../to-title.ts'
import type { Attended, Outcome } from './attend.ts'
import { beginRun } from './begin-run.ts'
import { appendIdle, openIdle } from './open-idle.ts'
import { dismiss } from './queue.ts'
import { isRefusal, type NoticeCommand, type PromptCommand } from './run-command.ts'

/** Gives a prompt to a run under way: it is told to it, stops it, or waits for its end. */
export async function givePrompt(attended: Attended<PromptCommand>, run: Run): Promise<Outcome> {
  const { context, session, key, stored, command } = attended
  if (run.inbox.has(key)) return 'waits'
  const { messageId, whenBusy } = command
  if (whenBusy === 'steer') {
    const { prompt = command.prompt } = await restoreFiles({ ...context, session }, command)
    run.inbox.add(key, { ...stored, command: { ...command, prompt } }, messageId)
    // A run that takes it no more leaves it to begin the next one.
    run.control.steer(prompt)
    return 'waits'
  }
  run.inbox.add(key, stored, messageId)
  if (whenBusy === 'interrupt') {
    if (run.control.stop()) await fromStore(run.keepStop())
    return 'waits'
  }
  if (await isTold(attended)) return 'waits'
  const notice = toNotice(command)
  run.inbox.add(noticeKey(messageId), { run: run.number, command: notice })
  run.tell(toEvent(run.root, notice))
  return 'waits'
}

/** Begins a prompt now that nothing runs; one that was queued waits while the run waits for people. */
export async function beginPrompt(attended: Attended<PromptCommand>): Promise<Outcome> {
  const { context, session, known, key, stored, command } = attended
  const info = await fromStore(context.store.info(session))
  // Another command came, or one was withdrawn: what is pending is read again.
  if (info?.inbox !== known.inbox) return 'again'
  if (headOf(info)?.status === 'paused' && command.whenBusy === 'queue') {
    if (!(await isTold(attended))) {
      const receipt = { key: noticeKey(command.messageId), body: 'done', isPending: false }
      await tellIdle(attended, toNotice(command), receipt)
    }
    return 'waits'
  }
  // The run that the prompt before it waited for has ended since.
  if (attended.isBehind) return 'again'
  const { messageId, whenBusy: _, type: _type, at: _at, ...asked } = command
  const question = { ...asked, session, key: { key, digest: stored.digest ?? '', messageId } }
  try {
    const { inbox } = known
    await inPlace(context, session, () => beginRun(context, question, { known: info, inbox }))
  } catch (error) {
    if (!isRefusal(error)) throw error
    if (error.details['inbox'] !== undefined) return 'again'
    await dismiss(context, known, { messageId, state: 'void', text: error.message })
    return 'void'
  }
  return undefined
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

/** Writes a frame about the queue into a log that nobody writes, together with the receipt that it was told. */
async function tellIdle(
  { context, session }: Attended,
  notice: NoticeCommand,
  receipt: CommandChange,
): Promise<void> {
  const { store, maxLineBytes: maxBytes } = context
  const known = await fromStore(store.info(session))
  if (known === undefined) throw sessionMissing(session)
  const info = await openIdle(context, session, known)
  const root = rootAgentOf(session, headOf(known))
  const texts = createEnvelopeWriter({ maxBytes }).write(toEvent(root, notice))
  await appendIdle(context, info, texts, { commands: [receipt] })
}

/** Whether readers know that a prompt waits. */
async function isTold({ context, session, known, command }: Attended<PromptCommand>) {
  const key = noticeKey(command.messageId)
  return (await fromStore(context.store.command(session, key, known.log))) !== undefined
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
