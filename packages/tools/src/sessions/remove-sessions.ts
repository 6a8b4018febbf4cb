import { MillraceError } from 'millrace'
import { misuse } from '../cli/command.ts'
import type { SessionCommand } from './session-command.ts'

/** `millrace sessions delete ID`: deletes a session with its log, history and files. */
export const deleteSession: SessionCommand = {
  needsSession: true,
  run: async ({ store, terminal, session, options: { json, force } }) => {
    const info = await store.info(session)
    if (info?.lease?.hasLapsed === false && !force) {
      throw new MillraceError(
        'conflict',
        `A run of ${session} is active on ${info.lease.owner}. Stop it first, or delete the session anyway with --force.`,
      )
    }
    const isDeleted = await store.remove(session)
    if (json) terminal.print(JSON.stringify({ deleted: isDeleted }))
    else if (isDeleted) terminal.print(`${session} is deleted.`)
    else terminal.complain(`There is no session ${session}.`)
    return isDeleted ? 0 : 1
  },
}

/** `millrace sessions prune --older-than AGE`: deletes sessions without writes for that long. */
export const pruneSessions: SessionCommand = {
  needsSession: false,
  run: async ({ store, terminal, options: { json, olderThanMs } }) => {
    if (olderThanMs === undefined) throw misuse('Set the age with --older-than, such as 30d.')
    const pruned = await store.prune(olderThanMs)
    const words = pruned === 1 ? 'One session is' : `${pruned} sessions are`
    terminal.print(json ? JSON.stringify({ pruned }) : `${words} deleted.`)
    return 0
  },
}

const unitMs: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
}

/** Decodes an age such as `30d` or `12h`, in milliseconds. */
export function decodeAge(option: string, text: string): number {
  const [, count, unit = ''] = /^(\d{1,6})([smhdw])$/.exec(text) ?? []
  if (count !== undefined) return Number(count) * (unitMs[unit] ?? 0)
  throw misuse(`${option} must be an age such as 30d, 12h or 90m, not ${JSON.stringify(text)}.`)
}
